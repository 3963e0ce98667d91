import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unitBuilder } from '../../../src/cluster/models/unit-builder.ts'
import { openLocalEngine } from '../../../src/cluster/local-engine.ts'
import { openWarehouse } from '../../../src/warehouse/open.ts'
import { withFolder } from '../../support/folder.ts'
import { afterFirstNight } from '../../support/sample-nights.ts'
import { rowsOf } from '../../support/warehouse.ts'
import { runHere } from '../support.ts'

/** Builds about 60 tables in units, each with several steps. */
const LONG = { timeout: 300_000 }
const SMALL = { memoryLimit: '500MB', threads: 1 }

test('tables built in units equal those of an embedded run, on the sample', LONG, async () => {
  const embedded = join(await afterFirstNight(), 'warehouse/warehouse.duckdb')
  await withFolder(async (path) => {
    const own = join(path, 'own.duckdb')
    await copyFile(embedded, own)
    const warehouse = await openWarehouse(own, SMALL)
    const { db } = warehouse
    const build = unitBuilder({
      work: join(path, 'work'),
      units: 5,
      openEngine: (folder) =>
        openLocalEngine({ folder, ...SMALL, run: (stage) => runHere(folder, stage) }),
    })
    try {
      await db.run(`attach '${embedded}' as embedded (read_only)`)
      for (const [step, tables] of [['normalize', 31], ['link', 2], ['publish', 20]] as const) {
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
    } finally {
      await warehouse.close()
    }
  })
}) // prettier-ignore
