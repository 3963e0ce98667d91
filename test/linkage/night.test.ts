import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { linkRecords } from '../../src/linkage/link-records.ts'
import type { LinkModel } from '../../src/linkage/model.ts'
import { linkChanges } from '../../src/linkage/night.ts'
import { createRecordTables } from '../../src/linkage/records.ts'
import { loadTerms } from '../../src/linkage/stored-terms.ts'
import { given, rowsOf, withWarehouse } from '../support/warehouse.ts'
import { randomMentions } from './random-mentions.ts'

const TODAY = '2026-01-01'

test.each([1, 2, 3, 4, 5, 6])('nights of history %i end as linking everything ends', async (seed) => {
  await withWarehouse(async (db) => {
    const world = randomMentions(seed)
    await createRecordTables(db)
    await given(db, 'link.source_traits', [
      { source_id: 'roll', is_duplicate_free: true, is_household_like: false },
    ])
    await given(db, 'link.records', world.take(120))
    const { model: trained } = await linkRecords(db, { threads: 1, today: TODAY })
    // So low a limit that blocks are split and made whole again in every night; so high a prior that there are edges.
    const model: LinkModel = { ...trained, block_limit: 7, match_probability: 0.05 }
    await linkRecords(db, { threads: 1, today: TODAY, model })
    for (let night = 0; night < 4; night++) {
      for (const record_id of world.withdraw(night === 2 ? 40 : 8)) {
        await db.run('delete from link.records where record_id = $record_id', { record_id })
      }
      const changed = world.change(5)
      for (const row of changed)
        await db.run('delete from link.records where record_id = $id', { id: row['record_id'] as string })
      await given(db, 'link.records', [...changed, ...world.take(12)])
      await linkChanges(db, model, await loadTerms(db, model), { threads: 1 })
      const after = await state(db)
      await linkRecords(db, { threads: 1, today: TODAY, model })
      const whole = await state(db)
      expect(after.edges).toEqual(whole.edges)
      expect(after.clusters).toEqual(whole.clusters)
      expect(after.oversized).toEqual(whole.oversized)
      expect(after.edges.length).toBeGreaterThan(10)
    }
  })
})

async function state(
  db: DuckDBConnection,
): Promise<{ edges: unknown[]; clusters: unknown[]; oversized: unknown[] }> {
  return {
    edges: await rowsOf(
      db,
      `select least(l.record_id, r.record_id) as a, greatest(l.record_id, r.record_id) as b, e.bits from link.pair_edges as e
      join link.coded_records as l on l.record_number = e.left_number
      join link.coded_records as r on r.record_number = e.right_number order by 1, 2`,
    ),
    clusters: await rowsOf(
      db,
      `select c.record_id, k.record_id as cluster, m.record_id is not null as has_component from link.groups as g
      join link.coded_records as c on c.record_number = g.record_number
      join link.coded_records as k on k.record_number = g.cluster
      left join link.coded_records as m on m.record_number = g.component order by 1`,
    ),
    oversized: await rowsOf(db, 'select node, key from link.oversized_keys order by 1, 2'),
  }
}
