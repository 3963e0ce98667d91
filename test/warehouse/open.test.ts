import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, truncate, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { statementFault } from '../../src/warehouse/faults.ts'
import { execute } from '../../src/warehouse/query.ts'
import { withFolder } from '../support/folder.ts'
import { mountDisk } from '../support/small-disk.ts'

const OPTIONS = { memoryLimit: '512MB', threads: 1 }

/** A warehouse file with a table in it. */
async function withWarehouseFile(body: (path: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const path = join(folder, 'warehouse.duckdb')
    const warehouse = await openWarehouse(path, OPTIONS)
    await warehouse.db.run('create table raw.rows as select range as n from range(100000)')
    await warehouse.close()
    await body(path)
  })
}

async function overwrite(path: string, at: number, bytes: number): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(bytes, 0xff), 0, bytes, at)
  await file.close()
}

test.each<[string, (path: string) => Promise<void>]>([
  ['its first header overwritten', (path) => overwrite(path, 8, 64)],
  ['its block headers overwritten', (path) => overwrite(path, 4096, 9_000)],
  ['only its first half', (path) => truncate(path, 100_000)],
  ['no bytes', (path) => truncate(path, 0)],
  ['another content', (path) => writeFile(path, 'a block of text without any lock\n'.repeat(1000))],
])('a warehouse with %s is called damaged, and rebuild is named', async (_, spoil) => {
  await withWarehouseFile(async (path) => {
    await spoil(path)
    const opening = openWarehouse(path, OPTIONS)
    await expect(opening).rejects.toMatchObject({ code: 'warehouse_damaged' })
    await expect(opening).rejects.toThrow(/warehouse.duckdb is damaged.*platbook rebuild/)
  })
})

test('a warehouse that another process has open is called in use', async () => {
  await withWarehouseFile(async (path) => {
    const engine = createRequire(import.meta.url).resolve('@duckdb/node-api')
    const code = `const { DuckDBInstance } = require(${JSON.stringify(engine)});
      DuckDBInstance.create(${JSON.stringify(path)}).then(() => console.log('open'));
      process.stdin.resume()`
    const holder = spawn(process.execPath, ['--input-type=commonjs', '-e', code], { stdio: 'pipe' })
    try {
      await once(holder.stdout, 'data')
      await expect(openWarehouse(path, OPTIONS)).rejects.toMatchObject({ code: 'warehouse_locked' })
    } finally {
      holder.stdin.end()
      holder.kill()
      await once(holder, 'exit')
    }
  })
})

// How much a run takes beyond its limit is measured by test/slow/ingest.test.ts.
test('the allocator gives freed memory back beside the statements', async () => {
  const warehouse = await openWarehouse(':memory:', OPTIONS)
  try {
    const read = await warehouse.db.runAndReadAll(
      `select current_setting('allocator_background_threads') as is_on`,
    )
    expect(read.getRowObjects()).toEqual([{ is_on: true }])
  } finally {
    await warehouse.close()
  }
})

test('a warehouse that is no file is not called locked or damaged', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'warehouse.duckdb')
    await mkdir(path)
    await expect(openWarehouse(path, OPTIONS)).rejects.not.toMatchObject({ code: 'warehouse_locked' })
  })
})

const FULL = {
  code: 'disk_full',
  message: expect.stringMatching(
    /^the disk of \S+ is full: a run may need \d+ MB .*, but 0 MB are free\. Free that much/,
  ) as unknown,
}

test('a full disk is said so by each statement behind it, by the close and by the next opening, and nothing is lost', async (context) => {
  await withFolder(async (folder) => {
    const disk = mountDisk(folder, 60_000)
    if (disk === null) {
      context.skip()
      return
    }
    try {
      const path = join(folder, 'warehouse.duckdb')
      const warehouse = await openWarehouse(path, OPTIONS)
      const { db } = warehouse
      await execute(db, 'create table raw.rows as select range as n, random() as r from range(500000)')
      await disk.fill()
      const failing = async (sql: string): Promise<void> => {
        const cause: unknown = await execute(db, sql).then(() => null, (error: unknown) => error) // prettier-ignore
        expect(statementFault(path, cause), sql).toMatchObject(FULL)
      }
      await failing('create table raw.more as select range as n, random() as r from range(3000000)')
      await failing('checkpoint')
      // DuckDB's own words are that the database was invalidated, as of a damaged one.
      await failing('select * from raw.rows')
      await expect(warehouse.close()).rejects.toMatchObject(FULL)
      await expect(openWarehouse(path, OPTIONS)).rejects.toMatchObject(FULL)
      await disk.free()
      const again = await openWarehouse(path, OPTIONS)
      const rows = await again.db.runAndReadAll('select count(*)::integer from raw.rows')
      expect(rows.getRows()).toEqual([[500_000]])
      await again.close()
    } finally {
      disk.unmount()
    }
  })
})
