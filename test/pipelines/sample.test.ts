import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { CANONICAL_TABLES } from '../../src/ingest/canonical.ts'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { afterBothNights, nightReport } from '../support/sample-nights.ts'
import { rowsOf } from '../support/warehouse.ts'

const sample = join(import.meta.dirname, '../../data/sample')

/** Tables whose rows name people: the current rows and those that a newer file took the place of. */
const NAMING = [
  'person_mentions',
  'past_person_mentions',
  'parcel_owners',
  'past_parcel_owners',
  'deed_parties',
  'deaths',
]

test('the sample’s two days fit the definitions: no row refused, no key twice, every name of the truth found', async () => {
  const data = await afterBothNights()
  for (const day of ['day-1', 'day-2'] as const) {
    expect(await nightReport(data, day)).toMatchObject({ exitCode: 0, unclaimed: [], published: true })
  }
  const warehouse = await openWarehouse(loadConfig({}, { data }).paths.warehouse, {
    memoryLimit: '1GB',
    threads: 1,
    readOnly: true,
  })
  try {
    const { db } = warehouse
    expect(await rowsOf(db, 'select * from ledger.quarantine')).toEqual([])

    for (const table of Object.keys(CANONICAL_TABLES)) {
      const twice = `select record_key from staging.${table} group by record_key having count(*) > 1`
      expect(await rowsOf(db, twice), table).toEqual([])
      expect(await rowsOf(db, `select 1 as one from staging.${table} limit 1`), table).toEqual([{ one: 1 }])
    }

    const keys = NAMING.map((table) => `select record_key from staging.${table}`).join(' union ')
    const truth = `select record_id from read_csv('${join(sample, 'truth.csv')}', all_varchar = true)`
    const missing = `${truth} where regexp_replace(record_id, '#\\d+$', '') not in (${keys})`
    expect(await rowsOf(db, missing)).toEqual([])

    const unknownParcels = `
      select distinct county_fips, parcel_number from staging.deed_parcels
      where parcel_number is not null and not starts_with(county_fips, '36')
      except
      select county_fips, parcel_number from staging.parcels`
    expect(await rowsOf(db, unknownParcels)).toEqual([])
    const partiesWithoutDocument = `
      select record_key from staging.deed_parties where source_id = 'us/ny/nyc.acris' and document_id not in
      (select document_id from staging.deed_parcels)`
    expect(await rowsOf(db, partiesWithoutDocument)).toEqual([])
  } finally {
    await warehouse.close()
  }
}, 300_000)
