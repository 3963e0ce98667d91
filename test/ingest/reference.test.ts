import { expect, test } from 'vitest'
import { fillReference, fillZips } from '../../src/ingest/reference.ts'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'
import { rollSource } from './night.ts'

test('counties have a slug, ZIPs a centroid, sources their weight; filling twice changes nothing', async () => {
  await withWarehouse(async (db) => {
    await fillReference(db, [rollSource({ weight: 0.9 })])
    await fillReference(db, [rollSource({ weight: 0.8, isDuplicateFree: true })])
    await fillZips(db)
    await fillZips(db)
    expect(
      await rowsOf(
        db,
        `select * from reference.counties where county_fips in ('12086', '35013', '12109') order by county_fips`,
      ),
    ).toEqual([
      { county_fips: '12086', county_name: 'Miami-Dade', state: 'FL', slug: 'miami_dade' },
      { county_fips: '12109', county_name: 'St. Johns', state: 'FL', slug: 'st_johns' },
      { county_fips: '35013', county_name: 'Doña Ana', state: 'NM', slug: 'dona_ana' },
    ])
    expect(await rowsOf(db, `select * from reference.zips where zip = '10001'`)).toEqual([
      { zip: '10001', city: 'New York', state: 'NY', latitude: 40.7484, longitude: -73.9967 },
    ])
    expect(
      await rowsOf(
        db,
        `select count(*)::integer as n, count(distinct zip)::integer as zips from reference.zips
         where regexp_full_match(zip, '[0-9]{5}')`,
      ),
    ).toEqual([{ n: expect.any(Number) as number, zips: expect.any(Number) as number }])
    expect(
      await rowsOf(
        db,
        'select source_id, weight, states, every_days, is_duplicate_free, is_household_like from reference.sources',
      ),
    ).toEqual([
      {
        source_id: 'us/fl/test.roll',
        weight: 0.8,
        states: ['FL'],
        every_days: 365,
        is_duplicate_free: true,
        is_household_like: false,
      },
    ])
  })
})
