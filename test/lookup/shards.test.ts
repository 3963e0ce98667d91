import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { readManifest } from '../../src/lookup/format/manifest.ts'
import { type Clues, type Lookup, openLookup, type PersonQuery, type PropertyQuery, type Suppression } from '../../src/lookup/index.ts' // prettier-ignore
import { silentLog } from '../../src/log.ts'
import { publish } from '../../src/publish/publish.ts'
import { purgeSnapshots } from '../../src/publish/purge.ts'
import { withFolder } from '../support/folder.ts'
import {
  givenPublished,
  INVENTED,
  leavingOut,
  PUBLISHED_ON,
  type PublishedRows,
} from '../support/published.ts'
import { inventedWorld } from '../support/invented-world.ts'
import { withWarehouse } from '../support/warehouse.ts'
import { CITIES, FIRST, LAST, random, relatedWorld, STREETS } from './related-world.ts'

const { signal } = new AbortController()

interface Asked {
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

const defined = <T extends object>(values: { [Key in keyof T]: T[Key] | undefined }): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T

/** Random questions, most of which find somebody: exact, similar, mistyped, wide, on later pages. */
function randomQuestions(seed: number, { ids, phones }: Pick<Asked, 'ids' | 'phones'>): Asked {
  const below = random(seed)
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!
  const maybe = <T>(list: readonly T[], share: number): T | undefined =>
    below(100) < share ? one(list) : undefined
  const typo = (word: string): string => {
    const at = below(word.length)
    return [`${word.slice(0, at)}${word.slice(at + 1)}`, `${word.slice(0, at)}X${word.slice(at)}`, word, word.slice(0, 2)][below(4)]! // prettier-ignore
  }
  const place = (share: number) => {
    const [city, state, zip] = one(CITIES)
    return {
      street: maybe([`${1 + below(6)} ${one(STREETS)} ST`, one(STREETS), typo(`${below(9)} ${one(STREETS)}`)], share), // prettier-ignore
      city: maybe([city, typo(city)], share),
      state_code: maybe([state], share),
      zipcode: maybe([zip], share),
    }
  }
  const [first, last] = [() => typo(one(FIRST)), () => typo(one(LAST))]
  const isParts = () => below(2) === 0
  return {
    ids,
    phones,
    people: Array.from({ length: 200 }, () => {
      const parts = isParts()
      return defined<PersonQuery>({
        ...place(25),
        name: parts ? undefined : maybe([`${first()} ${last()}`, last(), first()], 80),
        first_name: parts ? maybe([first()], 70) : undefined,
        middle_name: parts ? maybe(['A', 'BEN'], 15) : undefined,
        last_name: parts ? maybe([last()], 70) : undefined,
        phone: maybe(phones, 8),
        email: maybe(['shared@example.com', 'p1@example.com'], 5),
        min_age: maybe([30, 40], 15),
        max_age: maybe([50, 60], 15),
        radius: maybe([1, 30], 15),
        include_historical_locations: below(2) === 0,
        include_fuzzy_matching: below(5) === 0,
        strict_match: below(5) === 0,
        page: 1 + (below(4) === 0 ? below(4) : 0),
        page_size: one([3, 15]),
      })
    }),
    properties: Array.from({ length: 100 }, () =>
      defined<PropertyQuery>({ ...place(70), strict_match: below(4) === 0 }),
    ),
    rows: Array.from({ length: 150 }, () =>
      defined<Clues>({
        ...place(60),
        name: maybe([`${first()} ${last()}`, `${last()}`, `${first()} ${last()} Jr`], 85),
        phones: maybe([[one(phones)], ['2065559999']], 25),
        emails: maybe([['shared@example.com'], [`${one(FIRST)}.${one(LAST)}@example.com`]], 20),
        birth_date: maybe([`19${40 + below(60)}-0${1 + below(9)}-1${below(10)}`], 30),
        age: maybe(['40'], 10),
      }),
    ),
  }
}

interface Pair {
  readonly db: DuckDBConnection
  /** The folders of the snapshots, and their shards. */
  readonly folders: readonly [string, string]
  readonly shards: number
}

const now = (): Date => new Date('2026-06-01T04:30:00Z')

async function published(
  db: DuckDBConnection,
  snapshots: string,
  shards: number,
  suppressions: readonly Suppression[] = [],
): Promise<string> {
  const suppression = suppressions.length === 0 ? undefined : leavingOut(suppressions)
  const options = { db, snapshots, now, log: silentLog, signal, keep: 3, shards, checks: null, sources: [], suppression } // prettier-ignore
  const { version } = await publish(options)
  expect(readManifest(join(snapshots, version)).shards).toBe(shards)
  return join(snapshots, version)
}

/** Publishes the same rows in one shard and in `shards`. */
async function withPair(
  fill: (db: DuckDBConnection) => Promise<unknown>,
  shards: number,
  body: (pair: Pair) => Promise<void>,
): Promise<void> {
  await withFolder((folder) =>
    withWarehouse(async (db) => {
      await fill(db)
      const one = await published(db, join(folder, 'one'), 1)
      const many = await published(db, join(folder, 'many'), shards)
      await body({ db, folders: [one, many], shards })
    }),
  )
}

async function expectEqual(
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

function suppressionsIn(rows: PublishedRows, asked: Asked): Suppression[] {
  return [
    { kind: 'person', value: String(rows.people![5]!['person_id']), marks: [] },
    { kind: 'phone', value: asked.phones[5]!, marks: [] },
    { kind: 'email', value: 'shared@example.com', marks: [] },
    { kind: 'address', value: `2 ${STREETS[0]} ST|${CITIES[0][0]}|${CITIES[0][1]}|`, marks: [] },
  ]
}

function idsOf(rows: PublishedRows): Pick<Asked, 'ids' | 'phones'> {
  const all = (table: keyof PublishedRows, column: string): string[] =>
    (rows[table] ?? []).map((row) => String(row[column]))
  const old = all('person_redirects', 'old_person_id')
  const ids = [...all('people', 'person_id'), ...old, ...all('properties', 'property_id'), ...all('addresses', 'address_id')] // prettier-ignore
  const phones = [...all('person_phones', 'phone'), ...all('business_phones', 'phone'), ...all('phone_names', 'phone'), '12065550142'] // prettier-ignore
  return { ids: [...ids, 'Pzzzzzzzzzz', 'Rzzzzzzzzzz', 'Azzzzzzzzzz'], phones: [...new Set(phones)] }
}

test.each([
  [1, 2],
  [2, 16],
])(
  'a random world answers alike in one shard and in several (world %i, %i shards)',
  async (seed, shards) => {
    const rows = relatedWorld(seed)
    const asked = randomQuestions(seed * 31, idsOf(rows))
    await withPair(
      (db) => givenPublished(db, rows),
      shards,
      async ({ folders }) => {
        await expectEqual(folders, asked)
        await expectEqual(folders, asked, suppressionsIn(rows, asked))
      },
    )
  },
  300_000,
)

test('a world that is published without suppressed people answers alike', async () => {
  const rows = relatedWorld(3)
  const asked = randomQuestions(93, idsOf(rows))
  const list = suppressionsIn(rows, asked)
  await withFolder((folder) =>
    withWarehouse(async (db) => {
      await givenPublished(db, rows)
      const one = await published(db, join(folder, 'one'), 1, list)
      await expectEqual([one, await published(db, join(folder, 'many'), 3, list)], asked)
    }),
  )
}, 300_000)

test('the invented world answers alike, and so does what a purge leaves of it', async () => {
  const rows = inventedWorld()
  const asked = randomQuestions(5, idsOf(rows))
  const jane: Suppression = { kind: 'person', value: INVENTED.jane, marks: [] }
  await withPair(
    (db) => givenPublished(db, rows),
    3,
    async ({ db, folders }) => {
      await expectEqual(folders, asked)
      await expectEqual(folders, asked, [jane])
      const left: string[] = []
      for (const folder of folders) {
        const snapshots = join(folder, '..')
        const purge = { db, snapshots, suppression: leavingOut([jane]), log: silentLog, signal }
        const [one] = await purgeSnapshots(purge)
        expect(one).toMatchObject({ outcome: 'rewritten', people: 1 })
        left.push(join(snapshots, one!.replaced_by!))
      }
      expect(readManifest(left[1]!).shards).toBe(3)
      await expectEqual([left[0]!, left[1]!], asked)
    },
  )
}, 300_000)

/** Adds 3,600 people of two surnames, nearly all of them at one address. */
async function crowd(db: DuckDBConnection): Promise<void> {
  await givenPublished(db, relatedWorld(4))
  const id = `'P' || lpad((5000 + i)::varchar, 10, '0')`
  await db.run(`insert into published.people by name select ${id} as person_id, 'x' as name, []::varchar[] as aliases, (i * 37 % 101)::integer as completeness, false as is_dead, case when i % 3 = 0 then '19' || (40 + i % 60)::varchar || '-01-1' || (i % 10)::varchar end as date_of_birth from range(3600) r(i)`) // prettier-ignore
  await db.run(`insert into published.person_names by name select ${id} as person_id, case when i % 50 = 0 then 'ANNA' else 'JAMES' end as first_name, case when i % 9 = 0 then 'CROWE' else 'CROWD' end as last_name, true as is_primary from range(3600) r(i)`) // prettier-ignore
  await db.run(`insert into published.person_addresses by name select ${id} as person_id, case when i % 20 = 0 then 'A0000000003' else 'A0000000001' end as address_id, i % 5 > 0 as is_current, (i % 100)::integer as score from range(3600) r(i)`) // prettier-ignore
}

test('crowds above the limits of identification answer alike: namesakes, residents of one address', async () => {
  const [street, city, state_code, zipcode] = ['1 ELM ST', ...CITIES[0]]
  const rows: Clues[] = ['James Crowd', 'Jame Crowd', 'J Crowd', 'Anna Crowd', 'James Crowe', 'Jamse Crowd', 'Crowd'].flatMap((name) => [
    { name },
    { name, city, state_code },
    { name, zipcode },
    { name, street, city, state_code, zipcode },
    { name, birth_date: '1943-01-13' },
    { name, zipcode, age: '40' },
  ]) // prettier-ignore
  const base = { include_historical_locations: true, include_fuzzy_matching: false, strict_match: false, page_size: 15 } // prettier-ignore
  const people = ['James Crowd', 'Jame Crowd', 'Crowd'].flatMap((name) =>
    [1, 7].flatMap((page): PersonQuery[] => [
      { ...base, page, name },
      { ...base, page, name, street, city, zipcode },
    ]),
  )
  await withPair(crowd, 5, async ({ folders }) => {
    await expectEqual(folders, { people, properties: [], rows, ids: [], phones: [] })
  })
}, 300_000)
