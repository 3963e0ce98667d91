export { createRecordTables } from '../../src/linkage/records.ts'
