import type { DuckDBConnection } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { explainTwo } from '../../src/link/explain-pair.ts'
import { carryIdentities } from '../../src/link/identities.ts'
import { createModelInputs } from '../support/staging.ts'
import { COUNTIES, contact, linkStaged, owner, parcel, restage, voter } from '../support/staged-world.ts'
import { type Cell, given, rowsOf, withWarehouse } from '../support/warehouse.ts'

const JANE = {
  last_name: 'Abernathy',
  first_name: 'Jane',
  middle_name: 'Q',
  birth_date: '1980-03-04',
  line_1: '12 Elm St',
}

async function withStaging(
  tables: Record<string, Record<string, Cell>[]>,
  body: (db: DuckDBConnection) => Promise<void>,
): Promise<void> {
  await withWarehouse(async (db) => {
    await createModelInputs(db)
    await given(db, 'reference.counties', COUNTIES)
    for (const [table, rows] of Object.entries(tables)) await given(db, table, rows)
    await body(db)
  })
}

async function personOf(db: DuckDBConnection, mention: string): Promise<unknown> {
  const [row] = await rowsOf(
    db,
    `select person_id from link.person_mentions where mention_key like '%${mention}'`,
  )
  return row?.['person_id']
}

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

describe('from night to night', () => {
  test('a person keeps the id when a record moves, changes and joins', async () => {
    await withStaging({ 'staging.person_mentions': [voter('5', JANE)] }, async (db) => {
      await linkStaged(db)
      const before = await personOf(db, 'voters/5')
      expect(before).toMatch(/^P[0-9A-Za-z]{10}$/)
      await restage(db, 'staging.person_mentions', [
        contact('a', { ...JANE, line_1: null }),
        voter('5', { ...JANE, line_1: '77 Palm Way' }),
      ])
      await given(db, 'staging.past_person_mentions', [{ ...voter('5', JANE), as_of_on: '2025-10-01' }])
      const report = await linkStaged(db, '2025-11-03')
      expect(await personOf(db, 'voters/5')).toBe(before)
      expect(await personOf(db, 'contacts/a')).toBe(before)
      expect(report).toMatchObject({ people: 1, allocated: 0, merged: 0, split: 0 })
    })
  })

  test('of two people who turn out to be one the older id stays and the other redirects', async () => {
    await withStaging({ 'staging.person_mentions': [voter('5', JANE)] }, async (db) => {
      await linkStaged(db)
      const older = await personOf(db, 'voters/5')
      const stranger = contact('a', { last_name: 'Abernathy', first_name: 'Jane', email: 'jane@example.com' })
      await restage(db, 'staging.person_mentions', [voter('5', JANE), stranger])
      await linkStaged(db, '2025-11-03')
      const younger = await personOf(db, 'contacts/a')
      expect(younger).not.toBe(older)
      await restage(db, 'staging.person_mentions', [
        voter('5', { ...JANE, email: 'jane@example.com' }),
        stranger,
      ])
      const report = await linkStaged(db, '2025-11-04')
      expect(report).toMatchObject({ people: 1, merged: 1 })
      expect(await personOf(db, 'contacts/a')).toBe(older)
      expect(await rowsOf(db, 'select * from link.person_redirects')).toMatchObject([
        {
          old_person_id: younger,
          person_id: older,
          merged_on: '2025-11-04',
          reason: expect.stringMatching(
            /one person's: us\/fl\/statewide\.voters and us\/lists\.contacts, [\d.]+ bits$/,
          ),
        },
      ])
    })
  })

  test('an id that goes into another over an edge below even odds is told which sources the edge ties', async () => {
    const stranger = contact('a', { last_name: 'Abernathy', first_name: 'Jane', email: 'jane@example.com' })
    await withStaging({ 'staging.person_mentions': [voter('5', JANE), stranger] }, async (db) => {
      expect(await linkStaged(db)).toMatchObject({ people: 2 })
      await db.run('update link.clusters set cluster_number = 1')
      await db.run('delete from link.pair_edges')
      await db.run('delete from link.groups')
      await db.run('insert into link.pair_edges values (0, 1, -1.5)')
      await db.run('insert into link.groups values (0, 0, 0), (1, 0, 0)')
      await carryIdentities(db, '2025-11-03')
      expect(await rowsOf(db, 'select reason from link.person_redirects')).toEqual([
        { reason: "records of both turned out to be one person's: us/fl/statewide.voters and us/lists.contacts, -1.5 bits" },
      ]) // prettier-ignore
    })
  })

  test('of a person who turns out to be two the larger part keeps the id, and the parting is on record', async () => {
    const shared = { last_name: 'Abernathy', first_name: 'Jane', phone: '9545550142' }
    const [a, b, c] = [contact('a', shared), contact('b', shared), contact('c', shared)]
    await withStaging({ 'staging.person_mentions': [a, b, c] }, async (db) => {
      await linkStaged(db)
      const before = await personOf(db, 'contacts/a')
      await restage(db, 'staging.person_mentions', [a, b, { ...c, phone: '3055550177' }])
      const report = await linkStaged(db, '2025-11-03')
      expect(report).toMatchObject({ people: 2, allocated: 1, split: 1 })
      expect(await personOf(db, 'contacts/a')).toBe(before)
      expect(await personOf(db, 'contacts/c')).not.toBe(before)
      expect(await rowsOf(db, 'select person_id, event, other_person_id from link.person_history')).toEqual([
        { person_id: before, event: 'split', other_person_id: await personOf(db, 'contacts/c') },
      ])
    })
  })

  test('a seller keeps the id though the owner record names the buyer now', async () => {
    const roll = { 'staging.parcels': [parcel('000000000001', '12 ELM ST')] }
    await withStaging(
      { ...roll, 'staging.parcel_owners': [owner('000000000001', 'ABERNATHY JANE Q')] },
      async (db) => {
        await linkStaged(db)
        const seller = await personOf(db, '#1')
        await restage(db, 'staging.parcel_owners', [owner('000000000001', 'ABERNATHY CAROL')])
        await given(db, 'staging.past_parcel_owners', [
          { ...owner('000000000001', 'ABERNATHY JANE Q'), as_of_on: '2024-10-01' },
        ])
        await linkStaged(db, '2025-11-03')
        expect(await personOf(db, '@2024-10-01#1')).toBe(seller)
        expect(await personOf(db, '16|000000000001#1')).not.toBe(seller)
      },
    )
  })

  test('a couple who own everything together are not parted by what is new elsewhere', async () => {
    const numbers = ['1', '2', '3']
    const roll = {
      'staging.parcels': numbers.map((number) => parcel(number, `${number}2 Elm St`)),
      'staging.parcel_owners': numbers.map((number) =>
        owner(number, 'ABERNATHY JANE & PETER', {
          mail_line_1: '12 Elm St',
          mail_city: 'Fort Lauderdale',
          mail_zip: '33301',
        }),
      ),
    }
    await withStaging(roll, async (db) => {
      await linkStaged(db)
      await given(db, 'staging.person_mentions', [voter('9', { ...JANE, first_name: 'Carol' })])
      expect(await linkStaged(db, '2025-11-03')).toMatchObject({
        people: 3,
        allocated: 1,
        merged: 0,
        split: 0,
      })
      expect(await rowsOf(db, 'select event from link.person_history')).toEqual([])
    })
  })

  test('father and son of one name in one owner field are told apart night after night', async () => {
    const roll = {
      'staging.parcels': [parcel('1', '12 Elm St')],
      'staging.parcel_owners': [owner('1', 'ABERNATHY JOHN SR & ABERNATHY JOHN JR')],
    }
    await withStaging(roll, async (db) => {
      await linkStaged(db)
      const ids = [await personOf(db, '#1'), await personOf(db, '#2')]
      expect(new Set(ids).size).toBe(2)
      expect(await linkStaged(db, '2025-11-03', true)).toMatchObject({ allocated: 0, merged: 0, split: 0 })
      expect([await personOf(db, '#1'), await personOf(db, '#2')]).toEqual(ids)
      expect(await rowsOf(db, 'select event from link.person_history')).toEqual([])
    })
  })

  test('a night with nothing new compares nothing', async () => {
    await withStaging({ 'staging.person_mentions': [voter('5', JANE)] }, async (db) => {
      expect(await linkStaged(db)).toMatchObject({ changed: true, people: 1 })
      expect(await linkStaged(db, '2025-11-03')).toMatchObject({ changed: false, mentions: 1, people: 1 })
    })
  })

  test('what another version of the linkage decided is decided anew, though nothing is new', async () => {
    await withStaging({ 'staging.person_mentions': [voter('5', JANE)] }, async (db) => {
      const first = await linkStaged(db)
      await db.run(`update link.runs set fingerprint = regexp_replace(fingerprint, '^\\d+', '1')`)
      expect(await linkStaged(db, '2025-11-03')).toMatchObject({
        changed: true,
        people: first.people,
        allocated: 0,
      })
      expect(await linkStaged(db, '2025-11-04')).toMatchObject({ changed: false, people: first.people })
    })
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
