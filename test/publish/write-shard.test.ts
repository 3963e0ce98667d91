import { mkdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { isAtHomeSql, type ShardPlace } from '../../src/lookup/format/shards.ts'
import { filesBelow } from '../../src/publish/manifest.ts'
import { rankRows } from '../../src/publish/number-rows.ts'
import { PUBLISHED_TABLES } from '../../src/publish/tables.ts'
import { writeShard } from '../../src/publish/write-index.ts'
import { relatedWorld } from '../lookup/related-world.ts'
import { withFolder } from '../support/folder.ts'
import { givenPublished } from '../support/published.ts'
import { withWarehouse } from '../support/warehouse.ts'

const { signal } = new AbortController()

const of = (table: string, column: string, where: string): string =>
  `select ${column} from main.published.${table} where ${where}`

/** The conditions of the rows of a shard, as src/publish/decisions/002-rows-of-a-shard.md lists them. */
function rowsOfShard(place: ShardPlace): Record<string, string> {
  const isHome = (column: string): string => isAtHomeSql(column, place)
  const own = of('people', 'person_id', isHome('person_id'))
  const listed = `(${own} union ${of('property_owners', 'person_id', isHome('property_id'))} union ${of('residents', 'person_id', isHome('property_id'))})`
  const named = `(${of('relatives', 'relative_id', isHome('person_id'))} union ${of('person_phones', 'person_id', isHome('phone'))})`
  const parcels = `(${of('properties', 'property_id', isHome('property_id'))} union ${of('property_owners', 'property_id', `person_id in ${listed}`)})`
  const callers = of('business_phones', 'business_id', isHome('phone'))
  const placed = `(
    ${of('person_addresses', 'address_id', `person_id in ${listed}`)}
    union ${of('properties', 'address_id', `property_id in ${parcels}`)}
    union ${of('properties', 'mailing_address_id', `property_id in ${parcels}`)}
    union ${of('business_addresses', 'address_id', `business_id in (${callers})`)})`
  return {
    people: `person_id in ${listed} or person_id in ${named}`,
    person_names: `person_id in ${listed}`,
    person_addresses: `person_id in ${listed}`,
    person_emails: `person_id in ${listed}`,
    person_phones: `person_id in ${listed} or ${isHome('phone')}`,
    relatives: isHome('person_id'),
    person_redirects: isHome('person_id'),
    properties: `property_id in ${parcels}`,
    property_owners: `property_id in ${parcels}`,
    residents: isHome('property_id'),
    mortgages: isHome('property_id'),
    phones: isHome('phone'),
    phone_names: isHome('phone'),
    business_phones: isHome('phone'),
    businesses: `business_id in (${callers}) or business_id in (${of('property_owners', 'business_id', `property_id in ${parcels}`)})`,
    business_addresses: `business_id in (${callers})`,
    addresses: `${isHome('address_id')} or address_id in ${placed}`,
  }
}

/** Runs `body` while `published.*` has only the rows of a shard. */
async function withRowsOf(db: DuckDBConnection, place: ShardPlace, body: () => Promise<void>): Promise<void> {
  const catalog = (await db.runAndReadAll('select current_database()')).getRows()[0]![0] as string
  await db.run(`attach ':memory:' as part`)
  await db.run('create schema part.published')
  const conditions = rowsOfShard(place)
  for (const name of Object.keys(PUBLISHED_TABLES)) {
    const where = (conditions[name] ?? 'true').replaceAll('main.published', `${catalog}.published`)
    await db.run(`create table part.published.${name} as select * from ${catalog}.published.${name} where ${where}`) // prettier-ignore
  }
  await db.run('use part')
  try {
    await body()
  } finally {
    await db.run(`use ${catalog}`)
    await db.run('detach part')
  }
}

test('a shard is the same, byte for byte, from all rows and from those of the shard alone', async () => {
  const place = { number: 2, count: 5 }
  await withFolder((folder) =>
    withWarehouse(async (db) => {
      await givenPublished(db, relatedWorld(7))
      await rankRows(db, signal)
      const [whole, part] = [join(folder, 'whole'), join(folder, 'part')]
      for (const one of [whole, part]) await mkdir(one)
      await writeShard(db, whole, place, signal)
      await withRowsOf(db, place, () => writeShard(db, part, place, signal))
      const files = (await filesBelow(whole)).map((path) => relative(whole, path))
      expect((await filesBelow(part)).map((path) => relative(part, path))).toEqual(files)
      expect(files).toContain('documents/people.bin')
      for (const file of files) {
        const [expected, found] = [await readFile(join(whole, file)), await readFile(join(part, file))]
        expect({ file, isEqual: found.equals(expected) }).toEqual({ file, isEqual: true })
      }
    }),
  )
})
