import { defineSource, type Expression } from '../../../../src/ingest/definition.ts'
import { Layout } from '../../../../src/layouts.ts'
import { prefixed } from '../expressions.ts'
import { EXAMPLES } from './broward-examples.ts'

const layout = new Layout('broward')

const ID = 'us/fl/broward.official-records'
const county: Expression = { literal: '12011' }
const documentId = prefixed(`${ID}|`, 'instrument_number')
const recordedOn: Expression = {
  firstOf: [
    { date: 'record_date', formats: ['%Y%m%d'] },
    { date: 'record_date_us', formats: ['%m/%d/%Y'] },
  ],
}
// Twelve zeros mean that the parcel is unknown.
const parcelNumber: Expression = { replace: '^0+$', of: 'parcel_id', with: '' }
const isPublic = { is: { firstOf: ['confidential', { literal: '0' }] }, in: ['0'] } as {
  is: Expression
  in: string[]
}

/** Delimited by pipes, without header and quotes, with a pipe at the end of every line. */
function pipes(columns: string[]) {
  return {
    type: 'delimited',
    delimiter: '|',
    quote: null,
    header: false,
    trailingDelimiter: true,
    encoding: 'latin-1',
    columns,
  } as const
}

/** The names of daily files have a date. A yearly file (`CY1998doc-rec.txt`) has the day when it was first seen. */
function daily(kind: string) {
  return {
    kind,
    pattern: `(?:(?<as_of>\\d{2}-\\d{2}-\\d{4})${kind}-ver|CY(?<year>\\d{4})${kind}-rec)\\.txt`,
    asOf: { group: 'as_of', format: '%m-%d-%Y' },
    supersedes: ['instrument_number'],
  }
}

export default defineSource({
  id: ID,
  title: 'Broward County official records',
  publisher: 'Broward County Records, Taxes and Treasury Division',
  url: 'https://www.broward.org/RecordsTaxesTreasury/Records/Pages/Default.aspx',
  states: ['FL'],
  counties: ['12011'],
  everyDays: 7,
  weight: 0.6,
  together: [['doc', 'nme', 'lgl', 'lnk']],
  codes: {
    event_types: {
      D: 'deed.transfer',
      TSD: 'deed.transfer',
      CET: 'deed.foreclosure',
      AGD: 'deed.other',
      EAS: 'deed.other',
    },
    document_types: {
      D: 'DEED',
      TSD: 'TIME SHARE DEED',
      CET: 'CERTIFICATE OF TITLE',
      AGD: 'AGREEMENT FOR DEED',
      EAS: 'EASEMENT',
      VOID: 'VOID',
    },
    corrections: { C: 'deed.correction', R: 'deed.correction' },
    roles: { D: 'grantor', R: 'grantee' },
  },
  files: [
    {
      ...daily('doc'),
      format: pipes(layout.names('doc')),
      identity: ['instrument_number'],
      rows: [
        {
          into: 'deeds',
          // A void replaces the document that it deletes, and does not repeat its type.
          when: {
            any: [
              { inCodes: 'event_types', of: 'document_type_code' },
              { is: 'document_type_code', in: ['VOID'] },
            ],
          },
          set: {
            county_fips: county,
            document_id: documentId,
            instrument_number: 'instrument_number',
            document_code: 'document_type_code',
            document_text: { codes: 'document_types', of: 'document_type_code' },
            event_type: {
              when: { inCodes: 'event_types', of: 'document_type_code' },
              then: {
                firstOf: [
                  { codes: 'corrections', of: 'rerecord_flag' },
                  { codes: 'event_types', of: 'document_type_code' },
                ],
              },
            },
            recorded_on: recordedOn,
            consideration_usd: { number: 'consideration_amount', zeroIsNull: true },
            transfer_tax_usd: { number: 'documentary_tax', zeroIsNull: true },
            is_void: {
              flag: { any: [{ is: 'document_type_code', in: ['VOID'] }, { not: isPublic }] },
            },
          },
        },
        {
          into: 'deed_parcels',
          when: {
            all: [
              { inCodes: 'event_types', of: 'document_type_code' },
              isPublic,
              { any: [{ notBlank: parcelNumber }, { notBlank: 'legal_description' }] },
            ],
          },
          set: {
            county_fips: county,
            parcel_number: parcelNumber,
            document_id: documentId,
            legal_description: 'legal_description',
          },
        },
        {
          into: 'mortgages',
          when: { all: [{ is: 'document_type_code', in: ['M'] }, isPublic] },
          set: {
            county_fips: county,
            document_id: documentId,
            instrument_number: 'instrument_number',
            loan_type: { literal: 'Mortgage' },
            amount_usd: { number: 'consideration_amount', zeroIsNull: true },
            recorded_on: recordedOn,
          },
        },
      ],
    },
    {
      ...daily('nme'),
      format: pipes(layout.names('nme')),
      identity: ['instrument_number', 'party_type', 'name_sequence'],
      rows: [
        {
          into: 'deed_parties',
          when: { notBlank: 'party_name' },
          set: {
            county_fips: county,
            document_id: documentId,
            role: { codes: 'roles', of: 'party_type', otherwise: { literal: 'other' } },
            party_sequence: { integer: 'name_sequence' },
            full_name: 'party_name',
            name_order: { literal: 'surname_first' },
          },
        },
      ],
    },
    {
      ...daily('lgl'),
      format: pipes(layout.names('lgl')),
      identity: ['instrument_number', 'parcel_id', 'legal_description'],
      rows: [
        {
          into: 'deed_parcels',
          set: {
            county_fips: county,
            parcel_number: parcelNumber,
            document_id: documentId,
            legal_description: 'legal_description',
          },
        },
      ],
    },
    {
      ...daily('lnk'),
      format: pipes(layout.names('lnk')),
      identity: ['instrument_number', 'prior_instrument_number', 'prior_book_number', 'prior_page_number'],
      rows: [
        {
          into: 'deed_references',
          // The clerk writes a hyphen before a reference that is not in the index.
          when: { notBlank: 'prior_instrument_number' },
          set: {
            county_fips: county,
            document_id: documentId,
            refers_to_document_id: prefixed(`${ID}|`, 'prior_instrument_number'),
            refers_to_instrument_number: 'prior_instrument_number',
          },
        },
      ],
    },
  ],
  examples: EXAMPLES,
})
