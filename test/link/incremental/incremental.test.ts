import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { linkAllRecords } from '../../../src/link/run.ts'
import type { LinkModel } from '../../../src/link/model/model.ts'
import { linkChanges } from '../../../src/link/incremental/incremental.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { withFolder } from '../../support/folder.ts'
import { given, rowsOf, withWarehouse } from '../../support/warehouse.ts'
import { randomMentions } from '../records/random-mentions.ts'

const TODAY = '2026-01-01'

/** A warehouse with the first `count` records of a world, not linked yet, and a folder for the state. */
async function withMentions(
  seed: number,
  count: number,
  body: (start: {
    readonly db: DuckDBConnection
    readonly folder: string
    readonly stateFolder: string
    readonly world: ReturnType<typeof randomMentions>
  }) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) =>
    withWarehouse(async (db) => {
      const world = randomMentions(seed)
      await createRecordTables(db)
      await given(db, 'link.records', world.take(count))
      await body({ db, folder, stateFolder: join(folder, 'link-model.state'), world })
    }),
  )
}

test.each([1, 2, 3, 4, 5, 6])(
  'incremental runs of history %i end as a full run by the same model ends',
  async (seed) => {
    await withMentions(seed, 120, async ({ db, folder, stateFolder, world }) => {
      await given(db, 'link.source_traits', [
        { source_id: 'roll', is_duplicate_free: true, is_household_like: false },
      ])
      const { model: trained } = await linkAllRecords(db, { threads: 1, today: TODAY })
      expect(trained.attributes.length > 4).toBe(seed % 2 === 0)
      // The low limit makes runs split blocks and compare split blocks whole again. The high prior gives enough edges.
      const model: LinkModel = { ...trained, block_limit: 7, match_probability: 0.05 }
      await linkAllRecords(db, { threads: 1, today: TODAY, model, stateFolder })
      for (let run = 0; run < 6; run++) {
        for (const record_id of world.withdraw(run === 2 ? 40 : 4)) {
          await db.run('delete from link.records where record_id = $record_id', { record_id })
        }
        const changed = world.change(3)
        for (const row of changed)
          await db.run('delete from link.records where record_id = $id', { id: row['record_id'] as string })
        await given(db, 'link.records', [...changed, ...world.take(6)])
        expect(await linkChanges(db, model, { threads: 1, stateFolder })).not.toHaveProperty('fault')
        const after = await state(db)
        expect(after).toEqual(await linkedAnew(db, model, folder))
        expect(after.edges.length).toBeGreaterThan(10)
      }
    })
  },
)

test('components without a change keep their clusters and are not decided again', async () => {
  await withMentions(12, 200, async ({ db, folder, stateFolder, world }) => {
    const { model } = await linkAllRecords(db, { threads: 1, today: TODAY, stateFolder })
    await given(db, 'link.records', world.take(1))
    const run = await linkChanges(db, model, { threads: 1, stateFolder })
    const [clusters] = await rowsOf(
      db,
      'select count(*)::integer as records, count(distinct cluster)::integer as clusters from link.groups',
    )
    expect(run).toMatchObject({ added: 1 })
    expect((run as { decided: number }).decided).toBeLessThan(Number(clusters!['records']) / 2)
    expect(Number(clusters!['clusters'])).toBeLessThan(Number(clusters!['records']))
    expect(await state(db)).toEqual(await linkedAnew(db, model, folder))
  })
})

test('an incremental run goes on from the last run that ended, though a run between them was killed', async () => {
  await withMentions(11, 90, async ({ db, folder, stateFolder, world }) => {
    const { model } = await linkAllRecords(db, { threads: 1, today: TODAY, stateFolder })
    for (const newcomers of [4, 3, 5]) {
      await given(db, 'link.records', world.take(newcomers))
      await db.run('begin')
      await linkChanges(db, model, { threads: 1, stateFolder })
      // The state is written; the tables stay as they were.
      await db.run('rollback')
      expect(await linkChanges(db, model, { threads: 1, stateFolder })).toMatchObject({ added: newcomers })
      expect(await state(db)).toEqual(await linkedAnew(db, model, folder))
    }
    // The next run removes the state of a killed run.
    expect((await readdir(stateFolder)).length).toBeLessThanOrEqual(2)
  })
})

test('an incremental run whose last state is cut off changes nothing and returns the fault', async () => {
  await withMentions(9, 60, async ({ db, stateFolder, world }) => {
    const { model } = await linkAllRecords(db, { threads: 1, today: TODAY, stateFolder })
    await given(db, 'link.records', world.take(5))
    const [name] = await readdir(stateFolder)
    const file = join(stateFolder, name!)
    await truncate(file, (await stat(file)).size - 100)
    expect(await linkChanges(db, model, { threads: 1, stateFolder })).toEqual({
      fault: expect.stringMatching(/is cut off/) as string,
    })
    expect(await rowsOf(db, 'select count(*)::integer as n from link.coded_records')).toEqual([{ n: 60 }])
  })
})

test('an incremental run that cannot store its numbers fails whole, and the next one goes on', async () => {
  await withMentions(14, 60, async ({ db, folder, stateFolder, world }) => {
    const { model } = await linkAllRecords(db, { threads: 1, today: TODAY, stateFolder })
    await given(db, 'link.records', world.take(5))
    await db.run('begin')
    await db.run('alter table link.coded_records add column other integer')
    await expect(linkChanges(db, model, { threads: 1, stateFolder })).rejects.toMatchObject({
      code: 'model_failed',
    })
    await db.run('rollback')
    expect(await linkChanges(db, model, { threads: 1, stateFolder })).toMatchObject({ added: 5 })
    expect(await state(db)).toEqual(await linkedAnew(db, model, folder))
  })
})

// In another warehouse, so that each incremental run goes on from an incremental run.
async function linkedAnew(db: DuckDBConnection, model: LinkModel, folder: string): Promise<State> {
  const tables = ['records', 'source_traits', 'term_counts']
  for (const table of tables) await db.run(`copy link.${table} to '${join(folder, table)}.parquet'`)
  return withWarehouse(async (other) => {
    for (const table of tables)
      await other.run(`create table link.${table} as from '${join(folder, table)}.parquet'`)
    await linkAllRecords(other, { threads: 1, today: TODAY, model })
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
