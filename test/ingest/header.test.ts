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
    'roll.csv, line 1: column PAPAPA is gone; column PAY is new',
  )
})
