import { describe, expect, test } from 'vitest'
import { loadModels } from '../../src/warehouse/models.ts'
import { contact, owner, parcel, staged, voter, withPublished } from '../support/staged-world.ts'
import { type Cell, rowsOf } from '../support/warehouse.ts'

type Row = Record<string, Cell>

const JANE = {
  last_name: 'ABERNATHY',
  first_name: 'JANE',
  middle_name: 'QUILL',
  birth_date: '1980-03-04',
  line_1: '12 ELM ST',
}
const AUSTIN = { city: 'Austin', state: 'TX', zip: '78701' }

const mortgage = (id: string, on: string): Row =>
  staged('us/ny/nyc.acris', 'master', id, {
    county_fips: '36061', document_id: `us/ny/nyc.acris|${id}`, loan_type: 'Mortgage', amount_usd: 400000, recorded_on: on,
  }) // prettier-ignore

const secured = (id: string): Row =>
  staged('us/ny/nyc.acris', 'legals', id, { county_fips: '36061', document_id: `us/ny/nyc.acris|${id}`, parcel_number: '1000010001' }) // prettier-ignore

describe('people', () => {
  test('a person is called what most sources say in full, and the other names are aliases', async () => {
    const rows = [
      voter('1', JANE),
      contact('a', {
        ...JANE,
        middle_name: null,
        first_name: 'Janie',
        birth_date: '1980-03-04',
        employer: 'Elm Bakery',
      }),
      contact('b', { ...JANE, last_name: 'Fairweather', other_last_name: 'Abernathy', middle_name: null }),
    ]
    await withPublished({ 'staging.person_mentions': rows }, async (db) => {
      const people = await rowsOf(db, 'select * from published.people')
      expect(people).toMatchObject([
        {
          name: 'Jane Quill Abernathy',
          aliases: ['Jane Abernathy', 'Jane Fairweather', 'Janie Abernathy'],
          date_of_birth: '1980-03-04',
          company_name: 'Elm Bakery',
          is_dead: false,
          source_count: 2,
          mention_count: 3,
        },
      ])
      const primary = await rowsOf(db, 'select last_name from published.person_names where is_primary')
      expect(primary).toEqual([{ last_name: 'ABERNATHY' }])
    })
  })

  test('a name that stands the wrong way round is read the other way, one that may stand so is left', async () => {
    const usual = [
      ...['Linda', 'Paul', 'Thomas'].flatMap((first) =>
        Array.from({ length: 60 }, (_, i) => [first, `Lindqvist${i}`]),
      ),
      ...['Montgomery', 'Snyder', 'James'].flatMap((last) =>
        Array.from({ length: 60 }, (_, i) => [`Ann${i}`, last]),
      ),
    ].map(([first_name, last_name], i) =>
      contact(`u${i}`, { first_name: first_name ?? null, last_name: last_name ?? null }),
    )
    const odd = [
      contact('swapped', { first_name: 'Montgomery', last_name: 'Linda', middle_name: 'S' }),
      contact('turned', { first_name: 'Thomas', middle_name: 'Snyder', last_name: 'Paul' }),
      contact('left', { first_name: 'Thomas', last_name: 'James' }),
    ]
    await withPublished({ 'staging.person_mentions': [...usual, ...odd] }, async (db) => {
      const read = await rowsOf(
        db,
        `select display_name from normal.person_mentions
         where regexp_matches(mention_key, '/(swapped|turned|left)$') order by mention_key`,
      )
      expect(read.map((row) => row['display_name'])).toEqual([
        'Thomas James',
        'Linda S Montgomery',
        'Paul Thomas Snyder',
      ])
    })
  })

  test('a death with name and birth date is told of the one person who bears both', async () => {
    await withPublished(
      {
        'staging.person_mentions': [voter('1', JANE), voter('2', { ...JANE, birth_date: '1951-01-09' })],
        'staging.deaths': [
          staged('us/lists.deaths', 'deaths', '9', {
            last_name: 'Abernathy', first_name: 'Jane', birth_date: '1951-01-09', died_on: '2025-01-01', state: 'FL',
          }),
        ],
      }, // prettier-ignore
      async (db) => {
        expect(await rowsOf(db, 'select date_of_birth, is_dead from published.people order by 1')).toEqual([
          { date_of_birth: '1951-01-09', is_dead: true },
          { date_of_birth: '1980-03-04', is_dead: false },
        ])
      },
    )
  })
})

describe('addresses of a person', () => {
  test('the newest is current, what a newer file superseded is historic, where somebody works is none', async () => {
    await withPublished(
      {
        'staging.person_mentions': [
          voter('1', { ...JANE, line_1: '77 PALM WAY' }),
          contact('a', { ...JANE, line_1: '5 Oak Ave', ...AUSTIN, observed_on: '2019-05-01' }),
          staged('us/nppes.providers', 'npi', '1000000001', {
            ...JANE, mention_kind: 'provider', line_1: '900 Clinic Blvd', ...AUSTIN, is_work_address: true,
          }),
        ],
        'staging.past_person_mentions': [{ ...voter('1', JANE), as_of_on: '2025-10-01' }],
      }, // prettier-ignore
      async (db) => {
        const rows = await rowsOf(
          db,
          `select line1, is_current from published.person_addresses join published.addresses using (address_id)
           order by score desc`,
        )
        expect(rows).toEqual([
          { line1: '77 Palm Way', is_current: true },
          { line1: '12 Elm St', is_current: false },
          { line1: '5 Oak Ave', is_current: false },
        ])
      },
    )
  })
})

describe('phones', () => {
  test('a name on a phone without a surname is nobody’s, unless the phone has a person of that name', async () => {
    await withPublished(
      {
        'staging.person_mentions': [
          contact('1', { first_name: 'Yolanda', phone: '3055550171' }),
          contact('2', { first_name: 'Jane', phone: '3055550172' }),
          contact('3', { ...JANE, phone: '3055550172' }),
          contact('4', {
            full_name: 'Sunshine Pool Service LLC',
            name_order: 'unknown',
            phone: '3055550173',
          }),
          contact('5', { first_name: 'Yolanda' }),
        ],
      },
      async (db) => {
        expect(await rowsOf(db, 'select phone, name from published.phone_names')).toEqual([
          { phone: '13055550171', name: 'Yolanda' },
        ])
        expect(await rowsOf(db, 'select phone from published.person_phones')).toEqual([
          { phone: '13055550172' },
        ])
        const [row] = await rowsOf(db, 'select score from published.phone_names')
        expect(Number(row?.['score']) > 0 && Number(row?.['score']) <= 65).toBe(true)
      },
    )
  })

  test('an own recent number counts more than an old one of a whole office; its block tells line type and carrier', async () => {
    const office = Array.from(
      { length: 6 },
      (_, i) =>
      contact(`o${i}`, { first_name: ['Ann', 'Bert', 'Cora', 'Dan', 'Eve', 'Finn'][i] ?? null, last_name: 'Lindqvist', phone: '3055550100', observed_on: '2018-01-01' }), // prettier-ignore
    )
    await withPublished(
      {
        'staging.person_mentions': [
          ...office,
          contact('x', { first_name: 'Ann', last_name: 'Lindqvist', phone: '3055550100', email: 'ann@example.com' }),
          contact('y', { first_name: 'Ann', last_name: 'Lindqvist', phone: '9545550142', email: 'ann@example.com' }),
          contact('z', { first_name: 'Gus', last_name: 'Lindqvist', phone: '8005550142' }),
        ],
        'staging.operating_companies': [
          staged('us/nanpa.central-office-codes', 'ocn', '1234', {
            operating_company_number: '1234', company_name: 'Example Wireless', line_type: 'mobile',
          }),
        ],
        'staging.phone_blocks': [
          staged('us/nanpa.central-office-codes', 'codes', '954-555', {
            area_code: '954', exchange: '555', operating_company_number: '1234', carrier: 'EXAMPLE WIRELESS LLC',
          }),
        ],
      }, // prettier-ignore
      async (db) => {
        expect(await rowsOf(db, 'select * from published.phones order by phone')).toEqual([
          { phone: '13055550100', national_format: '(305) 555-0100', line_type: 'unknown', carrier: null },
          { phone: '18005550142', national_format: '(800) 555-0142', line_type: 'tollfree', carrier: null },
          {
            phone: '19545550142',
            national_format: '(954) 555-0142',
            line_type: 'mobile',
            carrier: 'Example Wireless',
          },
        ])
        const [own, shared] = await rowsOf(
          db,
          `select phone, score from published.person_phones join published.people using (person_id)
           where first_name = 'ANN' order by score desc`,
        )
        expect(own?.['phone']).toBe('19545550142')
        expect(Number(own?.['score'])).toBeGreaterThan(Number(shared?.['score']))
      },
    )
  })
})

describe('properties', () => {
  const number = '000000000001'

  test('a couple who get their mail at home own and occupy it, and live there', async () => {
    const mail = {
      mail_line_1: '12 Elm Street',
      mail_city: 'Fort Lauderdale',
      mail_state: 'FL',
      mail_zip: '33301',
    }
    await withPublished(
      {
        'staging.person_mentions': [voter('1', JANE)],
        'staging.parcels': [
          parcel(number, '12 ELM ST', { living_sqft: 1500, market_value_usd: 200000, tax_usd: 3000 }),
        ],
        'staging.parcel_owners': [owner(number, 'ABERNATHY JANE QUILL & PETER', mail)],
      },
      async (db) => {
        expect(await rowsOf(db, 'select * from published.properties')).toMatchObject([
          {
            county_name: 'Broward', state: 'FL', apn: number, owner_occupied: 'OwnerOccupied', mailing_address_id: null,
            owner_type: 'individual', property_tax_percent: 1.5,
          },
        ]) // prettier-ignore
        expect(
          await rowsOf(db, 'select owner_sequence, owner_name from published.property_owners order by 1'),
        ).toEqual([
          { owner_sequence: 1, owner_name: 'Jane Quill Abernathy' },
          { owner_sequence: 2, owner_name: 'Peter Abernathy' },
        ])
        expect(await rowsOf(db, 'select person_id from published.residents')).toHaveLength(2)
        const relatives = await rowsOf(db, 'select reason from published.relatives')
        expect(relatives).toEqual([
          { reason: 'same surname and address, own a property together' },
          { reason: 'same surname and address, own a property together' },
        ])
      },
    )
  })

  test('an owner who gets mail elsewhere is absent; a company is a business owner', async () => {
    const mail = { mail_line_1: 'C/O HEAD OFFICE', mail_line_2: '900 MAIN ST STE 5', mail_city: 'Austin', mail_state: 'TX', mail_zip: '78701' } // prettier-ignore
    await withPublished(
      {
        'staging.parcels': [parcel(number, '12 ELM ST')],
        'staging.parcel_owners': [owner(number, 'PALMETTO HOLDINGS LLC', mail)],
      },
      async (db) => {
        const [property] = await rowsOf(db, 'select * from published.properties')
        expect(property).toMatchObject({ owner_occupied: 'AbsenteeOwner', owner_type: 'business' })
        const [address] = await rowsOf(
          db,
          `select full_address from published.addresses where address_id = '${String(property?.['mailing_address_id'])}'`,
        )
        expect(address?.['full_address']).toBe('900 Main St Ste 5, Austin, TX 78701')
        expect(await rowsOf(db, 'select business_type from published.businesses')).toEqual([
          { business_type: 'llc' },
        ])
      },
    )
  })

  test('a roll that lists a parcel once per owner is one property with both owners', async () => {
    const rows = [
      parcel(number, '12 ELM ST'),
      { ...parcel(number, '12 ELM ST'), record_key: 'us/tx/travis.pacs/info/1|2' },
    ]
    await withPublished(
      {
        'staging.parcels': rows,
        'staging.parcel_owners': [
          owner(number, 'ABERNATHY JANE'),
          {
            ...owner(number, 'LINDQVIST ANN'),
            record_key: 'us/tx/travis.pacs/info/1|2',
            owner_sequence: null,
          },
        ],
      },
      async (db) => {
        expect(await rowsOf(db, 'select property_id from published.properties')).toHaveLength(1)
        expect(
          await rowsOf(db, 'select owner_name from published.property_owners order by owner_sequence'),
        ).toEqual([{ owner_name: 'Jane Abernathy' }, { owner_name: 'Ann Lindqvist' }])
      },
    )
  })
})

test('a mortgage names its lender, and the newest stands first', async () => {
  await withPublished(
    {
      'staging.parcels': [parcel('1000010001', '5 OAK AVE', { county_fips: '36061' })],
      'staging.mortgages': [mortgage('M1', '2020-01-01'), mortgage('M2', '2024-01-01')],
      'staging.deed_parcels': [secured('M1'), secured('M2')],
      'staging.deed_parties': [
        staged('us/ny/nyc.acris', 'parties', 'M2|2', { document_id: 'us/ny/nyc.acris|M2', role: 'grantee', full_name: 'EXAMPLE SAVINGS BANK', name_order: 'surname_first' }), // prettier-ignore
      ],
    },
    async (db) => {
      expect(
        await rowsOf(
          db,
          'select document_number, position, lender_name from published.mortgages order by position',
        ),
      ).toMatchObject([
        {
          document_number: 'M2',
          position: 1,
          lender_name: expect.stringMatching(/example savings bank/i) as string,
        },
        { document_number: 'M1', position: 2, lender_name: null },
      ])
    },
  )
})

test('every model keeps the grain that it declares', async () => {
  await withPublished(
    {
      'staging.person_mentions': [
        voter('1', { ...JANE, phone: '9545550142' }),
        voter('2', { ...JANE, first_name: 'PETER', birth_date: '1975-01-02', phone: '9545550142' }),
        contact('a', { ...JANE, phone: '9545550142', email: 'jane@example.com' }),
      ],
      'staging.past_person_mentions': [
        { ...voter('1', { ...JANE, line_1: '9 OLD RD' }), as_of_on: '2025-10-01' },
      ],
      'staging.parcels': [parcel('000000000001', '12 ELM ST'), parcel('000000000002', '14 ELM ST')],
      'staging.parcel_owners': [
        owner('000000000001', 'ABERNATHY JANE & PETER'),
        owner('000000000002', 'PALMETTO HOLDINGS LLC'),
      ],
      'staging.past_parcel_owners': [{ ...owner('000000000002', 'ABERNATHY JANE'), as_of_on: '2024-10-01' }],
    },
    async (db) => {
      for (const model of await loadModels()) {
        const repeated = await rowsOf(
          db,
          `select ${model.grain.join(', ')} from ${model.name} group by all having count(*) > 1`,
        )
        expect(repeated, model.name).toEqual([])
      }
    },
  )
})
