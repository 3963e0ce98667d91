import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { findSplits } from '../../../src/link/ids/splits.ts'
import { given, rowsOf, withWarehouse } from '../../support/warehouse.ts'

// A type instead of an interface, so that it fits the rows of a table.
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions
type Linked = {
  readonly record_id: string
  readonly source_id: string
  readonly name_suffix: string | null
  readonly identifiers: string[]
}

interface Part {
  readonly records: readonly Linked[]
  /** The number of mentions with an unchanged name; by default all. */
  readonly namedCount?: number
}

const CONTACTS = { source_id: 'contacts', name_suffix: null, identifiers: [] }
const STAYS: Linked = { ...CONTACTS, record_id: 'a' }
const LEAVES: Linked = { ...CONTACTS, record_id: 'b' }

/** The splits of person P1, whose records are now in cluster 1, which keeps the id, and in the clusters of `parts` from 2 on. */
async function splitsOf(
  { parts, gone = 0, edges = [], keeps = [STAYS], isNewModel = false }:
    { parts: readonly Part[], gone?: number, edges?: readonly (readonly [string, string, number])[], keeps?: Part['records'], isNewModel?: boolean },
): Promise<unknown[]> {
  return withWarehouse(async (db) => {
    const clusters: Part[] = [{ records: keeps }, ...parts]
    const records = clusters.flatMap(({ records: own }, c) => own.map((record) => ({ ...record, cluster: c + 1 })))
    const numbered = records.map((record, n) => ({ ...record, n: n + 1 }))
    await db.run('create schema if not exists link; create schema if not exists normal')
    await given(db, 'link.records', clusters.flatMap((part) => part.records))
    await given(db, 'link.clusters', numbered.map(({ record_id, cluster }) => ({ mention_key: record_id, cluster_key: String(cluster) })))
    await given(db, 'normal.person_mentions', numbered.map(({ record_id }) => ({ mention_key: record_id })))
    await given(db, 'link.coded_records', numbered.map(({ n, record_id }) => ({ record_number: n, record_id })))
    await given(db, 'link.source_traits', [{ source_id: 'voters', is_duplicate_free: true }])
    const before = [...records.map(({ record_id }) => record_id), ...Array.from({ length: gone }, (_, n) => `gone ${n}`)]
    await given(db, 'link.person_mentions', before.map((mention_key) => ({ person_id: 'P1', mention_key })))
    const numberOf = (id: string): number => numbered.find(({ record_id }) => record_id === id)!.n
    await given(db, 'link.pair_edges', [['a', 'a', 0] as const, ...edges].map(([left, right, bits]) =>
      ({ left_number: numberOf(left), right_number: numberOf(right), bits })))
    await db.run('create or replace temp table claims as select \'P1\' as person_id, \'1\' as cluster_key')
    await given(db, 'main.kept_mentions', clusters.map((part, c) =>
      ({ person_id: 'P1', cluster_key: String(c + 1), named_count: part.namedCount ?? part.records.length })))
    await given(db, 'main.assigned', clusters.map((_, c) => ({ cluster_key: String(c + 1), person_id: `P${c + 1}` })))
    for (const table of ['kept_mentions', 'assigned']) await db.run(`create or replace temp table ${table} as from main.${table}`)
    await findSplits(db, isNewModel)
    return found(db)
  })
} // prettier-ignore

async function found(db: DuckDBConnection): Promise<unknown[]> {
  const rows = await rowsOf(db, 'from temp.splits order by other_person_id')
  return rows.map(({ person_id, other_person_id, mention_count, reason }) => {
    expect(person_id).toBe('P1')
    return `${String(other_person_id)}, ${String(mention_count)}: ${String(reason)}`
  })
}

const NOTHING = 'nothing ties their records'

test('each part but the one that keeps the id is a parting, with the number of its named mentions', async () => {
  const parts = [
    { records: [LEAVES, { ...LEAVES, record_id: 'c' }] },
    { records: [{ ...LEAVES, record_id: 'd' }] },
  ]
  expect(await splitsOf({ parts })).toEqual([`P2, 2: ${NOTHING}`, `P3, 1: ${NOTHING}`])
  expect(await splitsOf({ parts: [] })).toEqual([])
})

test('a part whose mentions all have a new name is no parting', async () => {
  expect(await splitsOf({ parts: [{ records: [LEAVES], namedCount: 0 }] })).toEqual([])
})

test.each<[what: string, stays: Partial<Linked>, leaves: Partial<Linked>, reason: string]>([
  ['one voter source', { source_id: 'voters' }, { source_id: 'voters' }, 'both have a record of voters, which lists nobody twice'],
  ['one voter source, one number', { source_id: 'voters', identifiers: ['voter:1'] }, { source_id: 'voters', identifiers: ['voter:1'] }, NOTHING],
  ['one other source', {}, {}, NOTHING],
  ['two suffixes', { name_suffix: 'SR' }, { name_suffix: 'JR' }, 'one is JR, the other SR'],
  ['JR and II', { name_suffix: 'II' }, { name_suffix: 'JR' }, NOTHING],
  ['one suffix unknown', { name_suffix: 'SR' }, {}, NOTHING],
])('the conflict of the records is the reason: %s', async (_, stays, leaves, reason) => {
  const parts = [{ records: [{ ...LEAVES, ...leaves }] }]
  expect(await splitsOf({ keeps: [{ ...STAYS, ...stays }], parts })).toEqual([`P2, 1: ${reason}`])
}) // prettier-ignore

test('without a conflict, the reason is the strongest edge between the two parts, with the sources in order', async () => {
  const parts = [
    {
      records: [
        { ...LEAVES, source_id: 'assessor' },
        { ...LEAVES, record_id: 'c' },
      ],
    },
  ]
  const edges = [['a', 'c', 1.5], ['b', 'a', 2.24], ['b', 'c', 30]] as const // prettier-ignore
  expect(await splitsOf({ parts, edges })).toEqual([
    'P2, 2: too little ties them: at most assessor and contacts, match weight 2.2',
  ])
})

test('a conflict comes before the strongest edge', async () => {
  const parts = [{ records: [{ ...LEAVES, name_suffix: 'JR' }] }]
  const keeps = [{ ...STAYS, name_suffix: 'SR' }]
  expect(await splitsOf({ keeps, parts, edges: [['a', 'b', 9.5]] })).toEqual([
    'P2, 1: one is JR, the other SR',
  ])
})

test.each([
  [1, false, '; a record is gone'],
  [2, false, '; 2 records are gone'],
  [0, true, '; weighed by a new model'],
  [1, true, '; a record is gone; weighed by a new model'],
])('with %i records gone, and a new model: %s', async (gone, isNewModel, ending) => {
  expect(await splitsOf({ parts: [{ records: [LEAVES] }], gone, isNewModel })).toEqual([
    `P2, 1: ${NOTHING}${ending}`,
  ])
})
