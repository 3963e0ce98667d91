import { appendFile, readdir, readFile, readlink, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { open } from 'lmdb'
import { describe, expect, test } from 'vitest'
import { openLookup } from '../../src/lookup/index.ts'
import type { Manifest } from '../../src/lookup/format/manifest.ts'
import { INDEX_FILE } from '../../src/lookup/format/store.ts'
import { withFolder } from '../support/folder.ts'
import { inventedSnapshot } from '../support/invented-snapshot.ts'
import { INVENTED, PUBLISHED_ON } from '../support/published.ts'
import { parsed, inventedLookup } from './asking.ts'

const world = inventedLookup()

describe('person', () => {
  test('details list everything, without what belongs to a search', () => {
    const { lookup } = world
    const jane = parsed(lookup.person(INVENTED.jane, PUBLISHED_ON))
    expect(Object.keys(jane!)).toEqual([
        'id', 'name', 'aliases', 'is_dead', 'age', 'date_of_birth', 'linkedin_url', 'company_name', 'job_title', 'phones',
        'emails', 'current_addresses', 'historic_addresses', 'owned_properties', 'relatives',
      ]) // prettier-ignore
    expect(jane).toMatchObject({
      id: INVENTED.jane,
      aliases: ['Jane Doe'],
      age: 46,
      current_addresses: [
        {
          address_id: INVENTED.flatAddress,
          full_address: '123 N Main St Apt 4, Austin, TX 78701',
          city: 'Austin',
          state: 'TX',
          line1: '123 N Main St Apt 4',
          zip: '78701',
        },
      ],
      owned_properties: [
        { id: INVENTED.flat },
        { id: INVENTED.house, address: '125 N Main St, Austin, TX 78701' },
      ],
      relatives: [{ id: INVENTED.john, name: 'John Q Smith' }],
    })
    expect(jane!['phones']).toHaveLength(6)
    expect(jane!['emails']).toHaveLength(5)
    expect(jane!['historic_addresses']).toHaveLength(7)
  })

  test('age turns on the birthday', () => {
    const { lookup } = world
    expect(parsed(lookup.person(INVENTED.jane, '2026-05-16'))).toMatchObject({ age: 45 })
    expect(parsed(lookup.person(INVENTED.jane, '2026-05-17'))).toMatchObject({ age: 46 })
  })

  test('an id that was merged away gives the survivor; an id of nobody gives nothing', () => {
    const { lookup } = world
    expect(parsed(lookup.person(INVENTED.mergedIntoJane, PUBLISHED_ON))).toMatchObject({
      id: INVENTED.jane,
    })
    expect(lookup.person('Pzzzzzzzzzz', PUBLISHED_ON)).toBeNull()
  })
})

describe('phone', () => {
  test('a shared number gives all its people, each with it first', () => {
    const { lookup } = world
    const body = parsed(lookup.phone(INVENTED.sharedPhone, PUBLISHED_ON))
    expect(body).toMatchObject({
      phone: {
        e164: '+15125550100',
        national_format: '(512) 555-0100',
        line_type: 'landline',
        primary_owner: 'person',
        returned_people: 2,
        people_limit: 10,
        people_truncated: false,
        returned_businesses: 0,
      },
      people: [
        { id: INVENTED.jane, matched_by: ['phone'], phones: [{ number: '(512) 555-0100' }, {}, {}, {}] },
        { id: INVENTED.john },
      ],
      businesses: [],
    })
  })

  test('ten people at most', () => {
    const { lookup } = world
    const body = parsed(lookup.phone(INVENTED.crowdedPhone, PUBLISHED_ON))
    expect(body).toMatchObject({ phone: { returned_people: 10, people_truncated: true } })
    expect(body!['people']).toHaveLength(10)
  })

  test('a business has its addresses', () => {
    const { lookup } = world
    expect(parsed(lookup.phone(INVENTED.businessPhone, PUBLISHED_ON))).toMatchObject({
      phone: { primary_owner: 'business', returned_businesses: 1, carrier: null },
      people: [],
      businesses: [
        {
          name: 'Ocean Clinic Inc',
          addresses: [
            { line1: '77 Collins Ave', latlong: { lat: 25.77, lng: -80.132 }, is_historical: false },
          ],
          approximate_locations: [],
        },
      ],
    })
  })

  test('a number of which nothing is known still has a body', () => {
    const { lookup } = world
    expect(parsed(lookup.phone(INVENTED.unknownPhone, PUBLISHED_ON))).toEqual({
      phone: {
        e164: '+12065550142',
        national_format: '(206) 555-0142',
        line_type: 'unknown',
        carrier: null,
        primary_owner: 'unknown',
        returned_people: 0,
        people_limit: 10,
        people_truncated: false,
        returned_businesses: 0,
      },
      people: [],
      businesses: [],
    })
    expect(parsed(lookup.phone('18005550100', PUBLISHED_ON))).toMatchObject({
      phone: { line_type: 'tollfree' },
    })
  })
})

describe('property', () => {
  test.each([
    '1979-01-01',
    '1989-05-16',
    '1989-05-17',
    '1990-05-17',
    '2079-05-17',
    '2080-05-17',
    '2103-05-17',
  ])('on %s its owners and residents are as old as they are by themselves, found or in details', (today) => {
    const { lookup } = world
    const asked = { street: '123 N Main St Apt 4', zipcode: '78701', strict_match: true }
    const forms = [lookup.findProperty(asked, today), lookup.property(INVENTED.flat, today)]
    for (const form of forms.map(parsed) as unknown as Occupied[]) {
      const people = [...form.ownership_info.person_owners, ...form.residents]
      expect(people.map(({ id }) => id)).toContain(INVENTED.jane)
      for (const { id, age } of people.filter((person) => person.id !== null))
        expect(age).toBe(parsed(lookup.person(id!, today))!['age'])
    }
  })
})

interface Occupied {
  readonly ownership_info: { readonly person_owners: Aged[] }
  readonly residents: Aged[]
}

interface Aged {
  readonly id: string | null
  readonly age: number | null
}

describe('opening', () => {
  test('two lookups on one snapshot do not disturb each other, and one closes alone', async () => {
    await withFolder(async (snapshots) => {
      const version = await inventedSnapshot(snapshots)
      const first = openLookup(join(snapshots, version))
      const second = openLookup(join(snapshots, version))
      first.close()
      expect(second.person(INVENTED.jane, PUBLISHED_ON)).not.toBeNull()
      second.close()
    })
  })

  test('answers are the caller’s own: a later lookup does not change them', () => {
    const { lookup } = world
    const jane = lookup.person(INVENTED.jane, PUBLISHED_ON)!
    const before = jane.toString()
    lookup.person(INVENTED.john, PUBLISHED_ON)
    expect(jane.toString()).toBe(before)
  })

  describe.runIf(process.platform === 'linux')('a snapshot that is not whole', () => {
    test.each<[string, (lookup: string) => Promise<void>]>([
      ['lacks a file of documents', (lookup) => rm(join(lookup, 'documents/phones.bin'))],
      ['has an index without trees', emptyIndex],
      ['has a column cut by eight bytes', cutColumn],
      [
        'has more documents than it knows of',
        (lookup) => appendFile(join(lookup, 'documents/people.bin'), ' '),
      ],
    ])('%s: it is refused, and leaves no file open', async (_, spoil) => {
      await withFolder(async (snapshots) => {
        const version = await inventedSnapshot(snapshots)
        await spoil(join(snapshots, version, 'lookup'))
        expect(() => openLookup(join(snapshots, version))).toThrow(
          expect.objectContaining({
            code: 'bad_snapshot',
            message: expect.stringMatching(/damaged.*nightly/) as unknown,
          }),
        )
        await expect.poll(() => openFiles(snapshots)).toEqual([])
      })
    })
  })

  test.each(['person_birth', 'address_house', 'word_text', 'phone_people_scores', 'person_document_start'])(
    'the column %s, shorter than the others and published so, is refused',
    async (name) => {
      await withFolder(async (snapshots) => {
        const folder = join(snapshots, await inventedSnapshot(snapshots))
        const file = `lookup/columns/${name}`
        const { size } = await stat(join(folder, file))
        await truncate(join(folder, file), size - 4)
        const path = join(folder, 'manifest.json')
        const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest
        manifest.files[file]!.bytes = size - 4
        await writeFile(path, JSON.stringify(manifest))
        expect(() => openLookup(folder)).toThrow(/can't be opened/)
      })
    },
  )

  test('a snapshot of another schema is refused', async () => {
    await withFolder(async (snapshots) => {
      const version = await inventedSnapshot(snapshots)
      const path = join(snapshots, version, 'manifest.json')
      await writeFile(
        path,
        (await readFile(path, 'utf8')).replace(/"schema_version": \d+/, '"schema_version": 99'),
      )
      expect(() => openLookup(join(snapshots, version))).toThrow(/newer version.*schema 99/)
    })
  })
})

async function cutColumn(lookup: string): Promise<void> {
  const path = join(lookup, 'columns/word_text')
  await truncate(path, (await stat(path)).size - 8)
}

async function emptyIndex(lookup: string): Promise<void> {
  const path = join(lookup, INDEX_FILE)
  await rm(path)
  await open({ path, noSubdir: true }).close()
}

/** The files below `folder` that this process has open. */
async function openFiles(folder: string): Promise<string[]> {
  const names = await readdir('/proc/self/fd')
  const paths = await Promise.all(names.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return paths.filter((path) => path.startsWith(folder))
}
