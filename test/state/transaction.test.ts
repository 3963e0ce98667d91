import { expect, test } from 'vitest'
import type { Database } from '../../src/state/database.ts'
import { withFolder } from '../support/folder.ts'
import { newStatePlace, openPlace } from '../support/state-place.ts'

async function withNumbers(body: (db: Database, path: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const path = await newStatePlace(folder)
    const db = await openPlace(path)
    await db.exec('create table numbers (n integer)')
    try {
      await body(db, path)
    } finally {
      await db.close()
    }
  })
}

const add = (db: Database, n: number) => db.run('insert into numbers values (?)', n)
const kept = async (db: Database) => (await db.all('select n from numbers order by n')).map((row) => row['n'])

test('a transaction is written whole or not at all, and one inside of it is part of it', async () => {
  await withNumbers(async (db) => {
    expect(await db.transaction(async () => add(db, 1))).toEqual({ changes: 1 })
    const failing = db.transaction(async () => {
      await add(db, 2)
      await db.transaction(() => add(db, 3))
      throw new Error('stopped')
    })
    await expect(failing).rejects.toThrow('stopped')
    expect(await kept(db)).toEqual([1])
    // SQLite has already ended the transaction. The cause is still thrown.
    const ended = db.transaction(async () => {
      await db.exec('rollback')
      throw new Error('ended inside')
    })
    await expect(ended).rejects.toThrow('ended inside')
    await add(db, 4)
    expect(await kept(db)).toEqual([1, 4])
  })
})

test('statements from outside wait for the transaction, and those after it do not belong to it', async () => {
  await withNumbers(async (db) => {
    const step = Promise.withResolvers<void>()
    let late: Promise<unknown> = Promise.resolve()
    const failing = db.transaction(async () => {
      await add(db, 1)
      late = step.promise.then(() => add(db, 3))
      throw new Error('stopped')
    })
    const outside = add(db, 2)
    const second = db.transaction(async () => {
      const before = await kept(db)
      await add(db, 4)
      return before
    })
    await expect(failing).rejects.toThrow('stopped')
    await outside
    await second
    step.resolve()
    await late
    expect(await kept(db)).toEqual([2, 3, 4])
  })
})

test('a transaction waits for one of another connection of this process without blocking it', async () => {
  await withNumbers(async (db, path) => {
    const other = await openPlace(path)
    const step = Promise.withResolvers<void>()
    const first = db.transaction(async () => {
      await add(db, 1)
      await step.promise
    })
    const second = other.transaction(() => add(other, 2))
    const single = add(other, 3)
    step.resolve()
    await Promise.all([first, second, single])
    await other.close()
    expect(await kept(db)).toEqual([1, 2, 3])
  })
})
