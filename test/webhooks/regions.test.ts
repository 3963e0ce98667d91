import { expect, test } from 'vitest'
import { EventRegions } from '../../src/events/event-regions.ts'
import { loadRegions } from '../../src/normalize/regions.ts'
import { jurisdictionOf, readSubscribedRegion } from '../../src/webhooks/regions.ts'

const regions = loadRegions()

/** Reads a region while counties with these FIPS codes have events. */
const read = (text: string, ...counties: string[]) => {
  const loaded = new Set(counties)
  return readSubscribedRegion(regions, new EventRegions('loaded', regions, () => loaded), text)
}

test('a state or a county is kept as it was written, and by its code', () => {
  expect(read(' State:TX ', '48453')).toEqual({ region: 'state:tx', area: 'TX' })
  expect(read('county:tx.travis', '48453')).toEqual({ region: 'county:tx.travis', area: '48453' })
  expect(read('county:48453', '48453')).toEqual({ region: 'county:48453', area: '48453' })
})

test.each([
  ['Texas', ['48453'], 'must be state:tx, county:tx.travis or county:48453', '/v1/regions/states'],
  [
    'county:tx.nowhere',
    ['48453'],
    '/v1/regions/states/TX/counties lists them',
    '/v1/regions/states/TX/counties',
  ],
  ['state:zz', ['48453'], 'existing state or county: /v1/regions/states lists them', '/v1/regions/states'],
  ['state:ny', ['48453'], 'must be in TX: other states have no deed events', '/v1/regions/states'],
  ['state:ny', ['48453', '12011'], 'must be in FL, TX: other states', '/v1/regions/states'],
  ['state:tx', [], 'no deed events are published yet', '/v1/regions/states'],
])('%s is refused while %j have events: %s', (text, counties, reason, lookup_url) => {
  expect(() => read(text, ...counties)).toThrow(
    expect.objectContaining({
      code: 'unknown_region',
      message: expect.stringContaining(reason),
      details: expect.objectContaining({ field: 'region', lookup_url }),
    }),
  )
})

test('a test event takes place in the county that was subscribed to, or in the first county of the state', () => {
  expect(jurisdictionOf(regions, '48453')).toEqual({ county: 'Travis', state: 'TX', fips_code: '48453' })
  expect(jurisdictionOf(regions, 'TX')).toEqual({ county: 'Anderson', state: 'TX', fips_code: '48001' })
})
