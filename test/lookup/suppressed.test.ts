import { describe, expect, test } from 'vitest'
import type { Lookup, Suppression } from '../../src/lookup/index.ts'
import { emailHash, NamedBirthHashes, phoneHash } from '../../src/normalize/drop-hash.ts'
import { INVENTED, PUBLISHED_ON } from '../support/published.ts'
import { inventedWorld } from '../support/invented-world.ts'
import { inventedLookup, parsed, people } from './asking.ts'

const invented = inventedLookup()

/** Runs `body` with whom `list` names taken out, and lets them back in. */
async function without(
  list: readonly (Pick<Suppression, 'kind' | 'value'> & Partial<Suppression>)[],
  body: (lookup: Lookup) => void,
): Promise<void> {
  const { lookup } = invented
  await lookup.suppress(list.map((one) => ({ marks: [], ...one })))
  try {
    body(lookup)
  } finally {
    await lookup.suppress([])
  }
}

const JANE = { kind: 'person', value: INVENTED.jane } as const
const suppressedIds = (lookup: Lookup): string[] => [...(lookup.suppressed?.ids ?? [])].sort()

describe('whom a suppression names', () => {
  test.each<[string, Suppression['kind'], string, string[]]>([
    ['a person id', 'person', INVENTED.jane, [INVENTED.jane]],
    ['an id that was merged away', 'person', INVENTED.mergedIntoJane, [INVENTED.jane]],
    ['an id that nobody has', 'person', 'Pzzzzzzzzzz', []],
    ['a phone', 'phone', INVENTED.janesPhone, [INVENTED.jane]],
    ['a phone that two share', 'phone', INVENTED.sharedPhone, [INVENTED.jane, INVENTED.john]],
    ['an e-mail address', 'email', INVENTED.janesEmail, [INVENTED.jane]],
    [
      'an address of the day',
      'address',
      '123 NORTH MAIN STREET UNIT 4, AUSTIN, TX 78701|||',
      [INVENTED.jane, INVENTED.john],
    ],
    ['an address in parts', 'address', '123 N MAIN ST APT 4|AUSTIN|TX|', [INVENTED.jane, INVENTED.john]],
    ['a building without the unit', 'address', '123 N MAIN ST|AUSTIN|TX|78701', []],
    ['an address of the past', 'address', '401 ELM ST|ROUND ROCK|TX|78664', []],
    ['a name, birth date and ZIP', 'name', 'JANE|SMITH|1980-05-17|78701', [INVENTED.jane]],
    ['the same by another name of theirs', 'name', 'JANE|DOE|1980-05-17|78701', [INVENTED.jane]],
    ['the same by a ZIP of the past', 'name', 'JANE|SMITH|1980-05-17|78664', [INVENTED.jane]],
    ['a name with another birth date', 'name', 'JANE|SMITH|1980-05-18|78701', []],
    ['a name with another ZIP', 'name', 'JANE|SMITH|1980-05-17|78745', []],
    ['a name of the dead', 'name', 'WALTER|GRAVES|1931-02-03|78704', [INVENTED.walter]],
    ['a hashed phone', 'phone_hash', phoneHash(INVENTED.sharedPhone), [INVENTED.jane, INVENTED.john]],
    ['a hashed e-mail address', 'email_hash', emailHash(INVENTED.janesEmail), [INVENTED.jane]],
    [
      'a hashed name, birth date and ZIP',
      'name_hash',
      new NamedBirthHashes().of({
        first_name: 'Jane',
        last_name: 'Doe',
        birth_date: '1980-05-17',
        zip: '78664',
      }),
      [INVENTED.jane],
    ],
    [
      'a hash of somebody else',
      'name_hash',
      new NamedBirthHashes().of({
        first_name: 'Jane',
        last_name: 'Roe',
        birth_date: '1980-05-17',
        zip: '78664',
      }),
      [],
    ],
  ])('%s', async (_, kind, value, ids) => {
    await without([{ kind, value }], (lookup) => {
      expect(suppressedIds(lookup)).toEqual(ids)
      expect(lookup.suppressed?.counts).toEqual([ids.length])
    })
  })

  test('people of several words in a part of the name are hashed with the words joined', async () => {
    // Only the year of Maria's birth is known, so no hash of a whole date is hers; Catherine's is.
    const catherine = new NamedBirthHashes().of({
      first_name: 'Catherine',
      last_name: "O'Brien",
      birth_date: '1965-07-04',
      zip: '78704',
    })
    const maria = new NamedBirthHashes().of({
      first_name: 'Maria',
      last_name: 'De La Cruz',
      birth_date: '1970-00-00',
      zip: '33139',
    })
    await without(
      [
        { kind: 'name_hash', value: catherine },
        { kind: 'name_hash', value: maria },
      ],
      (lookup) => {
        expect(lookup.suppressed?.counts).toEqual([1, 0])
        expect(suppressedIds(lookup)).toEqual([INVENTED.catherine])
      },
    )
  })
})

describe('somebody who is suppressed', () => {
  test('has no details, in either version, by any of their ids', async () => {
    await without([JANE], (lookup) => {
      for (const id of [INVENTED.jane, INVENTED.mergedIntoJane])
        for (const version of [1, 2] as const) expect(lookup.person(id, PUBLISHED_ON, version)).toBeNull()
      expect(lookup.personNumber(INVENTED.jane)).toBeNull()
    })
    expect(invented.lookup.person(INVENTED.jane, PUBLISHED_ON)).not.toBeNull()
  })

  test('is in no search and no count, by whatever is asked', async () => {
    const asked = [
      { name: 'Jane Smith' }, { first_name: 'Jane' }, { phone: INVENTED.sharedPhone }, { email: INVENTED.janesEmail },
      { street: '123 N Main St', city: 'Austin' }, { last_name: 'Smith', state_code: 'TX' }, { zipcode: '78701' },
      { name: 'Jane Smith', include_fuzzy_matching: true }, { city: 'Austin', radius: 20 },
      { zipcode: '78664', include_historical_locations: true },
    ] // prettier-ignore
    const before = asked.map((query) =>
      people(invented.lookup, { ...query, strict_match: !('include_fuzzy_matching' in query) }),
    )
    await without([JANE], (lookup) => {
      for (const [index, query] of asked.entries()) {
        const found = people(lookup, { ...query, strict_match: !('include_fuzzy_matching' in query) })
        expect(found.total, JSON.stringify(query)).toBe(before[index]!.total - 1)
        expect(found.ids).not.toContain(INVENTED.jane)
      }
    })
  })

  test('is no relative of anybody, in any form of a person', async () => {
    await without([JANE], (lookup) => {
      expect(parsed(lookup.person(INVENTED.john, PUBLISHED_ON))).toMatchObject({
        name: 'John Q Smith',
        relatives: [],
      })
      expect(parsed(lookup.person(INVENTED.john, PUBLISHED_ON, 1))).toMatchObject({ relatives: [] })
      const [john] = people(lookup, { phone: INVENTED.sharedPhone }).results
      expect(john).toMatchObject({
        id: INVENTED.john,
        relatives: [],
        result_metadata: { details_url: `/v2/person/${INVENTED.john}` },
      })
    })
    expect(parsed(invented.lookup.person(INVENTED.john, PUBLISHED_ON))).toMatchObject({
      relatives: [{ id: INVENTED.jane }],
    })
  })

  test('neither owns nor lives anywhere, and where they own no mailing address is told', async () => {
    const house = { street: '125 N Main St', city: 'Austin', state_code: 'TX', strict_match: true }
    await without([JANE], (lookup) => {
      const flat = parsed(lookup.property(INVENTED.flat, PUBLISHED_ON))
      expect(flat).toMatchObject({
        residents: [{ id: INVENTED.john }],
        ownership_info: { person_owners: [{ id: INVENTED.john }], mortgages: [{ amount: 212000 }] },
        property_address: { full_address: '123 N Main St Apt 4, Austin, TX 78701' },
        year_built: 1998,
      })
      for (const body of [
        lookup.property(INVENTED.house, PUBLISHED_ON),
        lookup.findProperty(house, PUBLISHED_ON),
      ])
        expect(parsed(body)).toMatchObject({
          mailing_address: null,
          residents: [{ id: INVENTED.jonathan }],
          ownership_info: { person_owners: [], owner_type: 'individual' },
          property_metadata: { details_url: `/v2/property/${INVENTED.house}` },
        })
      expect(parsed(lookup.findProperty(house, PUBLISHED_ON, 1))).toMatchObject({
        owners: [],
        residents: [{ id: INVENTED.jonathan }],
      })
    })
    expect(parsed(invented.lookup.property(INVENTED.house, PUBLISHED_ON))).toMatchObject({
      mailing_address: { line1: '123 N Main St Apt 4' },
    })
  })

  test('is not among the people of a phone, nor are names that may be theirs, and its facts agree', async () => {
    await without([JANE], (lookup) => {
      expect(parsed(lookup.phone(INVENTED.sharedPhone, PUBLISHED_ON))).toMatchObject({
        phone: {
          primary_owner: 'person',
          returned_people: 1,
          people_truncated: false,
          line_type: 'landline',
        },
        people: [{ id: INVENTED.john }],
      })
      expect(parsed(lookup.phone(INVENTED.janesPhone, PUBLISHED_ON))).toMatchObject({
        phone: { primary_owner: 'unknown', returned_people: 0, line_type: 'mobile' },
        people: [],
      })
    })
    await without([{ kind: 'phone', value: INVENTED.namedPhone }], (lookup) => {
      expect(parsed(lookup.phone(INVENTED.namedPhone, PUBLISHED_ON))).toMatchObject({
        phone: { primary_owner: 'business', returned_people: 0, returned_businesses: 1 },
        people: [],
        businesses: [{ name: 'Ocean Clinic Inc' }],
      })
      expect(people(lookup, { phone: INVENTED.namedPhone }).total).toBe(0)
    })
  })

  test('makes room for the next on a crowded phone', async () => {
    const crowd = people(invented.lookup, { phone: INVENTED.crowdedPhone }).ids
    const gone = crowd.slice(0, 2).map((value) => ({ kind: 'person', value }) as const)
    await without(gone.slice(0, 1), (lookup) => {
      expect(parsed(lookup.phone(INVENTED.crowdedPhone, PUBLISHED_ON))).toMatchObject({
        phone: { returned_people: 10, people_truncated: true },
      })
    })
    await without(gone, (lookup) => {
      const { phone, people: shown } = parsed(lookup.phone(INVENTED.crowdedPhone, PUBLISHED_ON)) as { phone: unknown; people: { id: string }[] } // prettier-ignore
      expect(phone).toMatchObject({ returned_people: 10, people_truncated: false })
      expect(shown.map(({ id }) => id).sort()).toEqual(crowd.slice(2).sort())
    })
  })

  test('is whom a row of a list means, though they do not come out, so that nobody else is taken for them', async () => {
    const clues = {
      first_name: 'Jane',
      last_name: 'Smith',
      street: '123 N Main St Apt 4',
      zipcode: '78701',
      phones: [INVENTED.sharedPhone],
    }
    const identified = (lookup: Lookup, weighsSuppressed = true) =>
      lookup.identify(lookup.readClues([clues], PUBLISHED_ON, weighsSuppressed)[0]!, PUBLISHED_ON)
    const whom = (lookup: Lookup): string[] =>
      identified(lookup).candidates.map(({ person }) => lookup.personParts(person, PUBLISHED_ON).id)
    expect(whom(invented.lookup)[0]).toBe(INVENTED.jane)
    await without([JANE], (lookup) => {
      const { suppressedScore, candidates } = identified(lookup)
      expect(whom(lookup)).not.toContain(INVENTED.jane)
      expect(suppressedScore).toBeGreaterThan(90)
      expect(candidates.every(({ score }) => score < 50)).toBe(true)
    })
  })

  test('is weighed for the operator only: for others the snapshot is searched as if they were not in it', async () => {
    const clues = { name: 'Jane Smith', phones: [INVENTED.sharedPhone] }
    const [read] = invented.lookup.readClues([clues], PUBLISHED_ON, false)
    expect(read!.phones[0]!.qualities.size).toBe(2)
    await without([JANE], (lookup) => {
      const [others] = lookup.readClues([clues], PUBLISHED_ON, false)
      expect(others!.phones[0]!.qualities.size).toBe(1)
      expect(lookup.identify(others!, PUBLISHED_ON).suppressedScore).toBe(0)
    })
  })
})

describe('a property that only names somebody suppressed', () => {
  const NAMING = [
    { owner_sequence: 11, owner_name: 'SMITH JANE', owner_type: 'individual' },
    { owner_sequence: 12, owner_name: 'Unknown Heirs', owner_type: 'unknown' },
    { owner_sequence: 13, owner_name: 'Jane Ann Smith Living Trust', owner_type: 'trust' },
    { owner_sequence: 14, owner_name: 'Invented Holdings LLC', owner_type: 'business' },
    { owner_sequence: 15, owner_name: 'GARCIA JANE', owner_type: 'individual' },
  ].map((row) => ({ property_id: INVENTED.house, ...row }))
  const LENDERS = ['Jane A Smith', 'Invented Savings Bank']
  const rows = inventedWorld()
  rows.property_owners!.push(...NAMING)
  rows.person_names!.push({ person_id: INVENTED.jane, first_name: 'JANE ANN', last_name: 'GARCIA LOPEZ', is_primary: false }) // prettier-ignore
  for (const [n, lender_name] of LENDERS.entries())
    rows.mortgages!.push({ property_id: INVENTED.house, document_id: `m${n}`, amount: 1000, lender_name, position: n + 1 }) // prettier-ignore
  const named = inventedLookup(rows)

  const ownersOf = () => {
    const { ownership_info } = parsed(named.lookup.property(INVENTED.house, PUBLISHED_ON)) as {
      ownership_info: Record<string, Record<string, unknown>[]>
    }
    return {
      people: ownership_info['person_owners']!.filter(({ id }) => id === null).map(({ name }) => name),
      others: ownership_info['business_owners']!.map(({ name }) => name),
      lenders: ownership_info['mortgages']!.map(({ lender_name }) => lender_name),
    }
  }

  test('loses the owners, trusts and private lenders of that name, and keeps the others', async () => {
    const { people: before, others: othersBefore } = ownersOf()
    expect(before).toEqual(expect.arrayContaining(['SMITH JANE', 'GARCIA JANE', 'Unknown Heirs']))
    expect(othersBefore).toEqual(expect.arrayContaining(['Jane Ann Smith Living Trust', 'Invented Holdings LLC'])) // prettier-ignore
    await named.lookup.suppress([{ ...JANE, marks: [] }])
    const { people: after, others, lenders } = ownersOf()
    expect(after).toEqual(before.filter((name) => name !== 'SMITH JANE' && name !== 'GARCIA JANE'))
    expect(others).toEqual(othersBefore.filter((name) => name !== 'Jane Ann Smith Living Trust'))
    expect(lenders).toEqual([null, 'Invented Savings Bank'])
    await named.lookup.suppress([])
    expect(ownersOf().people).toEqual(before)
  })

  test('tells nothing of them in a search either, in either version', async () => {
    await named.lookup.suppress([{ ...JANE, marks: [] }])
    const asked = { street: '125 N Main St', city: 'Austin', state_code: 'TX', strict_match: true }
    for (const version of [1, 2] as const) {
      const found = String(named.lookup.findProperty(asked, PUBLISHED_ON, version))
      expect(found).toContain('Unknown Heirs')
      expect(found).not.toMatch(/smith jane|jane.*smith/i)
    }
  })
})

describe('a later snapshot', () => {
  // A warehouse built anew may give Jane another id.
  const rows = JSON.parse(JSON.stringify(inventedWorld()).replaceAll(INVENTED.jane, 'PNewId00001').replaceAll(INVENTED.mergedIntoJane, 'PNewId00099')) // prettier-ignore
  const later = inventedLookup(rows)

  const mark = { name: 'Jane Ann Smith', address_id: INVENTED.flatAddress, birth_date: '1980-05-17' }

  test.each<[string, Suppression, string[]]>([
    [
      'somebody who has another id now is known by name, address and birth date',
      { kind: 'person', value: INVENTED.jane, marks: [mark] },
      ['PNewId00001'],
    ],
    [
      'also where the birth date was not known',
      { kind: 'person', value: INVENTED.jane, marks: [{ ...mark, birth_date: null }] },
      ['PNewId00001'],
    ],
    [
      'but not with another birth date',
      { kind: 'person', value: INVENTED.jane, marks: [{ ...mark, birth_date: '1955-05-17' }] },
      [],
    ],
    [
      'nor elsewhere',
      { kind: 'person', value: INVENTED.jane, marks: [{ ...mark, address_id: INVENTED.neighbourAddress }] },
      [],
    ],
    [
      'what was said of a phone holds for whoever has it',
      { kind: 'phone', value: INVENTED.janesPhone, marks: [] },
      ['PNewId00001'],
    ],
  ])('%s', async (_, suppression, ids) => {
    await later.lookup.suppress([suppression])
    expect(suppressedIds(later.lookup)).toEqual(ids)
  })
})
