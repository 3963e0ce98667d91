import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { readManifest } from '../../src/lookup/format/manifest.ts'
import { type Clues, openLookup, type PersonQuery, type PropertyQuery, type Suppression, verifySnapshot } from '../../src/lookup/index.ts' // prettier-ignore
import { silentLog } from '../../src/log.ts'
import { publish } from '../../src/publish/publish.ts'
import { purgeSnapshots } from '../../src/publish/purge.ts'
import { type Asked, expectEqual } from './answers.ts'
import { withFolder } from '../support/folder.ts'
import {
  givenPublished,
  INVENTED,
  leavingOut,
  publishedSnapshot,
  type PublishedRows,
} from '../support/published.ts'
import { inventedWorld } from '../support/invented-world.ts'
import { withWarehouse } from '../support/warehouse.ts'
import { CITIES, FIRST, LAST, random, relatedWorld, STREETS } from './related-world.ts'

const { signal } = new AbortController()

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
        name: maybe([`${first()} ${last()}`, last(), `${first()} ${last()} Jr`], 85),
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

/** Publishes the invented world in three shards. `body` spoils a copy of it. */
async function withShards(body: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (snapshots) => {
    const { version } = await publishedSnapshot(snapshots, inventedWorld(), now(), 3)
    await body(join(snapshots, version))
  })
}

async function changeManifest(folder: string, change: (text: string) => string): Promise<void> {
  const path = join(folder, 'manifest.json')
  await writeFile(path, change(await readFile(path, 'utf8')))
}

test('a damaged file of any shard is found, and the snapshot is refused', async () => {
  await withShards(async (folder) => {
    expect(await verifySnapshot(folder)).toEqual([])
    const file = 'lookup/001/columns/person_birth'
    const birth = await readFile(join(folder, file))
    await writeFile(
      join(folder, file),
      birth.map((byte) => byte ^ 1),
    )
    expect(await verifySnapshot(folder)).toEqual([{ file, problem: 'changed' }])
    await rm(join(folder, 'lookup/002/documents/people.bin'))
    expect(() => openLookup(folder)).toThrow(/damaged: lookup\/002\/documents\/people\.bin is missing/)
  })
})

test('shards in each other’s place are refused, and so is another number of shards', async () => {
  await withShards(async (folder) => {
    const original = `${folder}-original`
    await cp(folder, original, { recursive: true })
    const [first, second] = [join(folder, 'lookup/000'), join(folder, 'lookup/001')]
    await rename(first, `${first}-kept`)
    await rename(second, first)
    await rename(`${first}-kept`, second)
    const swapped = { '/000/': '/001/', '/001/': '/000/' } as Readonly<Record<string, string>>
    await changeManifest(folder, (text) => text.replaceAll(/\/00[01]\//g, (part) => swapped[part]!))
    expect(await verifySnapshot(folder)).toEqual([])
    expect(() => openLookup(folder)).toThrow(/columns\/shard says shard 1 of 3, not 0 of 3/)
    await changeManifest(original, (text) => text.replace('"shards": 3', '"shards": 2'))
    expect(() => openLookup(original)).toThrow(/columns\/shard says shard 0 of 3, not 0 of 2/)
  })
})
