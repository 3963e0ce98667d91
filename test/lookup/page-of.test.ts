import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLookup } from '../../src/lookup/index.ts'
import { withFolder } from '../support/folder.ts'
import { PUBLISHED_ON, publishedSnapshot, type PublishedRows } from '../support/published.ts'
import { type FoundPerson, parsed, people } from './asking.ts'

const PHONE = '12065550101'
const COMPLETENESS = [40, 95, 60, 40, 100, 95, 70]

/** Housemates with one phone, whose order by name, by id and by completeness have nothing in common. */
function housemates(count: number): { rows: PublishedRows; bestFirst: string[] } {
  const mates = Array.from({ length: count }, (_, n) => ({
    person_id: `P${String((n * 37) % count).padStart(10, '0')}`,
    first_name: `${String.fromCharCode(65 + ((n * 11) % 26))}ANE`,
    last_name: `${String.fromCharCode(65 + ((n * 7) % 26))}OLLINS`,
    completeness: COMPLETENESS[(n * 3) % COMPLETENESS.length]!,
  }))
  const rows: PublishedRows = {
    people: mates.map((mate) => ({ ...mate, name: 'x', aliases: [], is_dead: false })),
    person_names: mates.map(({ person_id, first_name, last_name }) => ({ person_id, first_name, last_name, is_primary: true })),
    addresses: [{ address_id: 'A0000000001', city: 'Alpha', state: 'TX', zip: '70001' }],
    person_addresses: mates.map(({ person_id }) => ({ person_id, address_id: 'A0000000001', is_current: true, score: 80 })),
    person_phones: mates.map(({ person_id }) => ({ person_id, phone: PHONE, line_type: 'landline', score: 80 })),
  } // prettier-ignore
  const bestFirst = mates
    .toSorted((a, b) => b.completeness - a.completeness || (a.person_id < b.person_id ? -1 : 1))
    .map(({ person_id }) => person_id)
  return { rows, bestFirst }
}

test.each([1, 7, 15, 50])(
  'equal matches are shown by completeness, then id, over pages of %i, whatever their names',
  async (page_size) => {
    const { rows, bestFirst } = housemates(100)
    await withFolder(async (folder) => {
      const { version } = await publishedSnapshot(folder, rows)
      const lookup = openLookup(join(folder, version))
      for (const asked of [{ zipcode: '70001' }, { phone: PHONE }]) {
        const pages = Array.from({ length: Math.ceil(100 / page_size) }, (_, n) => people(lookup, { ...asked, page: n + 1, page_size })) // prettier-ignore
        expect(pages.flatMap(({ ids }) => ids)).toEqual(bestFirst)
        const scores = pages.flatMap(({ results }) => results.map(({ match_score }) => match_score))
        expect(scores).toEqual(scores.toSorted((a, b) => b - a))
        expect(people(lookup, { ...asked, page: pages.length + 1, page_size }).ids).toEqual([])
      }
      lookup.close()
    })
  },
)

test('a phone that is equally sure of more people than it shows names the most complete of them', async () => {
  const { rows, bestFirst } = housemates(30)
  await withFolder(async (folder) => {
    const { version } = await publishedSnapshot(folder, rows)
    const lookup = openLookup(join(folder, version))
    const body = parsed(lookup.phone(PHONE, PUBLISHED_ON)) as { people: FoundPerson[] }
    expect(body.people.map(({ id }) => id)).toEqual(bestFirst.slice(0, 10))
    lookup.close()
  })
})
