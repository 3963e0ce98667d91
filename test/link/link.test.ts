import type { DuckDBConnection } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { explainTwo } from '../../src/link/explain/explain-pair.ts'
import { contact, linkStaged, owner, parcel, restage, voter } from '../support/staged-world.ts'
import { type Cell, given, rowsOf } from '../support/warehouse.ts'
import { JANE, personOf, withStaging } from './support.ts'

async function people(db: DuckDBConnection): Promise<number> {
  return (await rowsOf(db, 'select distinct person_id from link.person_mentions')).length
}

function together(name: string, rows: Record<string, Cell>[], expected: number): void {
  test(name, async () => {
    await withStaging({ 'staging.person_mentions': rows }, async (db) => {
      await linkStaged(db)
      expect(await people(db)).toBe(expected)
    })
  })
}

describe('one person', () => {
  together('the same name and birth date', [voter('1', JANE), contact('a', { ...JANE, line_1: '9 Oak Ave', city: 'Austin', state: 'TX', zip: '78701' })], 1) // prettier-ignore
  together('a nickname with the birth date', [
    voter('1', { ...JANE, first_name: 'William' }),
    contact('a', { ...JANE, first_name: 'Bill', line_1: null }),
  ], 1) // prettier-ignore
  together('the same name and phone', [
    contact('a', { last_name: 'Abernathy', first_name: 'Jane', phone: '(954) 555-0142' }),
    contact('b', { last_name: 'Abernathy', first_name: 'Jane', phone: '+1 954 555 0142' }),
  ], 1) // prettier-ignore
  together('the same name and e-mail', [
    contact('a', { last_name: 'Abernathy', first_name: 'Jane', email: 'jane.a@example.com' }),
    contact('b', { last_name: 'Abernathy', first_name: 'Jane', email: ' Jane.A@example.com' }),
  ], 1) // prettier-ignore
  together('the same name and address, written otherwise', [
    voter('1', { ...JANE, birth_date: null, line_1: '12 NORTH ELM STREET #4' }),
    contact('a', { last_name: 'ABERNATHY', first_name: 'Jane', line_1: '12 N Elm St', line_2: 'Apt 4', city: 'Fort Lauderdale', state: 'FL', zip: '33301-1234' }),
  ], 1) // prettier-ignore
  together('a maiden name on record, with the birth date', [
    voter('1', { ...JANE, last_name: 'Fairweather', other_last_name: 'Abernathy', gender: 'F' }),
    contact('a', { ...JANE, line_1: null }),
  ], 1) // prettier-ignore
  together('month and day exchanged, at the same address', [
    voter('1', JANE),
    contact('a', { ...JANE, birth_date: '1980-04-03', city: 'Fort Lauderdale', state: 'FL', zip: '33301' }),
  ], 1) // prettier-ignore
  together('a birth year only, with the phone', [
    voter('1', { ...JANE, phone: '9545550142' }),
    contact('a', { ...JANE, birth_date: '1980-00-00', line_1: null, phone: '9545550142' }),
  ], 1) // prettier-ignore
})

describe('two people', () => {
  together('the same name and other birth dates, at one address', [voter('1', JANE), voter('2', { ...JANE, birth_date: '1951-10-20' })], 2) // prettier-ignore
  together('Jr and Sr', [
    voter('1', { ...JANE, birth_date: null, first_name: 'John', name_suffix: 'Jr' }),
    voter('2', { ...JANE, birth_date: null, first_name: 'John', name_suffix: 'Sr' }),
  ], 2) // prettier-ignore
  together('other middle initials with nothing but the address', [
    voter('1', { ...JANE, birth_date: null, middle_name: 'Q' }),
    voter('2', { ...JANE, birth_date: null, middle_name: 'T' }),
  ], 2) // prettier-ignore
  together('spouses who share a phone and a surname', [
    voter('1', { ...JANE, birth_date: null, phone: '9545550142' }),
    voter('2', { ...JANE, birth_date: null, first_name: 'Peter', phone: '9545550142' }),
  ], 2) // prettier-ignore
  together('only the same name', [
    contact('a', { last_name: 'Abernathy', first_name: 'Jane', line_1: '1 Oak St', city: 'Austin', state: 'TX', zip: '78701' }),
    contact('b', { last_name: 'Abernathy', first_name: 'Jane', line_1: '7 Elm St', city: 'Miami', state: 'FL', zip: '33101' }),
  ], 2) // prettier-ignore
})

test('an owner is the voter who lives at the parcel, each of a couple for themselves', async () => {
  await withStaging(
    {
      'staging.person_mentions': [
        voter('1', JANE),
        voter('2', { ...JANE, first_name: 'Peter', birth_date: '1979-01-02', middle_name: null }),
      ],
      'staging.parcels': [parcel('000000000001', '12 ELM ST')],
      'staging.parcel_owners': [owner('000000000001', 'ABERNATHY JANE Q & PETER')],
    },
    async (db) => {
      await linkStaged(db)
      expect(await people(db)).toBe(2)
      expect(await personOf(db, '16|000000000001#1')).toBe(await personOf(db, 'voters/1'))
      expect(await personOf(db, '16|000000000001#2')).toBe(await personOf(db, 'voters/2'))
    },
  )
})

test('numbers and traits that a definition maps reach the linker, each kind by itself, beside the source record', async () => {
  const row = {
    ...JANE,
    identifier: 'fl_voter:1|passport:X9',
    traits: 'Birthplace: Georgia|credential:rn',
    occupation: 'Nurse',
  }
  await withStaging({ 'staging.person_mentions': [voter('1', row), contact('a', JANE)] }, async (db) => {
    await linkStaged(db)
    expect(await rowsOf(db, 'select identifiers, traits from link.records order by record_id')).toEqual([
      {
        identifiers: ['fl_voter:1', 'passport:X9', 'source_record:us/fl/statewide.voters/voters/1'],
        traits: ['birthplace:GEORGIA', 'credential:RN', 'occupation:NURSE'],
      },
      { identifiers: ['source_record:us/lists.contacts/contacts/a'], traits: [] },
    ])
    await restage(db, 'staging.person_mentions', [voter('1', { ...row, traits: null }), contact('a', JANE)])
    expect(await linkStaged(db, '2025-11-03')).toMatchObject({ changed: true })
  })
})

test('of a source without duplicates two records are two people, and two issues of one record are one', async () => {
  const source = { source_id: 'us/fl/statewide.voters', is_duplicate_free: true, is_household_like: false }
  const past = { ...voter('1', { ...JANE, line_1: '9 Oak Ave' }), as_of_on: '2025-10-01' }
  const carol = { ...JANE, first_name: 'Carol', last_name: 'Fairweather', birth_date: '1962-07-08' }
  const moved = { ...voter('3', { ...carol, line_1: '9 Oak Ave' }), as_of_on: '2025-10-01' }
  const rows = [voter('1', JANE), voter('2', JANE), contact('a', { ...JANE, line_1: null })]
  const tables = { 'staging.person_mentions': rows, 'staging.past_person_mentions': [past] }
  await withStaging(tables, async (db) => {
    await linkStaged(db)
    expect(await people(db)).toBe(1)
    await given(db, 'reference.sources', [source])
    expect(await linkStaged(db, '2025-11-03')).toMatchObject({ changed: true, people: 2 })
    expect(await personOf(db, '@2025-10-01')).toBe(await personOf(db, 'voters/1'))
    expect(await personOf(db, 'voters/2')).not.toBe(await personOf(db, 'voters/1'))
    // Nobody else's record ties these two together.
    await given(db, 'staging.person_mentions', [voter('3', carol)])
    await given(db, 'staging.past_person_mentions', [moved])
    expect(await linkStaged(db, '2025-11-04')).toMatchObject({ people: 3 })
    expect(await personOf(db, 'voters/3@2025-10-01')).toBe(await personOf(db, 'voters/3'))
  })
})

test('of a source that lists households the same address says no more than the same place', async () => {
  const row = {
    last_name: 'Abernathy',
    first_name: 'Jane',
    line_1: '12 Elm St',
    city: 'Austin',
    state: 'TX',
    zip: '78701',
  }
  const rows = [contact('a', row), contact('b', row)]
  await withStaging({ 'staging.person_mentions': rows }, async (db) => {
    const told = async () => {
      const [a, b] = ['us/lists.contacts/contacts/a', 'us/lists.contacts/contacts/b'] as const
      return (await explainTwo(db, [a, b])).pair.terms.map(
        ({ comparison, level }) => `${comparison}: ${level}`,
      )
    }
    await linkStaged(db)
    expect(await told()).toContain('address: unit')
    await given(db, 'reference.sources', [
      { source_id: 'us/lists.contacts', is_duplicate_free: false, is_household_like: true },
    ])
    await linkStaged(db, '2025-11-03')
    expect(await told()).toContain('place: zip')
    expect(await told()).not.toContain('address: unit')
  })
})

test('a phone that everybody has joins nobody', async () => {
  const rows = Array.from(
    { length: 80 },
    (_, i) =>
    contact(`c${i}`, { last_name: 'Abernathy', first_name: 'Jane', phone: '8005550142', line_1: `${i + 1} Elm St`, city: 'Austin', state: 'TX', zip: '78701' }), // prettier-ignore
  )
  await withStaging({ 'staging.person_mentions': rows }, async (db) => {
    const report = await linkStaged(db)
    expect(report.people).toBe(80)
  })
})

test('the same rows in another order, on more threads, make the same people with the same ids', async () => {
  const names = ['Jane', 'Peter', 'Carol', 'William', 'Bill', 'Ann', 'Susan', 'Sue', 'Robert', 'Bob']
  const rows = Array.from({ length: 200 }, (_, i) =>
    contact(`c${i}`, {
      first_name: names[i % 10] ?? null,
      last_name: ['Abernathy', 'Fairweather', 'Lindqvist'][i % 3] ?? null,
      phone: `954555${String(1000 + (i % 37))}`,
      line_1: `${1 + (i % 23)} Elm St`,
      city: 'Austin',
      state: 'TX',
      zip: '78701',
    }),
  )
  const answers: unknown[] = []
  for (const [threads, ordered] of [
    [1, rows],
    [2, rows.toReversed()],
  ] as const)
    // prettier-ignore
    await withStaging({ 'staging.person_mentions': ordered }, async (db) => {
      await db.run(`set threads = ${threads}`)
      await linkStaged(db)
      answers.push(await rowsOf(db, 'select mention_key, person_id from link.person_mentions order by mention_key'))
    })
  expect(answers[1]).toEqual(answers[0])
})

test('edges say by mention key how strongly two records of one person are joined', async () => {
  const rows = [voter('1', JANE), contact('a', { ...JANE, line_1: null })]
  await withStaging({ 'staging.person_mentions': rows }, async (db) => {
    await linkStaged(db)
    const edges = () =>
      rowsOf(
        db,
        'select list_sort([left_id, right_id]) as ids, probability > 0.99 as is_sure from link.edges',
      )
    const ids = ['us/fl/statewide.voters/voters/1', 'us/lists.contacts/contacts/a']
    expect(await edges()).toEqual([{ ids, is_sure: true }])
    await db.run('update link.pair_edges set bits = -1.25')
    expect(await edges()).toEqual([{ ids, is_sure: false }])
    await db.run('update link.groups set cluster = record_number')
    expect(await edges()).toEqual([])
  })
})
