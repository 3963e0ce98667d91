import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { readArrays, writeArrays } from '../../../src/link/incremental/array-file.ts'
import { keepState, lastState, type LinkState } from '../../../src/link/incremental/state.ts'
import { withFolder } from '../../support/folder.ts'
import { rowsOf, withWarehouse } from '../../support/warehouse.ts'
import { recordsOf } from '../records/plain-records.ts'

const { sources: _sources, ...records } = recordsOf([
  { first: 'MARY', last: 'NOWAK', others: ['SMITH'], emails: ['mary@example.com'], identifiers: { voter: '100234' } },
  { first: 'MARY', last: 'SMITH', addresses: [{ street: 'ELM ST', zip: '32999' }], traits: { trade: 'CLERK' } },
]) // prettier-ignore
const STATE: LinkState = {
  records,
  edges: { count: 1, left: Int32Array.of(0), right: Int32Array.of(1), bits: Float64Array.of(3.25) },
  smallest: Int32Array.of(0, 0),
  oversized: { nodes: Int32Array.of(4), keys: Int32Array.of(-77) },
}

async function withState(body: (db: DuckDBConnection, folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) =>
    withWarehouse(async (db) => {
      await db.run('create schema if not exists link')
      await body(db, join(folder, 'state'))
    }),
  )
}

async function storedName(db: DuckDBConnection): Promise<string> {
  return String((await rowsOf(db, 'from link.state_file'))[0]!['name'])
}

test('a state comes back as it was kept', async () => {
  await withState(async (db, folder) => {
    await keepState(db, folder, STATE)
    expect(await lastState(db, folder)).toEqual(STATE)
  })
})

test('the folder keeps the files of the last two states', async () => {
  await withState(async (db, folder) => {
    const names: string[] = []
    for (let run = 0; run < 3; run++) {
      await keepState(db, folder, { ...STATE, smallest: Int32Array.of(0, run) })
      names.push(await storedName(db))
    }
    await writeFile(join(folder, 'of-a-killed-run.partial'), '')
    await keepState(db, folder, STATE)
    expect((await readdir(folder)).sort()).toEqual([names[2]!, await storedName(db)].sort())
    expect(await lastState(db, folder)).toEqual(STATE)
  })
})

test('a warehouse without a state, and a state without its folder or file, are told apart', async () => {
  await withState(async (db, folder) => {
    expect(await lastState(db, folder)).toBe(`the warehouse names no state of the last run in ${folder}`)
    await keepState(db, folder, STATE)
    expect(await lastState(db, `${folder}-moved`)).toBe(`${folder}-moved is missing`)
    await db.run(`update link.state_file set name = 'other.bin'`)
    expect(await lastState(db, folder)).toBe(`${join(folder, 'other.bin')} is missing`)
  })
})

test.each([
  ['another version', { version: 5 }],
  ['other rules', { rules: 0 }],
])('a state of %s is not read', async (_, change) => {
  await withState(async (db, folder) => {
    await keepState(db, folder, STATE)
    const file = join(folder, await storedName(db))
    const { about, arrays } = readArrays(file)
    writeArrays(file, { ...(about as object), ...change }, arrays)
    expect(await lastState(db, folder)).toBe(`${file} was written by another version of Platbook`)
  })
})
