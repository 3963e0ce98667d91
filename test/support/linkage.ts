export { createRecordTables } from '../../src/link/records/records.ts'
