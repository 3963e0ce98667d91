import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { loadChecks } from '../../src/warehouse/models.ts'
import { createModelInputs } from '../support/staging.ts'
import {
  COUNTIES,
  contact,
  linkStaged,
  owner,
  parcel,
  publishStaged,
  voter,
} from '../support/staged-world.ts'
import { heldOpen } from '../support/held-open.ts'
import { given, withWarehouse } from '../support/warehouse.ts'

const JANE = {
  last_name: 'ABERNATHY',
  first_name: 'JANE',
  birth_date: '1980-03-04',
  line_1: '12 ELM ST',
  phone: '9545550142',
}

const world = heldOpen<DuckDBConnection>((body) =>
  withWarehouse(async (db) => {
    await createModelInputs(db)
    await given(db, 'reference.counties', COUNTIES)
    await given(db, 'staging.person_mentions', [
      voter('1', JANE),
      contact('a', { ...JANE, email: 'jane@example.com' }),
    ])
    await given(db, 'staging.parcels', [parcel('000000000001', '12 ELM ST')])
    await given(db, 'staging.parcel_owners', [
      owner('000000000001', 'ABERNATHY JANE & PALMETTO HOLDINGS LLC'),
    ])
    await linkStaged(db)
    await publishStaged(db)
    await body(db)
  }),
)

/** The names of the checks that find something in a small published world after `fault` was planted in it; it is taken back. */
async function complaints(fault: (db: DuckDBConnection) => Promise<unknown>): Promise<string[]> {
  const db = world()
  await db.run('begin')
  try {
    await fault(db)
    const found: string[] = []
    for (const check of await loadChecks()) {
      if ((await db.runAndReadAll(check.select)).currentRowCount > 0) found.push(check.name)
    }
    return found
  } finally {
    await db.run('rollback')
  }
}

test('nothing is wrong with a world that nothing was done to', async () => {
  expect(await complaints(async () => {})).toEqual([])
})

test.each([
  ['a person is gone', 'delete from published.people', ['dangling_crosswalk', 'orphan_person_rows']],
  ['an address is gone', 'delete from published.addresses', ['orphan_address_rows']],
  ['a property is gone', 'delete from published.properties', ['orphan_property_rows']],
  ['a phone is gone', 'delete from published.phones', ['orphan_phone_rows']],
  ['a person is there twice', 'insert into published.people from published.people', ['duplicate_rows']],
  [
    'an id is no id',
    "update published.businesses set business_id = 'B1'",
    ['malformed_ids', 'orphan_business_rows'],
  ],
  ['a score is over the top', 'update published.person_phones set score = 101', ['scores_out_of_range']],
  [
    'an owner is listed twice',
    'insert into published.property_owners select * replace (9 as owner_sequence) from published.property_owners limit 1',
    ['repeated_owners'],
  ],
  [
    'somebody is born tomorrow',
    "update published.people set date_of_birth = '2190-01-01'",
    ['impossible_birth_dates'],
  ],
  [
    'a file lost rows',
    "insert into ledger.files values (1, 's', 'k', 'f.csv', 'loaded', 10, 8, 1)",
    ['unaccounted_rows'],
  ],
  ['a mention is nobody', 'delete from published.crosswalk', ['mentions_without_person']],
  [
    'a redirect leads away from somebody alive',
    "insert into published.person_redirects select person_id, 'P0000000000', date '2025-01-01', '' from published.people limit 1",
    ['redirects_astray'],
  ],
  [
    'nobody has a primary name',
    'update published.person_names set is_primary = false',
    ['people_without_one_name'],
  ],
  [
    'a phone is too short',
    "update published.phones set phone = '1954'",
    ['malformed_contacts', 'orphan_phone_rows'],
  ],
  [
    'the last snapshot had three times the people',
    "insert into ledger.snapshot_rows select 'v', 'people', 3 * count(*), timestamp '2025-01-01' from published.people",
    ['tables_fallen_by_half'],
  ],
])('%s', async (_, fault, expected) => {
  expect(await complaints((db) => db.run(fault))).toEqual(expected)
})
