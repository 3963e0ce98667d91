import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, truncate, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { withFolder } from '../support/folder.ts'

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

test('a warehouse that is no file is not called locked or damaged', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'warehouse.duckdb')
    await mkdir(path)
    await expect(openWarehouse(path, OPTIONS)).rejects.not.toMatchObject({ code: 'warehouse_locked' })
  })
})
