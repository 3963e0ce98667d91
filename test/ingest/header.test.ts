import { expect, test } from 'vitest'
import { layoutOf } from '../../src/ingest/header.ts'

test('a lost column whose letters repeat is not taken for another that has those letters once', () => {
  const expected = {
    all: ['ID', 'PAPAPA'],
    optional: new Set<string>(),
    needed: new Set(['PAPAPA']),
    aliases: {},
    schemaChanges: 'ignore' as const,
  }
  expect(() => layoutOf(['PAY', 'ID'], expected, { file: 'roll.csv', line: 1 })).toThrow(
    'roll.csv, line 1: column PAPAPA is missing; column PAY is new',
  )
})

test('the first five new columns are named, and those beyond them are counted', () => {
  const expected = { all: ['ID'], optional: new Set<string>(), needed: new Set(['ID']), aliases: {} }
  const noteOf = (...added: string[]): string | null =>
    layoutOf(['ID', ...added], { ...expected, schemaChanges: 'ignore' }, { file: 'roll.csv', line: 1 }).note
  expect(noteOf('A', 'B', 'C', 'D', 'E')).toBe('columns A, B, C, D, E are new and ignored')
  expect(noteOf('A', 'B', 'C', 'D', 'E', 'F')).toBe('columns A, B, C, D, E and 1 more are new and ignored')
})
