import type { SourceDefinitionInput } from '../../../../src/ingest/definition.ts'

/** Rows as the files have them, and the staging rows that they must make. They run as tests. */
export const EXAMPLES: SourceDefinitionInput['examples'] = [
  {
    note: 'a deed with a nominal amount of 0 has no consideration',
    kind: 'master',
    given: {
      'DOCUMENT ID': '2025010200526001',
      CRFN: '2025000160425',
      BOROUGH: '3',
      'DOC. TYPE': 'DEED',
      'DOC. DATE': '12/28/2024',
      'DOC. AMOUNT': '0',
      'RECORDED / FILED': '01/08/2025',
      'REEL YEAR': '0',
      'REEL NBR': '0',
      'REEL PAGE': '0',
    },
    expect: {
      deeds: [
        {
          county_fips: '36047',
          document_id: 'us/ny/nyc.acris|2025010200526001',
          instrument_number: '2025000160425',
          document_code: 'DEED',
          document_text: 'DEED',
          event_type: 'deed.transfer',
          recorded_on: '2025-01-08',
          instrument_on: '2024-12-28',
          consideration_usd: null,
          is_void: false,
        },
      ],
    },
  },
  {
    note: 'a document type with a comma; the document id of a film record is text',
    kind: 'master',
    given: {
      'DOCUMENT ID': 'FT_1990006453099',
      BOROUGH: '1',
      'DOC. TYPE': 'CORR, LE',
      'DOC. AMOUNT': '0',
      'RECORDED / FILED': '05/02/1986',
      'REEL YEAR': '1986',
      'REEL NBR': '1061',
      'REEL PAGE': '1540',
    },
    expect: {
      deeds: [
        {
          document_id: 'us/ny/nyc.acris|FT_1990006453099',
          instrument_number: '1986-1-1061-1540',
          document_text: 'CORRECT LIFE ESTATE OFFICE USE',
          event_type: 'deed.correction',
          instrument_on: null,
        },
      ],
    },
  },
  {
    note: 'an in-rem deed is a foreclosure',
    kind: 'master',
    given: {
      'DOCUMENT ID': '2025021100481003',
      BOROUGH: '2',
      'DOC. TYPE': 'IDED',
      'DOC. AMOUNT': '410000.00',
    },
    expect: {
      deeds: [{ county_fips: '36005', event_type: 'deed.foreclosure', consideration_usd: 410000 }],
    },
  },
  {
    note: 'a mortgage is a loan and no deed',
    kind: 'master',
    given: {
      'DOCUMENT ID': '2025010200526002',
      CRFN: '2025000160426',
      BOROUGH: '3',
      'DOC. TYPE': 'MTGE',
      'DOC. DATE': '12/28/2024',
      'DOC. AMOUNT': '352500.00',
      'RECORDED / FILED': '01/08/2025',
    },
    expect: {
      mortgages: [
        {
          county_fips: '36047',
          document_id: 'us/ny/nyc.acris|2025010200526002',
          instrument_number: '2025000160426',
          loan_type: 'Mortgage',
          amount_usd: 352500,
          recorded_on: '2025-01-08',
          document_on: '2024-12-28',
        },
      ],
    },
  },
  {
    note: 'the satisfaction of a mortgage makes nothing',
    kind: 'master',
    given: {
      'DOCUMENT ID': '2025010200526003',
      BOROUGH: '3',
      'DOC. TYPE': 'SAT',
      'DOC. AMOUNT': '352500.00',
    },
    expect: {},
  },
  {
    note: 'block and lot are padded to a BBL; a bare unit gets a number sign',
    kind: 'legals',
    given: {
      'DOCUMENT ID': '2025010200526001',
      BOROUGH: '3',
      BLOCK: '77',
      LOT: '1146',
      'PROPERTY TYPE': 'SC',
      'STREET NUMBER': '1742',
      'STREET NAME': 'EAST 31ST   STREET',
      UNIT: '4B',
    },
    expect: {
      deed_parcels: [
        {
          county_fips: '36047',
          document_id: 'us/ny/nyc.acris|2025010200526001',
          parcel_number: '3000771146',
          line_1: '1742 EAST 31ST   STREET',
          line_2: '# 4B',
          city: 'Brooklyn',
          state: 'NY',
          property_kind: 'condominium',
        },
      ],
    },
  },
  {
    note: 'a Queens house number has a hyphen; a unit may name its kind',
    kind: 'legals',
    given: {
      'DOCUMENT ID': '2025010300112001',
      BOROUGH: '4',
      BLOCK: '10234',
      LOT: '9',
      'STREET NUMBER': '45-12',
      'STREET NAME': '171ST STREET',
      UNIT: 'APT 2',
    },
    expect: {
      deed_parcels: [
        {
          county_fips: '36081',
          parcel_number: '4102340009',
          line_1: '45-12 171ST STREET',
          line_2: 'APT 2',
        },
      ],
    },
  },
  {
    note: 'party 2 of a deed is the grantee; the ZIP has nine digits without a hyphen',
    kind: 'parties',
    given: {
      'DOCUMENT ID': '2025010200526001',
      'PARTY TYPE': '2',
      NAME: 'MARLOWE, DANIELLA R',
      'ADDRESS 1': '1742 EAST 31ST STREET',
      'ADDRESS 2': 'APT 4B',
      COUNTRY: 'US',
      CITY: 'BROOKLYN',
      STATE: 'NY',
      ZIP: '112341205',
    },
    expect: {
      deed_parties: [
        {
          document_id: 'us/ny/nyc.acris|2025010200526001',
          role: 'grantee',
          full_name: 'MARLOWE, DANIELLA R',
          name_order: 'surname_first',
          line_1: '1742 EAST 31ST STREET',
          line_2: 'APT 4B',
          zip: '11234-1205',
        },
      ],
    },
  },
  {
    note: 'a reference by CRFN; the header of that column ends in a space',
    kind: 'references',
    given: {
      'DOCUMENT ID': '2025010200526003',
      'REFERENCE BY CRFN ': '2019000042319',
      'REFERENCE BY REEL NBR': '0',
    },
    expect: {
      deed_references: [
        {
          document_id: 'us/ny/nyc.acris|2025010200526003',
          refers_to_document_id: null,
          refers_to_instrument_number: '2019000042319',
        },
      ],
    },
  },
  {
    note: 'a reference to a film record by document id, reel and page',
    kind: 'references',
    given: {
      'DOCUMENT ID': '2025010200526004',
      'REFERENCE BY DOC ID': 'FT_1990006453099',
      'REFERENCE BY REEL YEAR': '1986',
      'REFERENCE BY REEL BOROUGH': '1',
      'REFERENCE BY REEL NBR': '1061',
      'REFERENCE BY REEL PAGE': '1540',
    },
    expect: {
      deed_references: [
        {
          refers_to_document_id: 'us/ny/nyc.acris|FT_1990006453099',
          refers_to_instrument_number: '1986-1-1061-1540',
        },
      ],
    },
  },
  {
    note: 'document codes are loaded and make no rows',
    kind: 'document_codes',
    given: { 'RECORD TYPE': 'D', 'DOC. TYPE': 'DEED', 'DOC. TYPE DESCRIPTION': 'DEED' },
    expect: {},
  },
]
