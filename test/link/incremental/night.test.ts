import { readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { numberedRules, type RuleNode } from '../../../src/link/block/block-keys.ts'
import { IndexReader } from '../../../src/link/incremental/key-index.ts'
import { linkRecords } from '../../../src/link/run.ts'
import type { LinkModel } from '../../../src/link/model/model.ts'
import { linkChanges } from '../../../src/link/incremental/night.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { withFolder } from '../../support/folder.ts'
import { given, rowsOf, withWarehouse } from '../../support/warehouse.ts'
import { randomMentions } from '../records/random-mentions.ts'

const TODAY = '2026-01-01'

/** A warehouse with the first `count` mentions of a world, not linked yet, and a folder for what nights keep. */
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

test.each([1, 2, 3, 4, 5, 6])('nights of history %i end as linking everything ends', async (seed) => {
  await withMentions(seed, 120, async ({ db, folder, stateFolder, world }) => {
    await given(db, 'link.source_traits', [
      { source_id: 'roll', is_duplicate_free: true, is_household_like: false },
    ])
    const { model: trained } = await linkRecords(db, { threads: 1, today: TODAY })
    expect(trained.attributes.length > 4).toBe(seed % 2 === 0)
    // So low a limit that blocks are split and made whole again in every night; so high a prior that there are edges.
    const model: LinkModel = { ...trained, block_limit: 7, match_probability: 0.05 }
    await linkRecords(db, { threads: 1, today: TODAY, model, stateFolder })
    const isWhole = new Set<boolean>()
    for (let night = 0; night < 5; night++) {
      for (const record_id of world.withdraw(night === 2 ? 40 : 4)) {
        await db.run('delete from link.records where record_id = $record_id', { record_id })
      }
      const changed = world.change(3)
      for (const row of changed)
        await db.run('delete from link.records where record_id = $id', { id: row['record_id'] as string })
      await given(db, 'link.records', [...changed, ...world.take(6)])
      expect(await linkChanges(db, model, { threads: 1, stateFolder })).toBeDefined()
      const after = await state(db, stateFolder)
      expect(after).toEqual(await linkedAnew(db, model, folder))
      expect(after.edges.length).toBeGreaterThan(10)
      isWhole.add((await rowsOf(db, 'select since from link.state_runs'))[0]?.['since'] === null)
    }
    // Some nights added to what was kept, some wrote it anew.
    expect(isWhole).toEqual(new Set([true, false]))
  })
})

test('a night goes on from the last that ended, though one between them was killed', async () => {
  await withMentions(11, 90, async ({ db, folder, stateFolder, world }) => {
    const { model } = await linkRecords(db, { threads: 1, today: TODAY, stateFolder })
    for (const newcomers of [4, 3, 5]) {
      await given(db, 'link.records', world.take(newcomers))
      await db.run('begin')
      await linkChanges(db, model, { threads: 1, stateFolder })
      // All files are written; the tables stay as they were.
      await db.run('rollback')
      expect(await linkChanges(db, model, { threads: 1, stateFolder })).toMatchObject({ come: newcomers })
      expect(await state(db, stateFolder)).toEqual(await linkedAnew(db, model, folder))
    }
    // What the killed nights left is gone but for the last, which the next night removes.
    expect((await readdir(stateFolder)).length).toBeLessThanOrEqual(3)
  })
})

test.each([
  [
    'of another run',
    async (db: DuckDBConnection) => void (await db.run(`update link.state_runs set base = 'another'`)),
  ],
  [
    'cut off',
    async (_: DuckDBConnection, stateFolder: string) => {
      const [run] = await readdir(stateFolder)
      const file = join(stateFolder, run!, 'mentions.bin')
      await truncate(file, (await stat(file)).size - 100)
    },
  ],
  [
    'without its keys',
    async (_: DuckDBConnection, stateFolder: string) => {
      const [run] = await readdir(stateFolder)
      await rm(join(stateFolder, run!, 'rule-3.bin'))
    },
  ],
])('a night whose last state is %s does nothing and says so', async (_, damage) => {
  await withMentions(9, 60, async ({ db, stateFolder, world }) => {
    const { model } = await linkRecords(db, { threads: 1, today: TODAY, stateFolder })
    await given(db, 'link.records', world.take(5))
    await damage(db, stateFolder)
    expect(await linkChanges(db, model, { threads: 1, stateFolder })).toBeUndefined()
    expect(await rowsOf(db, 'select count(*)::integer as n from link.coded_records')).toEqual([{ n: 60 }])
  })
})

test('a night that cannot keep its numbers fails whole, and goes on when it can', async () => {
  await withMentions(14, 60, async ({ db, folder, stateFolder, world }) => {
    const { model } = await linkRecords(db, { threads: 1, today: TODAY, stateFolder })
    await given(db, 'link.records', world.take(5))
    await db.run('begin')
    await db.run('alter table link.coded_records add column other integer')
    await expect(linkChanges(db, model, { threads: 1, stateFolder })).rejects.toMatchObject({
      code: 'model_failed',
    })
    await db.run('rollback')
    expect(await linkChanges(db, model, { threads: 1, stateFolder })).toMatchObject({ come: 5 })
    expect(await state(db, stateFolder)).toEqual(await linkedAnew(db, model, folder))
  })
})

test('a newcomer with more telephones than there was room for is read like any other', async () => {
  await withMentions(15, 60, async ({ db, folder, stateFolder, world }) => {
    const { model } = await linkRecords(db, { threads: 1, today: TODAY, stateFolder })
    const phones = Array.from({ length: 4_000 }, (_, k) => `30555${String(k).padStart(5, '0')}`)
    const [row, ...others] = world.take(5)
    await given(db, 'link.records', [{ ...row, phones }, ...others])
    expect(await linkChanges(db, model, { threads: 1, stateFolder })).toMatchObject({ come: 5 })
    expect(await state(db, stateFolder)).toEqual(await linkedAnew(db, model, folder))
  })
})

// In a warehouse of its own, so that the nights go on from nights.
async function linkedAnew(db: DuckDBConnection, model: LinkModel, folder: string): Promise<State> {
  const tables = ['records', 'source_traits', 'term_counts']
  for (const table of tables) await db.run(`copy link.${table} to '${join(folder, table)}.parquet'`)
  return withWarehouse(async (other) => {
    for (const table of tables)
      await other.run(`create table link.${table} as from '${join(folder, table)}.parquet'`)
    const stateFolder = join(folder, 'anew.state')
    await linkRecords(other, { threads: 1, today: TODAY, model, stateFolder })
    return state(other, stateFolder)
  })
}

interface State {
  readonly edges: unknown[]
  readonly clusters: unknown[]
  readonly oversized: unknown[]
  readonly dropped: unknown[]
  /** What the next night looks its keys up in. */
  readonly keys: string[]
}

async function state(db: DuckDBConnection, stateFolder: string): Promise<State> {
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
    keys: await keptKeys(db, stateFolder),
  }
}

async function keptKeys(db: DuckDBConnection, stateFolder: string): Promise<string[]> {
  const [{ base, since }] = z
    .tuple([z.object({ base: z.string(), since: z.string().nullable() })])
    .parse(await rowsOf(db, 'select base, since from link.state_runs'))
  const records = await rowsOf(db, 'select record_number, record_id from link.coded_records')
  const idOf = new Map(records.map((row) => [Number(row['record_number']), row['record_id'] as string]))
  const folders = {
    base: join(stateFolder, base),
    since: since === null ? undefined : join(stateFolder, since),
  }
  return numberedRules()
    .flatMap((rule, number) => {
      const reader = new IndexReader(folders, number)
      const found = nodesOf(rule).flatMap(({ node }) => {
        const { keys, records: numbers } = reader.read(node).wholeAfter(reader.changes(node))
        return Array.from(keys, (key, k) => `${node} ${key} ${idOf.get(numbers[k]!)}`)
      })
      reader.close()
      return found
    })
    .sort()
}

function nodesOf(rule: RuleNode): RuleNode[] {
  return [rule, ...rule.children.flatMap(nodesOf)]
}
