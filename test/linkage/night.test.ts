import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { linkRecords } from '../../src/linkage/link-records.ts'
import type { LinkModel } from '../../src/linkage/model.ts'
import { linkChanges } from '../../src/linkage/night.ts'
import { createRecordTables } from '../../src/linkage/records.ts'
import { withFolder } from '../support/folder.ts'
import { given, rowsOf, withWarehouse } from '../support/warehouse.ts'
import { randomMentions } from './random-mentions.ts'

const TODAY = '2026-01-01'

test.each([1, 2, 3, 4, 5, 6])('nights of history %i end as linking everything ends', async (seed) => {
  await withFolder(async (folder) =>
    withWarehouse(async (db) => {
      const stateFile = join(folder, 'link-model.state.bin')
      const world = randomMentions(seed)
      await createRecordTables(db)
      await given(db, 'link.source_traits', [
        { source_id: 'roll', is_duplicate_free: true, is_household_like: false },
      ])
      await given(db, 'link.records', world.take(120))
      const { model: trained } = await linkRecords(db, { threads: 1, today: TODAY })
      // So low a limit that blocks are split and made whole again in every night; so high a prior that there are edges.
      const model: LinkModel = { ...trained, block_limit: 7, match_probability: 0.05 }
      await linkRecords(db, { threads: 1, today: TODAY, model, stateFile })
      for (let night = 0; night < 4; night++) {
        for (const record_id of world.withdraw(night === 2 ? 40 : 8)) {
          await db.run('delete from link.records where record_id = $record_id', { record_id })
        }
        const changed = world.change(5)
        for (const row of changed)
          await db.run('delete from link.records where record_id = $id', { id: row['record_id'] as string })
        await given(db, 'link.records', [...changed, ...world.take(12)])
        expect(await linkChanges(db, model, { threads: 1, stateFile })).toBeDefined()
        const after = await state(db)
        expect(after).toEqual(await linkedAnew(db, model, folder))
        expect(after.edges.length).toBeGreaterThan(10)
      }
    }),
  )
})

test('a night without the state of the one before does nothing and says so', async () => {
  await withFolder(async (folder) =>
    withWarehouse(async (db) => {
      const stateFile = join(folder, 'link-model.state.bin')
      const world = randomMentions(9)
      await createRecordTables(db)
      await given(db, 'link.records', world.take(60))
      const { model } = await linkRecords(db, { threads: 1, today: TODAY, stateFile })
      await given(db, 'link.records', world.take(5))
      // As after a run that wrote its file and was killed before its tables were there.
      await db.run(`update link.state_file set token = 'another'`)
      expect(await linkChanges(db, model, { threads: 1, stateFile })).toBeUndefined()
      expect(await rowsOf(db, 'select count(*)::integer as n from link.coded_records')).toEqual([{ n: 60 }])
    }),
  )
})

// In a warehouse of its own, so that the nights go on from nights.
async function linkedAnew(db: DuckDBConnection, model: LinkModel, folder: string): Promise<State> {
  const tables = ['records', 'source_traits', 'term_counts']
  for (const table of tables) await db.run(`copy link.${table} to '${join(folder, table)}.parquet'`)
  return withWarehouse(async (other) => {
    for (const table of tables)
      await other.run(`create table link.${table} as from '${join(folder, table)}.parquet'`)
    await linkRecords(other, { threads: 1, today: TODAY, model })
    return state(other)
  })
}

interface State {
  readonly edges: unknown[]
  readonly clusters: unknown[]
  readonly oversized: unknown[]
  readonly dropped: unknown[]
}

async function state(db: DuckDBConnection): Promise<State> {
  return {
    edges: await rowsOf(
      db,
      `select least(l.record_id, r.record_id) as a, greatest(l.record_id, r.record_id) as b, e.bits from link.pair_edges as e
      join link.coded_records as l on l.record_number = e.left_number
      join link.coded_records as r on r.record_number = e.right_number order by 1, 2`,
    ),
    clusters: await rowsOf(
      db,
      `select c.record_id, min(c.record_id) over (partition by cluster) as cluster,
        min(c.record_id) over (partition by component) as component
      from link.groups as g join link.coded_records as c using (record_number) order by 1`,
    ),
    oversized: await rowsOf(db, 'select node, key from link.oversized_keys order by 1, 2'),
    dropped: await rowsOf(
      db,
      `select node, key, record_count from link.dropped_blocks
      semi join link.coded_records using (record_number) order by 1, 2`,
    ),
  }
}
