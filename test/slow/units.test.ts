import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { currentSnapshot } from '../../src/lookup/format/current.ts'
import { PUBLISHED_TABLES } from '../../src/publish/tables.ts'
import { quotedLiteral } from '../../src/warehouse/query.ts'
import { runCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'
import { afterBothNights, afterFirstNight } from '../support/sample-nights.ts'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'

const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url))

test('a night in units publishes what an embedded night does', async () => {
  await withFolder(async (data) => {
    await cp(await afterFirstNight(), data, { recursive: true })
    await cp(join(SAMPLE, 'day-2'), join(data, 'landing', 'day-2'), { recursive: true })
    const ended = await runCommand(['nightly', '--data', data, '--engine', 'units', '--units', '3'])
    expect(ended, ended.stderr).toMatchObject({ code: 0 })
    const embedded = await afterBothNights()
    await withWarehouse(async (db) => {
      for (const table of Object.keys(PUBLISHED_TABLES))
        expect(await contentOf(db, data, table), table).toEqual(await contentOf(db, embedded, table))
    })
    expect(await readdir(join(data, 'work'))).toEqual([])
  })
}, 600_000)

/** The rows of a published table, and a hash over them, whatever their order. */
async function contentOf(db: DuckDBConnection, data: string, table: string): Promise<unknown> {
  const snapshot = await currentSnapshot(join(data, 'snapshots'))
  const file = quotedLiteral(join(snapshot!.folder, 'tables', `${table}.parquet`))
  return rowsOf(
    db,
    `select count(*)::integer as rows, bit_xor(hash(t))::varchar as hash from read_parquet(${file}) as t`,
  )
}
