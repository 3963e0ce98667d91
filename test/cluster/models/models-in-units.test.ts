import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLocalEngine } from '../../../src/cluster/local-engine.ts'
import { unitBuilder } from '../../../src/cluster/models/unit-builder.ts'
import { loadModels } from '../../../src/warehouse/models.ts'
import { LAYERS, openWarehouse } from '../../../src/warehouse/open.ts'
import { withFolder } from '../../support/folder.ts'
import { randomStaging } from '../../support/random-staging.ts'
import { afterFirstNight } from '../../support/sample-nights.ts'
import { withPublished } from '../../support/staged-world.ts'
import { rowsOf } from '../../support/warehouse.ts'
import { runHere } from '../support.ts'

/** These tests build about 50 tables in units, each with several steps. */
const LONG = { timeout: 600_000 }
const SMALL = { memoryLimit: '500MB', threads: 1 }
const TABLES = { normalize: 31, link: 2, publish: 20 } as const

/** Builds all tables of `db` in units, and compares them with those of the catalogue `embedded`. */
async function expectEqual(db: DuckDBConnection, work: string, units: number): Promise<void> {
  const build = unitBuilder({
    work,
    units,
    openEngine: async (folder) =>
      openLocalEngine({ folder, ...SMALL, run: async (stage) => runHere(folder, stage) }),
  })
  for (const [step, tables] of Object.entries(TABLES)) {
    const built = await build(db, step)
    expect(built.size, step).toBe(tables)
    for (const [table, rows] of built) {
      const [found] = await rowsOf(
        db,
        `select (select count(*) from embedded.${table})::integer as embedded, (select count(*) from ${table})::integer as units,
           (select count(*) from (from embedded.${table} except all from ${table}))::integer as missing`,
      )
      expect({ table, ...found }).toEqual({ table, embedded: rows, units: rows, missing: 0 })
    }
  }
}

test('tables built in two units equal those of an embedded run, on the sample', LONG, async () => {
  const embedded = join(await afterFirstNight(), 'warehouse/warehouse.duckdb')
  await withFolder(async (folder) => {
    const own = join(folder, 'own.duckdb')
    await copyFile(embedded, own)
    const warehouse = await openWarehouse(own, SMALL)
    try {
      await warehouse.db.run(`attach '${embedded}' as embedded (read_only)`)
      await expectEqual(warehouse.db, join(folder, 'work'), 2)
    } finally {
      await warehouse.close()
    }
  })
})

test('tables built in units equal those of an embedded run, on a random small world', LONG, async () => {
  const built = (await loadModels()).map(({ name }) => name)
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 3 }), async (seed, units) => {
      await withPublished(randomStaging(seed, 40), async (db) => {
        await db.run("attach ':memory:' as embedded")
        for (const layer of LAYERS) await db.run(`create schema embedded.${layer}`)
        const dictionaries = ['name_dictionary', 'name_people', 'address_dictionary', 'phone_dictionary', 'email_dictionary'] // prettier-ignore
        for (const table of [...built, ...dictionaries.map((name) => `normal.${name}`)])
          await db.run(`create table embedded.${table} as from ${table}`)
        await withFolder(async (folder) => expectEqual(db, folder, units))
      })
    }),
    { numRuns: 1 },
  )
})
