import type { DuckDBConnection } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { fillStrongestEdges } from '../../src/link/ids/tables.ts'
import { contact, owner, parcel, publishStaged, staged, withPublished } from '../support/staged-world.ts'
import { type Cell, rowsOf } from '../support/warehouse.ts'

type Row = Record<string, Cell>

const acris = (kind: string, identity: string, row: Row): Row =>
  staged('us/ny/nyc.acris', kind, identity, row)

const legal = (bbl: string): Row =>
  acris('legals', `D1|${bbl}`, {
    county_fips: '36061',
    parcel_number: bbl,
    document_id: 'us/ny/nyc.acris|D1',
  })

const party = (role: string, name: string, row: Row = {}): Row =>
  acris('parties', `D1|${role}|${name}`, {
    document_id: 'us/ny/nyc.acris|D1', role, full_name: name, name_order: 'surname_first', ...row,
  }) // prettier-ignore

const personOfGrantee = (db: DuckDBConnection) =>
  rowsOf(db, 'select parties[1].person_id as person_id from published.deed_events')

const sale = (instrument: string, code: string, parcel_number = '000000000001'): Row =>
  staged('us/fl/statewide.sdf', 'sdf', `16|${parcel_number}|${instrument}`, {
    county_fips: '12011', parcel_number, instrument_number: instrument, sold_on: '2025-09-01',
    sold_on_precision: 'month', price_usd: 300000, qualification_code: code, qualification_text: 'as coded',
  }) // prettier-ignore

const texas = (name: string, row: Row): Row => ({
  ...owner('123456', name, row), record_key: 'us/tx/travis.pacs/info/123456|1', county_fips: '48453',
}) // prettier-ignore

const ids = (db: DuckDBConnection): Promise<Record<string, unknown>[]> =>
  rowsOf(db, 'select event_id, event_type, consideration from published.deed_events order by event_type')

const repeated = (parcel_number: string) => [
  party('grantor', 'INVENTED HOLDINGS LLC', { record_key: `g|${parcel_number}` }),
  party('grantee', 'ABERNATHY, JANE Q', { record_key: `e|${parcel_number}`, party_sequence: 1 }),
  party('grantee', 'ABERNATHY, PAUL', { record_key: `f|${parcel_number}`, party_sequence: 2 }),
  party('grantee', '?', { record_key: `u|${parcel_number}`, party_sequence: 3 }),
]

describe('deed events', () => {
  const deed = acris('master', 'D1', {
    county_fips: '36061',
    document_id: 'us/ny/nyc.acris|D1',
    document_text: 'Deed',
    event_type: 'deed.transfer',
    recorded_on: '2025-10-20',
    instrument_on: '2025-10-01',
    consideration_usd: 850000,
    is_void: false,
  })

  const clerk = 'us/fl/broward.official-records'
  const broward = (number: string, row: Row = {}) =>
    staged(clerk, 'doc', number, {
      county_fips: '12011', document_id: `${clerk}|${number}`, instrument_number: number,
      event_type: 'deed.transfer', document_text: 'DEED', recorded_on: '2025-09-17', ...row,
    }) // prettier-ignore
  const concerning = (number: string, parcel_number: string, row: Row = {}) =>
    staged(clerk, 'doc', number, {
      county_fips: '12011',
      document_id: `${clerk}|${number}`,
      parcel_number,
      ...row,
    })
  const void119 = broward('119', {
    event_type: null,
    document_text: 'VOID',
    is_void: true,
    as_of_on: '2025-11-05',
  })

  test('a deed over two parcels is one event per parcel, with all its parties', async () => {
    await withPublished(
      {
        'staging.deeds': [deed],
        'staging.deed_parcels': [legal('1000010001'), legal('1000010002')],
        'staging.deed_parties': [
          party('grantee', 'ABERNATHY, JANE Q', {
            line_1: '5 OAK AVE',
            city: 'NEW YORK',
            state: 'NY',
            zip: '10001',
          }),
          party('grantor', 'PALMETTO HOLDINGS LLC'),
        ],
      },
      async (db) => {
        const events = await rowsOf(db, 'select * from published.deed_events order by apn')
        expect(events).toHaveLength(2)
        expect(events[0]?.['event_id']).not.toBe(events[1]?.['event_id'])
        expect(events[0]).toMatchObject({
          apn: '1000010001', document_id: 'D1', recorded_date: '2025-10-20', consideration: 850000,
          transaction_reason: 'sale', property_id: null,
          parties: [
            { role: 'grantor', type: 'llc', person_id: null },
            { role: 'grantee', name: 'Jane Q Abernathy', type: 'individual', full_address: '5 Oak Ave, New York, NY 10001' },
          ],
        }) // prettier-ignore
        const [grantee] = await rowsOf(db, 'select person_id from published.people')
        expect(events[0]).toMatchObject({ parties: [{}, { person_id: grantee?.['person_id'] }] })
      },
    )
  })

  test("a clerk's deed and the assessor's sale of the same number are one event; a sale alone is one too", async () => {
    await withPublished(
      {
        'staging.parcels': [parcel('000000000001', '12 ELM ST')],
        'staging.deeds': [
          staged('us/fl/broward.official-records', 'doc', '119', {
            county_fips: '12011', document_id: 'us/fl/broward.official-records|119', instrument_number: '119',
            event_type: 'deed.transfer', document_text: 'Deed', recorded_on: '2025-09-17',
          }),
        ],
        'staging.deed_parcels': [
          staged('us/fl/broward.official-records', 'doc', '119', {
            county_fips: '12011', document_id: 'us/fl/broward.official-records|119', parcel_number: '000000000001',
          }),
        ],
        'staging.sales': [sale('119', '01'), sale('118', '11')],
      }, // prettier-ignore
      async (db) => {
        const events = await rowsOf(db, 'select * from published.deed_events order by document_id desc')
        expect(events).toMatchObject([
          {
            document_id: '119',
            recorded_date: '2025-09-17',
            consideration: 300000,
            transaction_reason: 'sale',
            is_void: false,
          },
          { document_id: '118', recorded_date: '2025-09-01', event_type: 'deed.other' },
        ])
        const [property] = await rowsOf(db, 'select sale_date, last_sale_amount from published.properties')
        expect(property).toEqual({ sale_date: '2025-09-17', last_sale_amount: 300000 })
      },
    )
  })

  test('a sale code of Florida gives the type that its definition supports, and its text; elsewhere it means nothing', async () => {
    const coded = (code: string | null) => sale(`n${code}`, code ?? '', '000000000001')
    const known = {
      'deed.transfer': '01 02 03 04 05 06 13 14 16 17 19 20 30 31 32 33 34 35 36 37 39 40 42 43'.split(' '),
      'deed.other': '11 12 15 18 21 38 41 98 99'.split(' '),
    }
    const boulder = { county_fips: '08013' }
    const sales = [
      ...Object.values(known).flat().map(coded),
      { ...sale('unknown', '77'), qualification_text: null },
      { ...sale('uncoded', ''), qualification_code: null, qualification_text: null },
      { ...sale('elsewhere', '01'), ...boulder },
    ]
    await withPublished({ 'staging.sales': sales }, async (db) => {
      const events = await rowsOf(
        db,
        'select document_id, event_type, transaction_reason, transaction_reason_text from published.deed_events',
      )
      const byDocument = Object.fromEntries(events.map((event) => [String(event['document_id']), event]))
      for (const [event_type, codes] of Object.entries(known)) {
        for (const code of codes) {
          expect(byDocument[`n${code}`], code).toMatchObject({
            event_type,
            transaction_reason_text: expect.stringContaining(`${code} as coded`) as string,
          })
        }
      }
      // The price of 300,000 decides, not a code that may mean a bank, an executor or a relative.
      for (const code of ['11', '12', '19', '30', '98']) expect(byDocument[`n${code}`]).toMatchObject({ transaction_reason: 'sale' }) // prettier-ignore
      expect(byDocument['n18']).toMatchObject({ transaction_reason: 'government' })
      expect(byDocument['unknown']).toMatchObject({
        event_type: 'deed.other',
        transaction_reason_text: 'qualification code 77 without a description',
      })
      expect(byDocument['uncoded']).toMatchObject({ event_type: 'deed.transfer' })
      expect(byDocument['elsewhere']).toMatchObject({ event_type: 'deed.other' })
    })
  })

  test('an event says how exact its date is and which file reported it', async () => {
    const files = [
      {
        file_id: 7,
        file_name: 'us-fl-statewide-sdf/SDF16P202501.csv',
        source_id: 'us/fl/statewide.sdf',
        kind: 'sdf',
      },
      { file_id: 8, file_name: '09-17-2025doc-ver.txt', source_id: clerk, kind: 'doc' },
    ]
    const listed = { ...sale('118', '01'), file_id: 7, line_number: 41 }
    const recorded = { ...broward('119'), file_id: 8, line_number: 3 }
    await withPublished(
      {
        'ledger.files': files,
        'staging.sales': [listed],
        'staging.deeds': [recorded],
        'staging.deed_parcels': [concerning('119', '000000000002')],
        'staging.parcels': [parcel('123456', '12 ELM ST', { county_fips: '48453', state: 'TX' })],
        'staging.parcel_owners': [texas('LINDQVIST ANN', { deed_on: null, deed_number: null })],
        'staging.past_parcel_owners': [texas('ABERNATHY JANE', { as_of_on: '2025-01-15' })],
      },
      async (db) => {
        const events = await rowsOf(
          db,
          `select told_by, recorded_date, recorded_date_precision, source_id, file_name, line_number
           from published.deed_events order by told_by`,
        )
        expect(events).toMatchObject([
          { told_by: 'assessor', recorded_date: '2025-09-01', recorded_date_precision: 'month', file_name: files[0]!.file_name, line_number: 41 },
          { told_by: 'recorder', recorded_date: '2025-09-17', recorded_date_precision: 'day', file_name: files[1]!.file_name, line_number: 3 },
          { told_by: 'roll', recorded_date: '2025-11-01', recorded_date_precision: 'roll', source_id: 'us/fl/statewide.nal' },
        ]) // prettier-ignore
      },
    )
  })

  test('a file with one row per parcel repeats its parties; an event names each party once', async () => {
    const parcels = Array.from({ length: 23 }, (_, n) => `10000100${String(n).padStart(2, '0')}`)
    await withPublished(
      {
        'staging.deeds': [deed],
        'staging.deed_parcels': parcels.map(legal),
        'staging.deed_parties': parcels.flatMap(repeated),
      },
      async (db) => {
        const events = await rowsOf(
          db,
          'select list_transform(parties, lambda party: party.role || chr(32) || party.name) as parties from published.deed_events',
        )
        expect(events).toHaveLength(parcels.length)
        for (const { parties } of events) {
          expect(parties).toEqual(['grantor Invented Holdings LLC', 'grantee Jane Q Abernathy', 'grantee Paul Abernathy', expect.stringMatching(/^grantee/)]) // prettier-ignore
        }
      },
    )
  })

  test('in Texas a changed owner between two rolls is the event, without a price', async () => {
    const travis = { county_fips: '48453', city: 'Austin', state: 'TX', zip: '78701' }
    await withPublished(
      {
        'staging.parcels': [parcel('123456', '12 ELM ST', travis)],
        'staging.parcel_owners': [
          texas('LINDQVIST ANN', { deed_on: '2025-06-02', deed_number: '2025061234' }),
        ],
        'staging.past_parcel_owners': [texas('ABERNATHY JANE', { as_of_on: '2025-01-15' })],
      },
      async (db) => {
        expect(await rowsOf(db, 'select * from published.deed_events')).toMatchObject([
          {
            event_type: 'deed.transfer', county_fips: '48453', apn: '123456', document_id: '2025061234',
            recorded_date: '2025-06-02', consideration: null, transaction_reason: 'unknown',
            parties: [{ role: 'grantor', name: 'Jane Abernathy' }, { role: 'grantee', name: 'Ann Lindqvist' }],
          },
        ]) // prettier-ignore
      },
    )
  })

  test('a void makes an event of its own, and the event of the deed that it voids says so', async () => {
    await withPublished(
      {
        'staging.deeds': [void119],
        'staging.past_deeds': [broward('119', { consideration_usd: 410000, superseded_on: '2025-11-05' })],
        'staging.past_deed_parcels': [concerning('119', '000000000001', { superseded_on: '2025-11-05' })],
        'staging.deed_parties': [
          staged(clerk, 'nme', '119|D|1', {
            county_fips: '12011', document_id: `${clerk}|119`, role: 'grantor', party_sequence: 1,
            full_name: 'PALMETTO HOLDINGS LLC', name_order: 'surname_first',
          }),
        ],
      }, // prettier-ignore
      async (db) => {
        const events = await rowsOf(db, 'select * from published.deed_events order by recorded_date')
        expect(events).toMatchObject([
          {
            event_type: 'deed.transfer', apn: '000000000001', recorded_date: '2025-09-17', consideration: 410000,
            is_void: true, voided_date: '2025-11-05', transaction_reason: 'correction', parties: [{ role: 'grantor' }],
          },
          {
            event_type: 'deed.correction', apn: '000000000001', recorded_date: '2025-11-05', consideration: null,
            is_void: false, transaction_reason_text: 'voids the document recorded on 2025-09-17',
          },
        ]) // prettier-ignore
        expect(events[0]?.['transaction_reason_text']).toMatch(/^voided by the recorder on 2025-11-05/)
        expect(events[0]?.['event_id']).not.toBe(events[1]?.['event_id'])
      },
    )
  })

  test('the void of a document that was never seen as a deed makes no event', async () => {
    await withPublished({ 'staging.deeds': [void119] }, async (db) => {
      expect(await rowsOf(db, 'select * from published.deed_events')).toEqual([])
    })
  })

  test('a deed that is sealed later names nobody any more', async () => {
    await withPublished(
      {
        'staging.deeds': [broward('119', { is_void: true, as_of_on: '2025-11-05' })],
        'staging.past_deeds': [broward('119', { superseded_on: '2025-11-05' })],
        'staging.deed_parties': [
          staged(clerk, 'nme', '119|D|1', {
            county_fips: '12011', document_id: `${clerk}|119`, role: 'grantor', party_sequence: 1,
            full_name: 'ABERNATHY,JANE Q', name_order: 'surname_first',
          }),
        ],
      }, // prettier-ignore
      async (db) => {
        expect(
          await rowsOf(db, 'select parties, is_void from published.deed_events order by is_void'),
        ).toEqual([
          { parties: [], is_void: false },
          { parties: [], is_void: true },
        ])
      },
    )
  })

  const said = (day: string, consideration_usd: number, row: Row = {}) =>
    broward('119', { as_of_on: day, consideration_usd, ...row })
  test('a document that the recorder changes keeps its id, and the change is an event', async () => {
    const parcels = { 'staging.deed_parcels': [concerning('119', '000000000001')] }
    const first = await withPublished({ ...parcels, 'staging.deeds': [said('2025-09-18', 41000)] }, ids)
    const second = await withPublished(
      {
        ...parcels,
        'staging.deeds': [said('2025-11-05', 410000)],
        'staging.past_deeds': [said('2025-09-18', 41000, { superseded_on: '2025-11-05' })],
      },
      async (db) => {
        const [correction] = await rowsOf(
          db,
          `select transaction_reason_text from published.deed_events where event_type = 'deed.correction'`,
        )
        expect(correction).toEqual({
          transaction_reason_text: 'changes the consideration of the document recorded on 2025-09-17',
        })
        return ids(db)
      },
    )
    expect(first).toMatchObject([{ consideration: 41000 }])
    expect(second).toMatchObject([
      { event_type: 'deed.correction', consideration: null },
      { event_id: first[0]?.['event_id'], event_type: 'deed.transfer', consideration: 410000 },
    ])
  })

  test('one price for two parcels is told once; the other event says where it stands', async () => {
    await withPublished(
      {
        'staging.deeds': [broward('119', { consideration_usd: 410000 })],
        'staging.deed_parcels': [concerning('119', '000000000001'), concerning('119', '000000000002')],
        'staging.sales': [sale('118', '05', '000000000003'), sale('118', '05', '000000000004')],
      },
      async (db) => {
        const events = await rowsOf(
          db,
          'select apn, consideration, parcel_count, transaction_reason, transaction_reason_text as text from published.deed_events order by apn',
        )
        expect(events.map((event) => event['consideration'])).toEqual([410000, null, 300000, null])
        expect(events).toMatchObject([{}, { parcel_count: 2, transaction_reason: 'sale' }, {}, {}])
        expect(events[1]?.['text']).toContain(
          'the price of 410,000 dollars for 2 parcels stands with parcel 000000000001',
        )
      },
    )
  })

  test('the documentary tax gives a price that is missing and doubts one that it contradicts', async () => {
    await withPublished(
      {
        'staging.deeds': [
          broward('1', { transfer_tax_usd: 525 }),
          broward('2', { transfer_tax_usd: 525, consideration_usd: 75000 }),
          broward('3', { transfer_tax_usd: 525, consideration_usd: 750000 }),
        ],
      },
      async (db) => {
        expect(
          await rowsOf(
            db,
            'select consideration, transaction_reason_text as text from published.deed_events order by document_id',
          ),
        ).toEqual([
          { consideration: 75000, text: 'a price of 75,000 dollars' },
          { consideration: 75000, text: 'a price of 75,000 dollars' },
          {
            consideration: 750000,
            text: 'a price of 750,000 dollars; the documentary tax is that of 75,000 dollars',
          },
        ])
      },
    )
  })

  test('a party of whom nothing but a name is known has no person id', async () => {
    await withPublished(
      {
        'staging.deeds': [broward('119')],
        'staging.deed_parties': [
          staged(clerk, 'nme', '119|R|1', {
            county_fips: '12011', document_id: `${clerk}|119`, role: 'grantee', party_sequence: 1,
            full_name: 'ABERNATHY,JANE Q', name_order: 'surname_first',
          }),
        ],
      }, // prettier-ignore
      async (db) => {
        expect(await rowsOf(db, 'select parties from published.deed_events')).toMatchObject([
          { parties: [{ name: 'Jane Q Abernathy', type: 'individual', person_id: null }] },
        ])
      },
    )
  })

  test('a party held by less than even odds has no person id, and ties to somebody else say nothing against it', async () => {
    const home = { line_1: '5 OAK AVE', city: 'FORT LAUDERDALE', state: 'FL', zip: '33301' }
    await withPublished(
      {
        'staging.deeds': [broward('119')],
        'staging.deed_parties': [
          staged(clerk, 'nme', '119|R|1', {
            county_fips: '12011', document_id: `${clerk}|119`, role: 'grantee', party_sequence: 1,
            full_name: 'ABERNATHY,JANE Q', name_order: 'surname_first', ...home,
          }),
        ],
        'staging.person_mentions': [contact('1', { first_name: 'JANE', middle_name: 'Q', last_name: 'ABERNATHY', ...home })],
      }, // prettier-ignore
      async (db) => {
        expect(
          await rowsOf(db, 'select count(distinct cluster)::integer as people from link.groups'),
        ).toEqual([{ people: 1 }])
        const [person] = await rowsOf(db, 'select person_id from published.people')
        expect(await personOfGrantee(db)).toEqual([person])
        await db.run('update link.pair_edges set bits = -1.5')
        await fillStrongestEdges(db)
        await publishStaged(db)
        expect(await personOfGrantee(db)).toEqual([{ person_id: null }])
        await db.run('update link.pair_edges set bits = 2')
        await db.run('update link.groups set cluster = record_number')
        await fillStrongestEdges(db)
        await publishStaged(db)
        expect(await personOfGrantee(db)).toEqual([person])
      },
    )
  })

  test('a voided deed stays, marked, and sells nothing', async () => {
    await withPublished(
      {
        'staging.parcels': [
          parcel('1000010001', '5 OAK AVE', {
            county_fips: '36061',
            city: 'New York',
            state: 'NY',
            zip: '10001',
          }),
        ],
        'staging.deeds': [{ ...deed, is_void: true }],
        'staging.deed_parcels': [legal('1000010001')],
      },
      async (db) => {
        expect(await rowsOf(db, 'select is_void from published.deed_events')).toEqual([{ is_void: true }])
        expect(await rowsOf(db, 'select sale_date from published.properties')).toEqual([{ sale_date: null }])
      },
    )
  })
})
