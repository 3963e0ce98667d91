import { expect, test } from 'vitest'
import { readPartition } from '../../src/warehouse/partition.ts'

const READS = ['normal.mentions', 'normal.names', 'reference.counties']
const read = (...lines: string[]) => readPartition(`${lines.join('\n')}\nselect 1\n`, READS, 'a.sql')

test('a table without a line is split by the key, and tables are asked for after they have rows', () => {
  const partition = read(
    '-- by: person_id',
    '--   normal.names: (key, n) in unnest([a, b]) of normal.mentions',
    '--   normal.mentions: trim(person), not null',
    '--   result: person_id',
  )
  expect(partition).toEqual({
    key: 'person_id',
    inputs: [
      { kind: 'split', table: 'reference.counties', by: 'person_id', leavesOutNull: false },
      { kind: 'split', table: 'normal.mentions', by: 'trim(person)', leavesOutNull: true },
      { kind: 'asked', table: 'normal.names', value: '(key, n)', asker: 'normal.mentions', asked: 'unnest([a, b])' },
    ],
    result: 'person_id',
  }) // prettier-ignore
})

test.each([
  ['has no line "-- by: <key>"', ['-- in: x']],
  ['names no known key', ['-- by: shoe_size']],
  ['is not "--   <table>: <rows of a part>"', ['-- by: phone', '--   normal.names whole']],
  ['a table that the query does not read', ['-- by: phone', '--   normal.phones: whole']],
  ['has no rows yet', ['-- by: phone', '--   normal.names: a in b of normal.mentions', '--   normal.mentions: c in d of normal.names']],
])('a header is refused: %s', (message, lines) => {
  expect(() => read(...lines)).toThrow(message)
}) // prettier-ignore
