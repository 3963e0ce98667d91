import { expect, test } from 'vitest'
import { PairComparer } from '../../../src/link/compare/compare.ts'
import { AT, BIRTH, FIRST, LAST } from '../../../src/link/compare/levels.ts'
import { explainBestPair } from '../../../src/link/explain/explain.ts'
import { linkAllRecords } from '../../../src/link/run.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { given, withWarehouse } from '../../support/warehouse.ts'
import type { MentionRow } from './random-mentions.ts'

const EMPTY: MentionRow = {
  source_id: 'list',
  other_last_names: [],
  addresses: [],
  phones: [],
  emails: [],
  identifiers: [],
  traits: [],
}

function row(id: string, first: string | null, last: string | null, birth?: readonly number[]): MentionRow {
  const [year, month, day] = birth ?? []
  return {
    ...EMPTY,
    record_id: id,
    first_name: first,
    last_name: last,
    birth_year: year ?? null,
    birth_month: month ?? null,
    birth_day: day ?? null,
  }
}

/** How the first two of some rows stand to each other, in either order, and why the run compared them. */
async function compared(rows: MentionRow[]) {
  return withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', rows)
    const { records, model } = await linkAllRecords(db, { threads: 1, today: '2026-01-01' })
    const reader = await db.runAndReadAll(
      'select record_number from link.coded_records where record_id in ($1, $2) order by record_id',
      ['a', 'b'],
    )
    const [a, b] = reader.getColumns()[0]!.map(Number)
    const comparer = new PairComparer(records)
    const levels = ([i, j]: readonly [number, number]) => {
      comparer.compare(i, j)
      const { levels: found } = comparer
      return { first: found[AT.first_name], last: found[AT.last_name], birth: found[AT.birth_date] }
    }
    const found = levels([a!, b!])
    expect(levels([b!, a!])).toEqual(found)
    // The rules by which the run compared the two.
    const { keys } = await explainBestPair(db, model, ['a'], ['b'])
    return { ...found, keys }
  })
}

test.for([
  ['a last name alone', ['MARVOLE', null], ['PETRA', 'MARVOLE'], { first: FIRST.single, last: 0 }],
  [
    'a last name alone in its own field',
    [null, 'MARVOLE'],
    ['PETRA', 'MARVOLE'],
    { first: 0, last: LAST.exact },
  ],
  [
    'a first name alone in the field of last names',
    [null, 'PETRA'],
    ['PETRA', 'MARVOLE'],
    { first: FIRST.single, last: 0 },
  ],
  ['a mistyped last name alone', ['MARVOLLE', null], ['PETRA', 'MARVOLE'], { first: FIRST.single, last: 0 }],
  [
    'two single words in different fields',
    ['MARVOLE', null],
    [null, 'MARVOLE'],
    { first: FIRST.single, last: 0 },
  ],
  ['an initial, which is no name', ['P', null], ['JAN', 'P'], { first: FIRST.different, last: 0 }],
] as const)('%s is compared with both names of the other side', async ([, one, other, expected]) => {
  const found = await compared([row('a', one[0], one[1]), row('b', other[0], other[1])])
  expect({ first: found.first, last: found.last }).toEqual(expected)
})

test('a single word with a birth date is compared with its person among thousands', async () => {
  const { keys } = await compared([
    row('a', 'MARVOLE', null, [1961, 4, 17]),
    row('b', 'PETRA', 'MARVOLE', [1961, 4, 17]),
    ...crowd(2500),
  ])
  expect(keys).not.toEqual([])
})

test('exchanged digits of the year and a slip in each name are compared among thousands', async () => {
  const { keys, birth } = await compared([
    row('a', 'PETRONELLA', 'MARVOLEIGH', [1978, 4, 17]),
    row('b', 'PETRXNELLA', 'MARVOLQIGH', [1987, 4, 17]),
    ...crowd(2500),
  ])
  expect(birth).toBe(BIRTH.one_digit)
  expect(keys).not.toEqual([])
})

test('people of centuries ago have birth dates', async () => {
  const { birth } = await compared([
    row('a', 'JOB', 'TILLER', [1598, 4, 17]),
    row('b', 'JOB', 'TILLER', [1598, 4, 17]),
  ])
  expect(birth).toBe(BIRTH.exact)
})

test('names that strangers bear in either order are no evidence of one person', async () => {
  // Eighty people of one language, half of them written surname first.
  const strangers = Array.from({ length: 80 }, (_, k) => {
    const names = k % 2 === 0 ? (['LINH', 'NGUYEN'] as const) : (['NGUYEN', 'LINH'] as const)
    return row(`stranger-${k}`, names[0], names[1], [1930 + (k % 70), 1 + (k % 12), 1 + (k % 28)])
  })
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', [...strangers, ...crowd(2500)])
    const { model, clusters } = await linkAllRecords(db, { threads: 1, today: '2026-01-01' })
    const [first] = model.comparisons
    const swapped = first!.levels[FIRST.swapped - 1]!
    expect(swapped.u_by_names!.both).toBeGreaterThan(5 * swapped.u)
    expect(new Set(clusters.smallest).size).toBeGreaterThan(2560)
  })
})

/** Strangers of many names and birth dates. */
function crowd(count: number): MentionRow[] {
  const syllables = ['BA', 'DE', 'FI', 'GO', 'HU', 'KA', 'LE', 'MI', 'NO', 'PU', 'RA', 'SE', 'TI', 'VO', 'ZU']
  let state = 17
  const below = (most: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % most
  }
  const name = (): string => Array.from({ length: 3 }, () => syllables[below(15)]!).join('')
  return Array.from({ length: count }, (_, k) =>
    row(`crowd-${k}`, name(), name(), [1930 + below(70), 1 + below(12), 1 + below(28)]),
  )
}
