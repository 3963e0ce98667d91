import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EventArchive } from '../../src/events/archive.ts'
import { decodeCursor, encodeCursor, type EventFilter, type Position } from '../../src/events/position.ts'
import { deedEvent, eventId, withEvents } from '../support/deed-events.ts'
import { withFolder } from '../support/folder.ts'
import { openFiles, openForWriting, tellsOpenFiles } from '../support/open-files.ts'
import type { Cell } from '../support/warehouse.ts'

type Row = Record<string, Cell>

const BROWARD: EventFilter = { state_code: 'FL', fips_code: '12011', property_id: null, from: null, to: null }

interface Event {
  id: string
  data: { property: object; parties: object[]; detail: object; jurisdiction: object }
}
const read = (document: Buffer): Event => JSON.parse(document.toString()) as Event

/** Returns all pages after the position `after`, following the cursors. */
async function walk(
  archive: EventArchive,
  filter: EventFilter,
  limit: number,
  after: Position | null = null,
): Promise<string[]> {
  const ids: string[] = []
  for (let position = after, isFirst = true; isFirst || position !== null; isFirst = false) {
    const page = await archive.search(filter, position, limit)
    ids.push(...page.documents.map((document) => read(document).id))
    expect(page.documents.length === limit || page.next === null).toBe(true)
    position = page.next === null ? null : decodeCursor(filter, encodeCursor(filter, page.next))
  }
  return ids
}

/** Returns a random generator of whole numbers below `of`, determined by the seed. */
function random(seed: number): (of: number) => number {
  let state = seed
  return (of) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * of)
  }
}

function randomRows(seed: number, count: number, firstNumber = 1): Row[] {
  const below = random(seed)
  return Array.from({ length: count }, (_, n) =>
    deedEvent(firstNumber + n, {
      county_fips: ['12011', '12086', '48453', '36061'][below(4)]!,
      recorded_date: below(20) === 0 ? null : `2026-01-${String(1 + below(9)).padStart(2, '0')}`,
      property_id: below(3) === 0 ? null : `R000000000${below(5)}`,
    }),
  )
}

/** A naive second implementation of the search, as an oracle. */
function expected(rows: Row[], filter: EventFilter): string[] {
  return rows
    .filter((row) => row['state'] === filter.state_code)
    .filter((row) => filter.fips_code === null || row['county_fips'] === filter.fips_code)
    .filter((row) => filter.property_id === null || row['property_id'] === filter.property_id)
    .filter(
      (row) =>
        filter.from === null ||
        (row['recorded_date'] !== null && String(row['recorded_date']) >= filter.from),
    ) // prettier-ignore
    .filter(
      (row) =>
        filter.to === null || (row['recorded_date'] !== null && String(row['recorded_date']) <= filter.to),
    ) // prettier-ignore
    .sort((a, b) => {
      const [left, right] = [a, b].map((row) => String(row['recorded_date'] ?? ''))
      if (left !== right) return left! < right! ? 1 : -1
      return String(a['event_id']) < String(b['event_id']) ? -1 : 1
    })
    .map((row) => String(row['event_id']))
}

const FILTERS: EventFilter[] = [null, '2026-01-03'].flatMap((from) =>
  [null, '2026-01-06'].flatMap((to) =>
    [
      ['FL', null],
      ['FL', '12011'],
      ['TX', '48453'],
      ['NY', null],
    ].flatMap(([state_code, fips_code]) =>
      [null, 'R0000000002'].map((property_id) => ({
        state_code: state_code!,
        fips_code: fips_code!,
        property_id,
        from,
        to,
      })),
    ),
  ),
)

test('pages of every form of search are what a naive search finds, in order, each event once', async () => {
  await withFolder(async (folder) => {
    const rows = randomRows(7, 250)
    await withEvents(folder, rows, async (archive) => {
      for (const [index, filter] of FILTERS.entries()) {
        const limit = [1, 7, 20, 100][index % 4]!
        expect(await walk(archive, filter, Math.max(limit, 3)), JSON.stringify(filter)).toEqual(
          expected(rows, filter),
        )
      }
    })
  })
})

test('a page that ends with the last event of the search has no next one', async () => {
  await withFolder(async (folder) => {
    await withEvents(folder, [deedEvent(1), deedEvent(2), deedEvent(3)], async (archive) => {
      const ids = async (limit: number) => {
        const { documents, next } = await archive.search(BROWARD, null, limit)
        return [documents.map((document) => read(document).id), next === null]
      }
      expect(await ids(3)).toEqual([[1, 2, 3].map(eventId), true])
      expect(await ids(2)).toEqual([[1, 2].map(eventId), false])
    })
  })
})

test('a cursor of one snapshot goes on rightly in the next, where events came before, behind and between', async () => {
  await withFolder(async (folder) => {
    const filter = { ...BROWARD, fips_code: null }
    const before = randomRows(1, 90)
    const after = [...before, ...randomRows(2, 90, 1000)]
    const [page, position] = await withEvents(join(folder, 'a'), before, async (archive) => {
      const { documents, next } = await archive.search(filter, null, 20)
      return [documents.map((document) => read(document).id), next] as const
    })
    const rest = await withEvents(join(folder, 'b'), after, (archive) => walk(archive, filter, 20, position))
    const known = expected(before, filter)
    expect(page).toEqual(known.slice(0, 20))
    // No old event is missing or repeated, and new events are in their order.
    expect(rest.filter((id) => known.includes(id))).toEqual(known.slice(20))
    const whole = expected(after, filter)
    expect(rest).toEqual(whole.slice(whole.indexOf(page.at(-1)!) + 1))
  })
})

describe('cursors', () => {
  const position = { recorded_on: '2026-01-05', event_id: eventId(0xfedcba98) }

  test('say the position again, also of events before 1970 and without a date', () => {
    for (const recorded_on of ['2026-01-05', '1969-07-20', '0001-01-01', '9999-12-31']) {
      const cursor = encodeCursor(BROWARD, { ...position, recorded_on })
      expect(decodeCursor(BROWARD, cursor)).toEqual({ ...position, recorded_on })
    }
  })

  test('belong to their search, and are nothing when they are damaged', () => {
    const cursor = encodeCursor(BROWARD, position)
    expect(decodeCursor({ ...BROWARD, from: '2026-01-01' }, cursor)).toBeNull()
    expect(decodeCursor({ ...BROWARD, fips_code: '12086' }, cursor)).toBeNull()
    // The mark of the right search, with a date that no event has.
    for (const recorded_on of ['0000-12-31', '+010000-01-01']) {
      const outside = encodeCursor(BROWARD, { ...position, recorded_on })
      expect(decodeCursor(BROWARD, outside), recorded_on).toBeNull()
    }
    for (const damaged of ['', 'x', cursor.slice(1), `${cursor}A`, `!${cursor.slice(1)}`, 'A'.repeat(38)]) {
      expect(decodeCursor(BROWARD, damaged), damaged).toBeNull()
    }
  })
})

describe('documents', () => {
  test('carry everything that is known, and null for what is not', async () => {
    await withFolder((folder) =>
      withEvents(
        folder,
        [
          deedEvent(1, {
            legal_description: 'LOT 4 "BLOCK" 2\nPALMETTO',
            instrument_date: '2026-01-02',
            parties:
              "[{'role': grantor, 'name': 'Jane \"JJ\" Doe', 'type': individual, 'person_id': P0000000001, 'full_address': '5 Elm St'}]",
          }),
        ],
        async (archive) => {
          expect(read(archive.event(eventId(1))!)).toEqual({
            id: eventId(1),
            object: 'event',
            event_type: 'deed.transfer',
            data: {
              jurisdiction: { county: 'Broward', state: 'FL', fips_code: '12011' },
              property: {
                property_id: null,
                property_address: { line1: null, city: null, state: 'FL', zip: null, county: 'Broward' },
                apn: '0000-1',
                parcel_id: '0000-1',
                geolocation: null,
                legal_description: { text: 'LOT 4 "BLOCK" 2\nPALMETTO' },
                bedrooms: null,
                bathrooms: null,
                living_sqft: null,
                lot_sqft: null,
                property_purpose: null,
              },
              parties: [
                {
                  role: 'grantor',
                  name: 'Jane "JJ" Doe',
                  type: 'individual',
                  person_id: 'P0000000001',
                  addresses: [{ full_address: '5 Elm St' }],
                },
              ],
              detail: {
                document_type: { category: 'deed', text: 'Deed' },
                recorded_date: '2026-01-05',
                instrument_date: '2026-01-02',
                consideration: 250000,
                transaction_reason: { category: 'sale', text: 'a price of 250,000 dollars' },
              },
            },
          })
        },
      ),
    )
  })

  test('of a voided document say so, and an id that nothing has gives none', async () => {
    await withFolder((folder) =>
      withEvents(folder, [deedEvent(1, { is_void: true, voided_date: '2026-01-07' })], async (archive) => {
        expect(read(archive.event(eventId(1))!).data.detail).toMatchObject({
          is_void: true,
          voided_date: '2026-01-07',
        })
        expect(archive.event(eventId(2))).toBeNull()
      }),
    )
  })

  test('each id gives its own document, in blocks that are full and in the last one', async () => {
    await withFolder((folder) => {
      const numbers = Array.from({ length: 37 }, (_, n) => n + 1)
      // Event numbers follow the dates. In this world, dates and ids have opposite orders.
      const rows = numbers.map((n) =>
        deedEvent(n, { recorded_date: `2026-02-${String(1 + ((40 - n) % 28)).padStart(2, '0')}` }),
      )
      return withEvents(folder, rows, async (archive) => {
        for (const n of numbers) {
          const { id, data } = read(archive.event(eventId(n))!)
          expect(id).toBe(eventId(n))
          expect(data.property).toMatchObject({ apn: `0000-${n}` })
        }
      })
    })
  })

  test.skipIf(!tellsOpenFiles)('are read-only while they are open, and closed after that', async () => {
    await withFolder(async (folder) => {
      await withEvents(folder, [deedEvent(1)], async (archive) => {
        expect(archive.event(eventId(1))).not.toBeNull()
        // Close only the reader: the writer has already closed its file.
        expect(await openForWriting(folder)).toEqual([])
        expect(await openFiles(folder)).toContain(join(folder, 'events', 'documents.mdb'))
      })
      await expect.poll(() => openFiles(folder)).toEqual([])
    })
  })

  test('a snapshot without events answers with none', async () => {
    await withFolder((folder) =>
      withEvents(folder, [], async (archive) => {
        expect(await archive.search(BROWARD, null, 20)).toEqual({ documents: [], next: null })
        expect(archive.event(eventId(1))).toBeNull()
      }),
    )
  })
})
