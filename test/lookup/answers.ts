import { expect } from 'vitest'
import { type Clues, type Lookup, openLookup, type PersonQuery, type PropertyQuery, type Suppression } from '../../src/lookup/index.ts' // prettier-ignore
import { PUBLISHED_ON } from '../support/published.ts'

/** Questions to a lookup. */
export interface Asked {
  readonly people: readonly PersonQuery[]
  readonly properties: readonly PropertyQuery[]
  readonly rows: readonly Clues[]
  readonly ids: readonly string[]
  readonly phones: readonly string[]
}

const text = (bytes: Buffer | null): string | null => bytes?.toString() ?? null

/** Everything that a lookup answers to these questions, in a form that does not depend on shards. */
function answersOf(lookup: Lookup, { people, properties, rows, ids, phones }: Asked): unknown[] {
  return [
    [...lookup.recordedCounties].sort(),
    [...lookup.eventCounties].sort(),
    lookup.personCount,
    ...people.flatMap((asked) =>
      ([1, 2] as const).map((version) => {
        const { total, results } = lookup.findPeople(asked, PUBLISHED_ON, version)
        return { asked, version, total, results: text(results) }
      }),
    ),
    ...properties.flatMap((asked) =>
      ([1, 2] as const).map((version) => ({
        asked,
        version,
        found: text(lookup.findProperty(asked, PUBLISHED_ON, version)),
      })),
    ),
    ...ids.map((id) => ({
      id,
      found: id.startsWith('P')
        ? [text(lookup.person(id, PUBLISHED_ON)), text(lookup.person(id, PUBLISHED_ON, 1))]
        : text(lookup.property(id, PUBLISHED_ON)),
      mayBeSuppressed: lookup.mayBeSuppressed(id),
      isKnown: lookup.personNumber(id) !== null,
    })),
    ...phones.map((phone) => text(lookup.phone(phone, PUBLISHED_ON))),
    ...[true, false].flatMap((weighsSuppressed) =>
      lookup.readClues(rows, PUBLISHED_ON, weighsSuppressed).map((read, at) => {
        const found = lookup.identify(read, PUBLISHED_ON)
        const candidates = found.candidates.map(({ person, name, ...rest }) => ({
          ...rest,
          id: lookup.personParts(person, PUBLISHED_ON).id,
          first: name?.first,
          last: name?.last,
        }))
        return { row: rows[at], ...found, candidates }
      }),
    ),
    lookup.suppressed === null ? null : [...lookup.suppressed.ids].sort(),
    lookup.suppressed?.counts ?? null,
  ]
}

/** Opens both snapshots and expects the same answers of them. */
export async function expectEqual(
  [one, many]: readonly [string, string],
  asked: Asked,
  suppressions: readonly Suppression[] = [],
): Promise<void> {
  const [whole, divided] = [openLookup(one), openLookup(many)]
  try {
    await whole.suppress(suppressions)
    await divided.suppress(suppressions)
    const [expected, found] = [answersOf(whole, asked), answersOf(divided, asked)]
    for (const [at, answer] of expected.entries()) expect(found[at]).toEqual(answer)
    expect(found).toHaveLength(expected.length)
  } finally {
    whole.close()
    divided.close()
  }
}
