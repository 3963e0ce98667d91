import type { SourceDefinitionInput } from '../../../../src/ingest/definition.ts'

/** Rows as the files have them, and the staging rows that they must make. They run as tests. */
export const EXAMPLES: SourceDefinitionInput['examples'] = [
  {
    note: "the county's own example of a deed: 0.70 of documentary tax per 100 dollars",
    kind: 'doc',
    file: '10-09-2024doc-ver.txt',
    given: {
      instrument_number: '119840338',
      record_date: '20241009',
      record_date_us: '10/09/2024',
      record_time: '102848',
      document_type_code: 'D',
      consideration_amount: '75000.00',
      book_type: 'O',
      legal_description: 'STONEBRIDGE GARDENS SECTION ONE CONDO UNIT 218 BLDG B',
      parcel_id: '494126DD0410',
      documentary_tax: '525.00',
      number_of_names: '3',
      confidential: '0',
      status: 'V',
      source: 'E',
    },
    expect: {
      deeds: [
        {
          county_fips: '12011',
          document_id: 'us/fl/broward.official-records|119840338',
          instrument_number: '119840338',
          document_code: 'D',
          document_text: 'DEED',
          event_type: 'deed.transfer',
          recorded_on: '2024-10-09',
          instrument_on: null,
          consideration_usd: 75000,
          transfer_tax_usd: 525,
          is_void: false,
        },
      ],
      deed_parcels: [
        {
          document_id: 'us/fl/broward.official-records|119840338',
          parcel_number: '494126DD0410',
          legal_description: 'STONEBRIDGE GARDENS SECTION ONE CONDO UNIT 218 BLDG B',
        },
      ],
    },
  },
  {
    note: 'a void deletes an earlier document',
    kind: 'doc',
    given: {
      instrument_number: '119032023',
      record_date: '20230809',
      document_type_code: 'VOID',
      consideration_amount: '0.00',
      legal_description: 'VOID',
      parcel_id: 'VOID',
      confidential: '4',
      case_number: 'VOID',
    },
    expect: {
      deeds: [
        {
          document_id: 'us/fl/broward.official-records|119032023',
          event_type: null,
          recorded_on: '2023-08-09',
          consideration_usd: null,
          is_void: true,
        },
      ],
    },
  },
  {
    note: 'a sealed deed has only type and dates',
    kind: 'doc',
    given: {
      instrument_number: '119824011',
      record_date: '20240930',
      document_type_code: 'D',
      consideration_amount: '0.00',
      confidential: '2',
      case_number: 'SEALED',
    },
    expect: { deeds: [{ event_type: 'deed.transfer', is_void: true }] },
  },
  {
    note: 'a sealed document that is no deed makes nothing',
    kind: 'doc',
    given: {
      instrument_number: '119824010',
      record_date: '20240930',
      document_type_code: 'ADP',
      confidential: '2',
    },
    expect: {},
  },
  {
    note: 'a certificate of title follows a foreclosure; twelve zeros are no parcel',
    kind: 'doc',
    given: {
      instrument_number: '119850001',
      record_date: '20241011',
      document_type_code: 'CET',
      consideration_amount: '100.00',
      legal_description: 'LAKE ESTATES 12-4 B LOT 7',
      parcel_id: '000000000000',
      confidential: '0',
    },
    expect: {
      deeds: [
        { event_type: 'deed.foreclosure', document_text: 'CERTIFICATE OF TITLE', consideration_usd: 100 },
      ],
      deed_parcels: [{ parcel_number: null, legal_description: 'LAKE ESTATES 12-4 B LOT 7' }],
    },
  },
  {
    note: 'a deed recorded again to correct it',
    kind: 'doc',
    given: {
      instrument_number: '119850002',
      record_date: '20241011',
      document_type_code: 'D',
      confidential: '0',
      rerecord_flag: 'C',
    },
    expect: { deeds: [{ event_type: 'deed.correction', consideration_usd: null, transfer_tax_usd: null }] },
  },
  {
    note: 'a mortgage is a loan and no deed',
    kind: 'doc',
    given: {
      instrument_number: '119840339',
      record_date: '20241009',
      document_type_code: 'M',
      consideration_amount: '105000.00',
      documentary_tax: '367.50',
      intangible_tax: '210.00',
      confidential: '0',
    },
    expect: {
      mortgages: [
        {
          document_id: 'us/fl/broward.official-records|119840339',
          loan_type: 'Mortgage',
          amount_usd: 105000,
          recorded_on: '2024-10-09',
        },
      ],
    },
  },
  {
    note: 'direct parties are grantors, names have no space behind the comma',
    kind: 'nme',
    given: {
      instrument_number: '119840338',
      party_name: 'HARTWELL-QUINN,TERESA',
      party_type: 'D',
      name_sequence: '1',
    },
    expect: {
      deed_parties: [
        {
          record_key: 'us/fl/broward.official-records/nme/119840338|D|1',
          document_id: 'us/fl/broward.official-records|119840338',
          role: 'grantor',
          party_sequence: 1,
          full_name: 'HARTWELL-QUINN,TERESA',
          name_order: 'surname_first',
        },
      ],
    },
  },
  {
    note: 'reverse parties are grantees, organisations among them',
    kind: 'nme',
    given: {
      instrument_number: '119840338',
      party_name: 'QUIET LAGOON HOMES LLC',
      party_type: 'R',
      name_sequence: '1',
    },
    expect: { deed_parties: [{ role: 'grantee', full_name: 'QUIET LAGOON HOMES LLC' }] },
  },
  {
    note: 'the second parcel of a deed is only in this file',
    kind: 'lgl',
    given: {
      instrument_number: '119915857',
      legal_description: 'WALNUT CREEK 167-40 B PARCEL C',
      parcel_id: '514110170030',
    },
    expect: {
      deed_parcels: [
        { document_id: 'us/fl/broward.official-records|119915857', parcel_number: '514110170030' },
      ],
    },
  },
  {
    note: 'a legal description without a parcel',
    kind: 'lgl',
    given: { instrument_number: '119915925', legal_description: 'SANTA BARBARA RESORT & YACHT CLUB' },
    expect: {
      deed_parcels: [{ parcel_number: null, legal_description: 'SANTA BARBARA RESORT & YACHT CLUB' }],
    },
  },
  {
    note: 'a link to an earlier document by its instrument number',
    kind: 'lnk',
    given: {
      instrument_number: '119831733',
      book_number: '0',
      page_number: '0',
      document_type_code: 'RST',
      prior_instrument_number: '114432744',
      prior_document_type_code: 'M',
      keypunch: 'O 114432744',
    },
    expect: {
      deed_references: [
        {
          document_id: 'us/fl/broward.official-records|119831733',
          refers_to_document_id: 'us/fl/broward.official-records|114432744',
        },
      ],
    },
  },
  {
    note: 'a link that was keyed and not found makes nothing',
    kind: 'lnk',
    given: { instrument_number: '119831732', document_type_code: 'RST', keypunch: '-O 24986/0175' },
    expect: {},
  },
]
