import { defineSource } from '../../../../src/ingest/definition.ts'
import { Layout } from '../../../../src/layouts.ts'
import { FIPS_BY_COUNTY_NUMBER } from './counties.ts'
import { ROLL_AS_OF } from './roll-dates.ts'
import { QUALIFICATIONS } from './sale-codes.ts'

const layout = new Layout('sdf')

export default defineSource({
  id: 'us/fl/statewide.sdf',
  title: 'Florida sales (SDF), 67 counties',
  publisher: 'Florida Department of Revenue, Property Tax Oversight',
  url: 'https://floridarevenue.com/property/Pages/DataPortal.aspx',
  states: ['FL'],
  everyDays: 120,
  // A file has the sales of the last year and of this year so far. A final roll has far more of them than the next
  // preliminary roll.
  limits: { rowsDown: 0.5, rowsUp: 1.5 },
  weight: 0.5,
  codes: { fips: FIPS_BY_COUNTY_NUMBER, qualifications: QUALIFICATIONS },
  files: [
    {
      kind: 'sdf',
      pattern: 'SDF(?<county>\\d{2})(?<roll>[PF])(?<year>\\d{4})(?<number>\\d{2})\\.csv',
      asOf: ROLL_AS_OF,
      format: {
        type: 'delimited',
        delimiter: ',',
        header: true,
        encoding: 'latin-1',
        columns: layout.names('sdf'),
      },
      identity: ['CO_NO', 'PARCEL_ID', 'CLERK_NO', 'OR_BOOK', 'OR_PAGE', 'SALE_YR', 'SALE_MO', 'SALE_ID_CD'],
      // A file has every sale of the last year and of its own year so far, and no earlier one. So earlier years
      // stay.
      supersedes: ['CO_NO', 'SALE_YR'],
      refuse: [
        { when: { not: { inCodes: 'fips', of: 'CO_NO' } }, reason: 'CO_NO is not a county number' },
        { when: { isBlank: 'PARCEL_ID' }, reason: 'no parcel id' },
      ],
      rows: [
        {
          into: 'sales',
          set: {
            county_fips: { codes: 'fips', of: 'CO_NO' },
            parcel_number: 'PARCEL_ID',
            instrument_number: 'CLERK_NO',
            book: 'OR_BOOK',
            page: 'OR_PAGE',
            sold_on: { monthDate: { year: 'SALE_YR', month: 'SALE_MO' } },
            sold_on_precision: { when: { notBlank: 'SALE_MO' }, then: { literal: 'month' } },
            price_usd: { number: 'SALE_PRC' },
            qualification_code: { padStart: 'QUAL_CD', length: 2, with: '0' },
            qualification_text: {
              codes: 'qualifications',
              of: { padStart: 'QUAL_CD', length: 2, with: '0' },
            },
            is_multi_parcel: { flag: { is: 'MULTI_PAR_SAL', in: ['C', 'D'] } },
            is_vacant: { flag: { is: 'VI_CD', in: ['V'] } },
          },
        },
      ],
    },
  ],
  examples: [
    {
      note: 'hexadecimal MP_ID and numeric-looking ids stay text; the day of a sale is not known',
      kind: 'sdf',
      file: 'SDF16P202501.csv',
      given: {
        CO_NO: '16',
        PARCEL_ID: '494126DD0410',
        ASMNT_YR: '2025',
        SALE_ID_CD: '99000119840338',
        VI_CD: 'I',
        CLERK_NO: '119840338',
        QUAL_CD: '37',
        SALE_YR: '2024',
        SALE_MO: '10',
        SALE_PRC: '75000',
        MP_ID: '000837E2',
      },
      expect: {
        sales: [
          {
            county_fips: '12011',
            parcel_number: '494126DD0410',
            instrument_number: '119840338',
            book: null,
            sold_on: '2024-10-01',
            sold_on_precision: 'month',
            price_usd: 75000,
            qualification_code: '37',
            qualification_text: 'Atypical market exposure or motivation',
            is_multi_parcel: false,
            is_vacant: false,
          },
        ],
      },
    },
    {
      note: 'one instrument over many parcels: a price of 0 is what the stamps say, and stays',
      kind: 'sdf',
      file: 'SDF16P202501.csv',
      given: {
        CO_NO: '16',
        PARCEL_ID: '514110010091',
        VI_CD: 'V',
        CLERK_NO: '119915857',
        QUAL_CD: '11',
        SALE_YR: '2024',
        SALE_MO: '11',
        SALE_PRC: '0',
        MULTI_PAR_SAL: 'C',
      },
      expect: {
        sales: [
          {
            parcel_number: '514110010091',
            sold_on: '2024-11-01',
            price_usd: 0,
            qualification_text: 'Corrective, quit claim or tax deed, or minimum or no documentary stamps',
            is_multi_parcel: true,
            is_vacant: true,
          },
        ],
      },
    },
    {
      note: 'a county that records by book and page; Miami-Dade is 23 here and 12086 in FIPS',
      kind: 'sdf',
      file: 'SDF23F202501.csv',
      given: {
        CO_NO: '23',
        PARCEL_ID: '3031150140570',
        OR_BOOK: '34012',
        OR_PAGE: '1544',
        QUAL_CD: '1',
        SALE_YR: '2024',
        SALE_MO: '3',
        SALE_PRC: '100',
      },
      expect: {
        sales: [
          {
            county_fips: '12086',
            instrument_number: null,
            book: '34012',
            page: '1544',
            sold_on: '2024-03-01',
            price_usd: 100,
            qualification_code: '01',
            qualification_text: "Arm's length, from the deed",
          },
        ],
      },
    },
  ],
})
