import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { ruleName } from '../../../src/link/block/rules.ts'
import { type FullRun, linkAllRecords } from '../../../src/link/run.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { given, withWarehouse } from '../../support/warehouse.ts'
import { randomMentions } from './random-mentions.ts'

const FIRST = `['ALMA', 'BRUNO', 'CELIA', 'DARIO', 'EDITH', 'FELIX', 'GRETA', 'HUGO', 'IRMA', 'JONAS']`
// Last names of nine letters that have nothing to do with each other.
const NAMES = `${FIRST}[1 + i % 10] as first_name, upper(translate(md5('n' || i)[1:9], '0123456789', 'ghijklmnop')) as last_name`
const NO_ADDRESS_KEY = `address_key: null::varchar, building_key: null::varchar`

async function linkedWith(
  insert: string,
  check: (run: FullRun, db: DuckDBConnection) => void | Promise<void>,
): Promise<void> {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', randomMentions(3).take(50))
    await db.run(`insert into link.records by name ${insert}`)
    await check(await linkAllRecords(db, { threads: 1, today: '2026-01-01' }), db)
  })
}

test('an owner of nothing known, two thousand times, blocks nothing and is nobody', async () => {
  await linkedWith(
    `select 'u' || i as record_id, 'roll' as source_id, 'UNKNOWN' as first_name, 'UNKNOWN OWNER' as last_name from range(2000) as r(i)`,
    async ({ records }, db) => {
      expect(records.count).toBe(2050)
      expect(await largestCluster(db, 'u')).toBe(1)
    },
  )
})

test('a telephone of three thousand people makes nobody of them one', async () => {
  await linkedWith(
    `select 'p' || i as record_id, 'contacts' as source_id, ${NAMES}, ['12065550100'] as phones from range(3000) as r(i)`,
    async ({ pairs }, db) => {
      expect(pairs).toBeLessThan(4_500_000 / 5)
      expect(await largestCluster(db, 'p')).toBeLessThanOrEqual(2)
      expect(await clusterCount(db, 'p')).toBeGreaterThan(2990)
    },
  )
})

test('an address of two thousand people joins no two of them', async () => {
  await linkedWith(
    `select 'a' || i as record_id, 'roll' as source_id, ${NAMES},
      [{${NO_ADDRESS_KEY}, house_number: '1', street_name: 'TOWER PLAZA', unit_number: null::varchar, city: 'SPRINGFIELD', state: 'FL', zip: '32999'}] as addresses
    from range(2000) as r(i)`,
    async ({ pairs }, db) => {
      expect(pairs).toBeLessThan(2_000_000 / 5)
      expect(await largestCluster(db, 'a')).toBe(1)
    },
  )
})

test('two thousand birth dates of January 1 are no more than their years', async () => {
  await linkedWith(
    `select 'j' || i as record_id, 'voters' as source_id, ${NAMES}, 1940 + i // 7 % 60 as birth_year, 1 as birth_month, 1 as birth_day
    from range(2000) as r(i)`,
    async (_, db) => expect(await largestCluster(db, 'j')).toBe(1),
  )
})

test('a source that sends every row twice has each person once', async () => {
  await linkedWith(
    `select 'd' || i || '-' || copy as record_id, 'contacts' as source_id, ${NAMES}, [printf('1206555%04d', i)] as phones,
      ['n' || i || '@example.com'] as emails
    from range(1500) as r(i), range(2) as c(copy)`,
    async (_, db) => {
      expect(await largestCluster(db, 'd')).toBe(2)
      expect(await clusterCount(db, 'd')).toBe(1500)
    },
  )
})

test('a column swapped half-way: names in each other’s place still find their people', async () => {
  await linkedWith(
    `select 's' || i || '-' || copy as record_id, 'contacts' as source_id,
      case when copy = 0 then first_name else last_name end as first_name,
      case when copy = 0 then last_name else first_name end as last_name,
      [printf('1206555%04d', i)] as phones
    from (select i, ${NAMES} from range(600) as r(i)), range(2) as c(copy)`,
    async (_, db) => {
      expect(await largestCluster(db, 's')).toBe(2)
      expect(await clusterCount(db, 's')).toBe(600)
    },
  )
})

test('what everybody shares and nothing splits is dropped, and named with one of its records', async () => {
  await linkedWith(
    `select 'p' || lpad(i::varchar, 4, '0') as record_id, 'contacts' as source_id, 'ANN' as first_name, 'SMITH' as last_name, ['12065550100'] as phones
    from range(2500) as r(i)`,
    async ({ dropped, pairs }, db) => {
      expect(pairs).toBeLessThan(5000)
      expect(dropped.map(({ node }) => ruleName(node))).toContain('phone+first_letter')
      expect(dropped[0]!.size).toBeGreaterThanOrEqual(2500)
      expect(await largestCluster(db, 'p')).toBeLessThanOrEqual(100)
    },
  )
})

async function largestCluster(db: DuckDBConnection, prefix: string): Promise<number> {
  const [row] = await clusterSizes(db, prefix)
  return row ?? 1
}

async function clusterCount(db: DuckDBConnection, prefix: string): Promise<number> {
  return (await clusterSizes(db, prefix)).length
}

// Sizes of the clusters that have such records, largest first; a record without an edge is one.
async function clusterSizes(db: DuckDBConnection, prefix: string): Promise<number[]> {
  const reader = await db.runAndReadAll(
    `select count(*)::integer as size from (
      select record_id, coalesce(cluster, -record_number - 1) as cluster
      from link.coded_records left join link.groups using (record_number)
    ) where record_id like $prefix group by cluster order by size desc`,
    { prefix: `${prefix}%` },
  )
  return reader.getRows().map(([size]) => Number(size))
}
