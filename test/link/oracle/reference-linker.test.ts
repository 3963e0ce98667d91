import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { blockParts } from '../../../src/link/block/block-parts.ts'
import { joinedBlocks, RULE_COUNT, ruleBlocks } from '../../../src/link/block/blocking.ts'
import { pairFinder } from '../../../src/link/block/candidates.ts'
import { PairComparer } from '../../../src/link/compare/compare.ts'
import { comparisonsOf } from '../../../src/link/compare/levels.ts'
import { resetCoding } from '../../../src/link/records/coding.ts'
import { readRecords } from '../../../src/link/records/read-records.ts'
import type { Records } from '../../../src/link/records/records.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { given, rowsOf, withWarehouse } from '../../support/warehouse.ts'
import { randomMentions } from '../records/random-mentions.ts'
import { COVERED, referenceLevels, referencePairs } from './reference-linker.ts'

// With so low a limit, nearly every rule splits a block.
const LIMIT = 7

test.each([1, 2, 3])(
  'world %i: the linker finds the candidate pairs of a second one in SQL',
  async (seed) => {
    await withRecords(seed, async (db, records, ids) => {
      const parts = blockParts(records)
      const blocks = Array.from({ length: RULE_COUNT }, (_, rule) => ruleBlocks(parts, LIMIT, rule))
      const finder = pairFinder(records, joinedBlocks(blocks, records.count), undefined)
      const pairs = ids.flatMap((_, i) =>
        [...finder.candidates.subarray(0, finder.find(i))].map((j) => pairOf(ids, i, j)),
      )
      const expected = await referencePairs(db, LIMIT)
      expect(expected.length).toBeGreaterThan(1000)
      expect(pairs.sort()).toEqual(expected)
    })
  },
)

test('the linker finds the levels of a second one in SQL', async () => {
  await withRecords(1, async (db, records, ids) => {
    const comparer = new PairComparer(records)
    const comparisons = comparisonsOf(records.attributes)
    const found: string[] = []
    for (let i = 0; i < records.count; i++) {
      for (let j = 0; j < i; j++) {
        comparer.compare(i, j)
        comparisons.forEach(({ name, levels }, c) => {
          const level = comparer.levels[c]!
          if (level !== 0 && COVERED.has(name)) {
            found.push(`${pairOf(ids, i, j)} ${name} ${levels[level - 1]!.name}`)
          }
        })
      }
    }
    const expected = await referenceLevels(db)
    expect(expected.length).toBeGreaterThan(10_000)
    const covered = new Set(expected.map(keyOf))
    // The reference has only whole dates.
    const whole = found.filter((line) => !line.includes(' birth_date ') || covered.has(keyOf(line)))
    expect(whole.sort()).toEqual(expected.sort())
  })
})

/** Calls `body` with random records, which the linker has read, and their ids by record number. */
async function withRecords(
  seed: number,
  body: (db: DuckDBConnection, records: Records, ids: readonly string[]) => Promise<void>,
): Promise<void> {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', randomMentions(seed).take(200))
    await db.run(`insert into link.source_traits values ('voters', true, false)`)
    await resetCoding(db)
    const records = await readRecords(db, { from: 'link.records', first: 0, attributes: undefined })
    const ids = await rowsOf(db, 'select record_id from link.coded_records order by record_number')
    await body(
      db,
      records,
      ids.map(({ record_id }) => String(record_id)),
    )
  })
}

function pairOf(ids: readonly string[], i: number, j: number): string {
  const [one, other] = [ids[i]!, ids[j]!]
  return one < other ? `${one} ${other}` : `${other} ${one}`
}

// A line without its level.
function keyOf(line: string): string {
  return line.slice(0, line.lastIndexOf(' '))
}
