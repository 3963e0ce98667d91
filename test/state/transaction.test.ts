import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { inTransaction } from '../../src/state/transaction.ts'

test('a transaction is written whole or not at all, and one inside of it is part of it', () => {
  const db = new DatabaseSync(':memory:')
  db.exec('create table numbers (n integer)')
  const add = (n: number): void => void db.prepare('insert into numbers values (?)').run(n)
  const kept = () => db.prepare('select n from numbers order by n').all().map((row) => row['n']) // prettier-ignore
  expect(inTransaction(db, () => (add(1), 'result'))).toBe('result')
  expect(db.isTransaction).toBe(false)
  expect(() =>
    inTransaction(db, () => {
      add(2)
      inTransaction(db, () => add(3))
      expect(db.isTransaction).toBe(true)
      throw new Error('stopped')
    }),
  ).toThrow('stopped')
  expect(db.isTransaction).toBe(false)
  expect(kept()).toEqual([1])
  // SQLite has already ended the transaction. The cause is still thrown.
  expect(() =>
    inTransaction(db, () => {
      db.exec('rollback')
      throw new Error('ended inside')
    }),
  ).toThrow('ended inside')
  db.close()
})
