import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EventRegions } from '../../src/events/event-regions.ts'
import { unreachableEvents } from '../../src/events/unreachable.ts'
import { Regions } from '../../src/normalize/regions.ts'
import { deedEvent } from '../support/deed-events.ts'
import { withFolder } from '../support/folder.ts'
import { givenPublished } from '../support/published.ts'
import { withWarehouse } from '../support/warehouse.ts'

const regions = new Regions(
  await readFile(new URL('../../data/reference/counties.csv', import.meta.url), 'utf8'),
)

test('`loaded` reaches the states of the counties with events, in order, and follows the snapshot', () => {
  let counties: ReadonlySet<string> = new Set()
  const reached = new EventRegions('loaded', regions, () => counties)
  expect(reached.states).toEqual([])
  counties = new Set(['48453', '12011', '12086', '99999'])
  expect(reached.states).toEqual(['FL', 'TX'])
  expect([reached.has('TX'), reached.has('NY')]).toEqual([true, false])
})

test('a list of states is kept in its order, whatever the snapshot has; an unknown code is refused', () => {
  const reached = new EventRegions(['TX', 'NY'], regions, () => new Set(['12011']))
  expect(reached.states).toEqual(['TX', 'NY'])
  expect(() => new EventRegions(['TX', 'QQ'], regions, () => new Set())).toThrow(
    /^EVENT_STATES has unknown codes: QQ\./,
  )
})

/** Reads a region while counties with these FIPS codes have events. */
const read = (text: string, ...counties: string[]) => {
  const loaded = new Set(counties)
  return new EventRegions('loaded', regions, () => loaded).read(text, 'body')
}

test('a state or a county is read by code or name, in any case', () => {
  expect(read(' State:TX ', '48453')).toEqual({ state_code: 'TX', fips_code: null })
  expect(read('county:tx.travis', '48453')).toEqual({ state_code: 'TX', fips_code: '48453' })
  expect(read('county:48453', '48453')).toEqual({ state_code: 'TX', fips_code: '48453' })
})

const ALL = '/v1/regions/states'

test.each([
  ['Texas', ['48453'], 'must be state:tx, county:tx.travis or county:48453', undefined],
  ['county:tx.nowhere', ['48453'], `${ALL}/TX/counties lists them`, `${ALL}/TX/counties`],
  ['state:zz', ['48453'], `existing state or county: ${ALL} lists them`, ALL],
  ['state:ny', ['48453'], 'must be in TX: other states have no deed events', ALL],
  ['county:36061', ['48453', '12011'], 'must be in FL, TX: other states', `${ALL}/NY/counties`],
  ['state:tx', [], 'no deed events are published yet', ALL],
])('%s is refused while %j have events: %s', (text, counties, reason, lookup_url) => {
  expect(() => read(text, ...counties)).toThrow(
    expect.objectContaining({
      code: lookup_url === undefined ? 'invalid_parameter' : 'unknown_region',
      message: expect.stringContaining(`body -> region: `),
      details: {
        field: 'region',
        validation_error: expect.stringContaining(reason),
        ...(lookup_url && { lookup_url }),
      },
    }),
  )
})

test('events that no region reaches are counted by state, most first', async () => {
  await withFolder(async (folder) => {
    await mkdir(join(folder, 'tables'))
    await withWarehouse(async (db) => {
      const deed_events = [
        deedEvent(1),
        deedEvent(2, { county_fips: '48453' }),
        deedEvent(3, { county_fips: '36061' }),
        deedEvent(4, { county_fips: '36061' }),
        deedEvent(5, { state: null }),
      ]
      await givenPublished(db, { deed_events })
      const file = join(folder, 'tables', 'deed_events.parquet')
      await db.run(`copy published.deed_events to '${file}' (format parquet)`)
    })
    expect(await unreachableEvents(folder, ['FL'])).toEqual([
      { state: 'NY', event_count: 2 },
      { state: 'TX', event_count: 1 },
      { state: null, event_count: 1 },
    ])
    expect(await unreachableEvents(folder, 'loaded')).toEqual([{ state: null, event_count: 1 }])
  })
})
