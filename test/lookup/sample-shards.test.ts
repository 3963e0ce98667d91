import { join } from 'node:path'
import { expect, test } from 'vitest'
import { currentSnapshot } from '../../src/lookup/format/current.ts'
import type { Clues, PersonQuery, PropertyQuery } from '../../src/lookup/index.ts'
import { silentLog } from '../../src/log.ts'
import { publish } from '../../src/publish/publish.ts'
import { PUBLISHED_TABLES } from '../../src/publish/tables.ts'
import { quotedLiteral } from '../../src/warehouse/query.ts'
import { withFolder } from '../support/folder.ts'
import { afterBothNights } from '../support/sample-nights.ts'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'
import { expectEqual } from './answers.ts'

const LEADS = 'data/sample/leads.csv'
const OPTIONS = {
  include_historical_locations: false,
  include_fuzzy_matching: false,
  strict_match: false,
  page: 1,
  page_size: 15,
}

test('the sample answers alike in one shard and in sixteen', async () => {
  const snapshot = await currentSnapshot(join(await afterBothNights(), 'snapshots'))
  const { folder: whole } = snapshot!
  await withFolder((snapshots) =>
    withWarehouse(async (db) => {
      for (const name of Object.keys(PUBLISHED_TABLES))
        await db.run(`create view published.${name} as from read_parquet(${quotedLiteral(join(whole, `tables/${name}.parquet`))})`) // prettier-ignore
      const { signal } = new AbortController()
      const { version } = await publish({
        db,
        snapshots,
        now: () => new Date(),
        log: silentLog,
        signal,
        keep: 1,
        shards: 16,
        checks: null,
        sources: [],
      })
      const leads = await rowsOf(db, `from read_csv(${quotedLiteral(LEADS)}, all_varchar = true)`)
      expect(leads).toHaveLength(2_000)
      const cell = (row: (typeof leads)[number], name: string): string | undefined =>
        (row[name] as string | null) ?? undefined
      const rows = leads.map((row) => {
        const clues = {
          name: cell(row, 'name'),
          street: cell(row, 'address'),
          city: cell(row, 'city'),
          state_code: cell(row, 'state'),
          zipcode: cell(row, 'zip'),
          phones: row['phone'] === null ? undefined : [row['phone'] as string],
          emails: row['email'] === null ? undefined : [row['email'] as string],
        }
        return Object.fromEntries(Object.entries(clues).filter(([, value]) => value !== undefined)) as Clues
      })
      const people = rows.flatMap(({ name, city, state_code, zipcode }, at): PersonQuery[] => {
        if (name === undefined || at % 4 > 0) return []
        const places = [{}, { state_code }, { zipcode, radius: 10 }, { city, state_code }]
        const place = Object.fromEntries(Object.entries(places[(at / 4) % 4]!).filter(([, value]) => value !== undefined)) // prettier-ignore
        return [{ ...OPTIONS, name, ...(place as Partial<PersonQuery>) }]
      })
      const properties = rows.slice(0, 400).map(({ street, city, zipcode }): PropertyQuery => {
        const parts = Object.entries({ street, city, zipcode }).filter(([, value]) => value !== undefined)
        return { strict_match: false, ...Object.fromEntries(parts) }
      })
      const idsOf = async (sql: string): Promise<string[]> =>
        (await rowsOf(db, sql)).map(({ id }) => String(id))
      const ids =
        await idsOf(`select person_id as id from published.people using sample 400 rows (reservoir, 1)
        union all (select old_person_id from published.person_redirects limit 200)
        union all (select property_id from published.properties using sample 300 rows (reservoir, 1))`)
      const phones = await idsOf(
        'select phone as id from published.phones using sample 300 rows (reservoir, 1)',
      )
      await expectEqual([whole, join(snapshots, version)], { people, properties, rows, ids, phones })
    }),
  )
}, 600_000)
