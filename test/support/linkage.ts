export { createRecordTables } from '../../src/link/records/record-table.ts'
