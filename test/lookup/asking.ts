import { join } from 'node:path'
import { type Lookup, openLookup, type PersonQuery } from '../../src/lookup/index.ts'
import { withFolder } from '../support/folder.ts'
import { heldOpen } from '../support/held-open.ts'
import { inventedSnapshot } from '../support/invented-snapshot.ts'
import { PUBLISHED_ON, type PublishedRows, publishedSnapshot } from '../support/published.ts'

export interface FoundPerson {
  readonly id: string
  readonly name: string
  readonly age: number | null
  readonly is_dead: boolean
  readonly match_score: number
  readonly matched_by: string[]
  readonly phones: { number: string; type: string; score: number }[]
  readonly emails: { email: string; score: number }[]
  readonly historic_addresses: { address_id: string }[]
  readonly result_metadata: Record<string, unknown>
}

/** A lookup on the invented world, or on `rows`, for all tests of a file; there from the first test to the last. */
export function inventedLookup(rows?: PublishedRows): { readonly lookup: Lookup } {
  const opened = heldOpen<Lookup>((body) =>
    withFolder(async (folder) => {
      const version =
        rows === undefined ? await inventedSnapshot(folder) : (await publishedSnapshot(folder, rows)).version
      const lookup = openLookup(join(folder, version))
      try {
        await body(lookup)
      } finally {
        lookup.close()
      }
    }),
  )
  return {
    get lookup() {
      return opened()
    },
  }
}

export function people(
  lookup: Lookup,
  asked: Partial<PersonQuery>,
): { total: number; results: FoundPerson[]; ids: string[] } {
  const { total, results } = lookup.findPeople(
    {
      include_historical_locations: false,
      include_fuzzy_matching: false,
      strict_match: false,
      page: 1,
      page_size: 15,
      ...asked,
    },
    PUBLISHED_ON,
  )
  const found = JSON.parse(results.toString()) as FoundPerson[]
  return { total, results: found, ids: found.map(({ id }) => id) }
}

export function parsed(bytes: Buffer | null): Record<string, unknown> | null {
  return bytes === null ? null : (JSON.parse(bytes.toString()) as Record<string, unknown>)
}
