import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { RecordFormat } from '../../src/generate/layouts/record-format.ts'
import { Layout } from '../../src/layouts.ts'

test('a row has the constants of its layout, and blanks in columns without a value', () => {
  const format = new RecordFormat('sdf', 'sdf', { separator: ',', end: '\r\n', quotes: 'text' })
  const line = format.line({ PARCEL_ID: '49"41', SALE_PRC: 100 })
  expect(line).toBe(',"49""41",2025,,,,,,,,,,,,,,,,100,,"2B6D",,\r\n')
  expect(() => format.line({ PARCEL: '1' })).toThrow('no column PARCEL')
})

test('fixed-width cells are cut or padded: texts with spaces behind, numbers with zeros before', () => {
  const layout = new Layout('pacs-8-0')
  const format = new RecordFormat('pacs-8-0', 'imp_info', { separator: '', end: '\n' })
  const line = format.line({ prop_id: 77, imprv_type_cd: 'TWELVE CHARS', imprv_type_desc: 'SHED' })
  const cells = layout.ranges('imp_info').map(({ start, end }) => line.slice(start - 1, end))
  expect(cells.slice(0, 6)).toEqual(['000000000077', '2025', '0'.repeat(12), 'TWELVE CHA', 'SHED'.padEnd(25), '     ']) // prettier-ignore
  expect(line).toHaveLength(115)
})

test('ranges leave out unused bytes and count them', () => {
  const layout = new Layout('pacs-8-0')
  const ranges = layout.ranges('info')
  expect(ranges.map(({ name }) => name)).not.toContain('filler')
  expect(ranges.find(({ name }) => name === 'py_addr_line1')).toEqual({ name: 'py_addr_line1', start: 694, end: 753 }) // prettier-ignore
  expect(ranges.at(-1)?.end).toBe(8602)
})

test('every layout is well formed: known types, whole widths, no column twice', () => {
  for (const file of readdirSync('data/layouts').filter((name) => name.endsWith('.csv'))) {
    const layout = new Layout(basename(file, '.csv'))
    for (const kind of layout.kinds) {
      const columns = layout.columns(kind)
      const names = columns.map(({ name }) => name).filter((name) => name !== 'filler')
      expect(new Set(names).size, `${file} ${kind}`).toBe(names.length)
      for (const { name, type, width } of columns) {
        expect(['', 'text', 'number'], `${file} ${name}`).toContain(type)
        expect(Number.isInteger(width), `${file} ${name}`).toBe(true)
      }
    }
  }
  expect(() => new Layout('sdf').names('nal')).toThrow('data/layouts/sdf.csv has no rows for the file nal')
})
