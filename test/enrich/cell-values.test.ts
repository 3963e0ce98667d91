import { expect, test } from 'vitest'
import { cellValue, emailsOf, phonesOf, zipOf } from '../../src/enrich/cell-values.ts'

test.each([
  ['="00123"', '00123'],
  ["'+15125550101", '+15125550101'],
  ["'Jane'", "'Jane'"],
  [' N/A ', ''],
  ['#N/A', ''],
  ['Jane', 'Jane'],
])('a cell %s means %j', (cell, value) => {
  expect(cellValue(cell)).toBe(value)
})

test.each([
  ['2138', '02138'],
  ['78701-1234', '78701'],
  ['787011234', '78701'],
  ['78701-', '78701'],
  ['78701.0', '78701'],
  ['z:02138', '02138'],
  ['K1A 0B1', undefined],
])('a ZIP code written %s is %s', (text, zip) => {
  expect(zipOf(text)).toBe(zip)
})

test('a cell may hold several phones; an extension is none', () => {
  expect(phonesOf('512-555-0101 / 512-555-0102').map((one) => one.trim())).toEqual(['512-555-0101', '512-555-0102']) // prettier-ignore
  expect(phonesOf('(512) 555-0101 ::: 5125550102')).toHaveLength(2)
  expect(phonesOf('(512) 555-0101, ext. 4455')).toEqual(['(512) 555-0101, ext. 4455'])
  expect(phonesOf('512/555/0101')).toEqual(['512/555/0101'])
})

test('a cell may hold several e-mails, or a name beside one', () => {
  expect(emailsOf('a@example.com; b@example.com')).toEqual(['a@example.com', 'b@example.com'])
  expect(emailsOf('Jane Smith <jane@example.com>')).toEqual(['jane@example.com'])
  expect(emailsOf('Jane Smith,jane@example.com')).toEqual(['Jane Smith,jane@example.com'])
})
