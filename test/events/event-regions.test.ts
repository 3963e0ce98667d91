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
  expect(reached.names).toBe('none yet')
  counties = new Set(['48453', '12011', '12086', '99999'])
  expect(reached.states).toEqual(['FL', 'TX'])
  expect(reached.names).toBe('Florida, Texas')
  expect([reached.has('TX'), reached.has('NY')]).toEqual([true, false])
})

test('a list of states is kept in its order, whatever the snapshot has; an unknown code is refused', () => {
  const reached = new EventRegions(['TX', 'NY'], regions, () => new Set(['12011']))
  expect(reached.states).toEqual(['TX', 'NY'])
  expect(reached.names).toBe('Texas, New York')
  expect(() => new EventRegions(['TX', 'QQ'], regions, () => new Set())).toThrow(
    /^EVENT_STATES has unknown codes: QQ\./,
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
