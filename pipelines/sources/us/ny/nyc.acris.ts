import { defineSource, type Expression } from '../../../../src/ingest/definition.ts'
import { Layout } from '../../../../src/layouts.ts'
import { prefixed, unit, zip } from '../expressions.ts'
import { DOCUMENT_TYPES, EVENT_TYPES, LOAN_TYPES, PURPOSE_BY_PROPERTY_TYPE } from './acris-documents.ts'
import { CITY_BY_BOROUGH, FIPS_BY_BOROUGH } from './boroughs.ts'
import { EXAMPLES } from './acris-examples.ts'

const layout = new Layout('acris')

const documentId = prefixed('us/ny/nyc.acris|', 'DOCUMENT ID')
/** The city's document numbers have 16 characters. */
const wholeId = { 'DOCUMENT ID': { length: 16 } }
const csv = { type: 'delimited', delimiter: ',', header: true, encoding: 'utf-8' } as const
const asOf = { group: 'as_of', format: '%Y%m%d' }

/**
 * Documents before 2003 have no CRFN. Reel year, borough, reel and page identify them. Zeros mean that a part is
 * missing.
 */
function recordedAs(crfn: string, year: string, borough: string, reel: string, page: string): Expression {
  return {
    firstOf: [
      crfn,
      {
        when: { all: [{ notBlank: reel }, { not: { matches: '^0+$', of: reel } }] },
        then: { join: [year, borough, reel, page], with: '-' },
      },
    ],
  }
}

export default defineSource({
  id: 'us/ny/nyc.acris',
  title: 'New York City register (ACRIS), real property',
  publisher: 'New York City Department of Finance',
  url: 'https://data.cityofnewyork.us/resource/bnx9-e6tj',
  states: ['NY'],
  counties: ['36061', '36005', '36047', '36081', '36085'],
  everyDays: 31,
  weight: 0.6,
  together: [['master', 'legals', 'parties', 'references']],
  codes: {
    fips: FIPS_BY_BOROUGH,
    cities: CITY_BY_BOROUGH,
    document_types: DOCUMENT_TYPES,
    event_types: EVENT_TYPES,
    loan_types: LOAN_TYPES,
    property_purposes: PURPOSE_BY_PROPERTY_TYPE,
    roles: { 1: 'grantor', 2: 'grantee', 3: 'other' },
  },
  files: [
    {
      kind: 'master',
      pattern: 'acris_(?:-_)?real_property_master(?:_(?<as_of>\\d{8}))?\\.csv',
      asOf,
      format: {
        ...csv,
        columns: layout.names('master'),
      },
      identity: ['DOCUMENT ID'],
      keys: wholeId,
      supersedes: ['DOCUMENT ID'],
      rows: [
        {
          into: 'deeds',
          when: { inCodes: 'event_types', of: 'DOC. TYPE' },
          set: {
            county_fips: { codes: 'fips', of: 'BOROUGH' },
            document_id: documentId,
            instrument_number: recordedAs('CRFN', 'REEL YEAR', 'BOROUGH', 'REEL NBR', 'REEL PAGE'),
            document_code: 'DOC. TYPE',
            document_text: { codes: 'document_types', of: 'DOC. TYPE' },
            event_type: { codes: 'event_types', of: 'DOC. TYPE' },
            recorded_on: { date: 'RECORDED / FILED', formats: ['%m/%d/%Y'] },
            instrument_on: { date: 'DOC. DATE', formats: ['%m/%d/%Y'] },
            consideration_usd: { number: 'DOC. AMOUNT', zeroIsNull: true },
            is_void: { literal: false },
          },
        },
        {
          into: 'mortgages',
          when: { inCodes: 'loan_types', of: 'DOC. TYPE' },
          set: {
            county_fips: { codes: 'fips', of: 'BOROUGH' },
            document_id: documentId,
            instrument_number: recordedAs('CRFN', 'REEL YEAR', 'BOROUGH', 'REEL NBR', 'REEL PAGE'),
            loan_type: { codes: 'loan_types', of: 'DOC. TYPE' },
            amount_usd: { number: 'DOC. AMOUNT', zeroIsNull: true },
            recorded_on: { date: 'RECORDED / FILED', formats: ['%m/%d/%Y'] },
            document_on: { date: 'DOC. DATE', formats: ['%m/%d/%Y'] },
          },
        },
      ],
    },
    {
      kind: 'legals',
      pattern: 'acris_(?:-_)?real_property_legals(?:_(?<as_of>\\d{8}))?\\.csv',
      asOf,
      format: {
        ...csv,
        columns: layout.names('legals'),
      },
      identity: ['DOCUMENT ID', 'BOROUGH', 'BLOCK', 'LOT'],
      keys: wholeId,
      supersedes: ['DOCUMENT ID'],
      rows: [
        {
          into: 'deed_parcels',
          set: {
            county_fips: { codes: 'fips', of: 'BOROUGH' },
            // Block and lot have no leading zeros. The BBL of all other city files has ten digits.
            parcel_number: {
              when: { all: [{ notBlank: 'BOROUGH' }, { notBlank: 'BLOCK' }, { notBlank: 'LOT' }] },
              then: {
                join: [
                  'BOROUGH',
                  { padStart: 'BLOCK', length: 5, with: '0' },
                  { padStart: 'LOT', length: 4, with: '0' },
                ],
                with: '',
              },
            },
            document_id: documentId,
            line_1: { join: ['STREET NUMBER', 'STREET NAME'], with: ' ' },
            line_2: unit('UNIT'),
            city: { codes: 'cities', of: 'BOROUGH' },
            state: { literal: 'NY' },
            property_kind: { codes: 'property_purposes', of: 'PROPERTY TYPE' },
          },
        },
      ],
    },
    {
      kind: 'parties',
      pattern: 'acris_(?:-_)?real_property_parties(?:_(?<as_of>\\d{8}))?\\.csv',
      asOf,
      format: {
        ...csv,
        columns: layout.names('parties'),
      },
      identity: ['DOCUMENT ID', 'PARTY TYPE', 'NAME'],
      keys: wholeId,
      supersedes: ['DOCUMENT ID'],
      rows: [
        {
          into: 'deed_parties',
          when: { notBlank: 'NAME' },
          set: {
            document_id: documentId,
            role: { codes: 'roles', of: 'PARTY TYPE', otherwise: { literal: 'other' } },
            full_name: 'NAME',
            name_order: { literal: 'surname_first' },
            line_1: 'ADDRESS 1',
            line_2: 'ADDRESS 2',
            city: 'CITY',
            state: 'STATE',
            zip: zip('ZIP'),
            country: 'COUNTRY',
          },
        },
      ],
    },
    {
      kind: 'references',
      pattern: 'acris_(?:-_)?real_property_references(?:_(?<as_of>\\d{8}))?\\.csv',
      asOf,
      format: {
        ...csv,
        columns: layout.names('references'),
      },
      keys: { ...wholeId, 'REFERENCE BY DOC ID': { length: 16 } },
      identity: [
        'DOCUMENT ID',
        'REFERENCE BY CRFN ',
        'REFERENCE BY DOC ID',
        'REFERENCE BY REEL YEAR',
        'REFERENCE BY REEL BOROUGH',
        'REFERENCE BY REEL NBR',
        'REFERENCE BY REEL PAGE',
      ],
      supersedes: ['DOCUMENT ID'],
      rows: [
        {
          into: 'deed_references',
          set: {
            document_id: documentId,
            refers_to_document_id: prefixed('us/ny/nyc.acris|', 'REFERENCE BY DOC ID'),
            refers_to_instrument_number: recordedAs(
              'REFERENCE BY CRFN ',
              'REFERENCE BY REEL YEAR',
              'REFERENCE BY REEL BOROUGH',
              'REFERENCE BY REEL NBR',
              'REFERENCE BY REEL PAGE',
            ),
          },
        },
      ],
    },
    {
      kind: 'document_codes',
      pattern: 'acris_(?:-_)?document_control_codes(?:_(?<as_of>\\d{8}))?\\.csv',
      asOf,
      format: {
        ...csv,
        columns: layout.names('document_codes'),
      },
      identity: ['DOC. TYPE'],
      supersedes: [],
    },
  ],
  examples: EXAMPLES,
})
