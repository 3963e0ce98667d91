import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EVENTS_FOLDER, openEventArchive } from '../../src/events/archive.ts'
import { writeEvents } from '../../src/publish/write-events.ts'
import { deedEvent, eventId, SEARCHING } from '../support/deed-events.ts'
import { withFolder } from '../support/folder.ts'
import { givenPublished } from '../support/published.ts'
import { withWarehouse } from '../support/warehouse.ts'

test('an event has the legal description of the deed, and the address of its property', async () => {
  await withFolder(async (folder) =>
    withWarehouse(async (db) => {
      await givenPublished(db, {
        addresses: [1, 2].map((n) => ({ address_id: `A${n}`, line1: `${n} Elm St`, city: 'Austin', zip: '78701' })),
        properties: [{ property_id: 'R1', address_id: 'A1', legal_description: 'LOT 1' }, { property_id: 'R2', legal_description: 'LOT 2' }],
        deed_events: [
          deedEvent(1, { property_id: 'R1', address_id: 'A2', legal_description: 'LOT 1 BLK 9' }),
          deedEvent(2, { property_id: 'R2', address_id: 'A2', legal_description: null }),
        ],
      }) // prettier-ignore
      await writeEvents(db, join(folder, EVENTS_FOLDER), new AbortController().signal)
      const archive = openEventArchive(folder, SEARCHING)
      const found = [1, 2].map((n) => {
        const { property } = (JSON.parse(archive.event(eventId(n))!.toString()) as { data: { property: Record<string, Record<string, unknown>> } }).data // prettier-ignore
        return [property['property_address']!['line1'], property['legal_description']!['text']]
      })
      archive.close()
      expect(found).toEqual([['1 Elm St', 'LOT 1 BLK 9'], ['2 Elm St', 'LOT 2']]) // prettier-ignore
    }),
  )
})
