import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { dropChanges, findChanges, listChanges } from '../../../src/link/incremental/find-changes.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { given, rowsOf, withWarehouse } from '../../support/warehouse.ts'

/** Calls `body` with records a to e that a run has linked, under the numbers 10 to 14. */
async function withLinked(body: (db: DuckDBConnection) => Promise<void>): Promise<void> {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    const records = ['a', 'b', 'c', 'd', 'e'].map((record_id) => ({ record_id, source_id: 'roll', last_name: 'NOWAK' })) // prettier-ignore
    await given(db, 'link.records', records)
    await db.run(`create table link.coded_records as
      select (9 + row_number() over (order by record_id))::integer as record_number, record_id, 0::ubigint as id_hash, content from link.records`)
    await body(db)
  })
}

async function idsOf(db: DuckDBConnection, table: string): Promise<unknown[]> {
  const rows = await rowsOf(db, `select record_id from ${table} order by 1`)
  return rows.map(({ record_id }) => record_id)
}

test('a changed record is added and removed; a removed and an added one count once', async () => {
  await withLinked(async (db) => {
    await db.run(`delete from link.records where record_id in ('a', 'd')`)
    await db.run(`update link.records set last_name = 'NOVAK' where record_id = 'b'`)
    await given(db, 'link.records', [{ record_id: 'f', source_id: 'roll', last_name: 'NOWAK' }])
    expect(await findChanges(db)).toEqual({ added: 2, removed: 3 })
    expect(await listChanges(db)).toEqual(Int32Array.of(10, 11, 13))
    expect(await idsOf(db, 'temp.added')).toEqual(['b', 'f'])
    expect(await rowsOf(db, 'select last_name from temp.added order by record_id')).toEqual([{ last_name: 'NOVAK' }, { last_name: 'NOWAK' }]) // prettier-ignore
    // The records that stay keep their numbers. Whoever codes the added ones gives them new numbers.
    expect(await rowsOf(db, 'select record_number, record_id from link.coded_records order by 1')).toEqual([{ record_number: 12, record_id: 'c' }, { record_number: 14, record_id: 'e' }]) // prettier-ignore
  })
})

test('records in another order are no change', async () => {
  await withLinked(async (db) => {
    await db.run('create temp table before as from link.records')
    await db.run('delete from link.records')
    await db.run('insert into link.records by name select * exclude (content) from before order by record_id desc') // prettier-ignore
    expect(await findChanges(db)).toEqual({ added: 0, removed: 0 })
    expect(await listChanges(db)).toEqual(new Int32Array(0))
    expect(await idsOf(db, 'link.coded_records')).toHaveLength(5)
  })
})

test('the temporary tables can be dropped, twice', async () => {
  await withLinked(async (db) => {
    await findChanges(db)
    await listChanges(db)
    await dropChanges(db)
    await dropChanges(db)
    expect(await rowsOf(db, `select table_name from duckdb_tables() where table_name in ('differences', 'added')`)).toEqual([]) // prettier-ignore
  })
})
