import {
  defineSource,
  type Expression,
  type SourceDefinitionInput,
} from '../../../../src/ingest/definition.ts'
import { Layout } from '../../../../src/layouts.ts'
import { zip } from '../expressions.ts'
import { FIPS_BY_COUNTY_NUMBER } from './counties.ts'
import { PURPOSE_BY_LAND_USE, VACANT_LAND_USES } from './land-use.ts'
import { ROLL_AS_OF } from './roll-dates.ts'
import { QUALIFICATIONS } from './sale-codes.ts'

const layout = new Layout('nal')

type Rows = NonNullable<SourceDefinitionInput['files'][number]['rows']>[number]

const parcel = {
  county_fips: { codes: 'fips', of: 'CO_NO' },
  parcel_number: 'PARCEL_ID',
} satisfies Record<string, Expression>

// Adds leading zeros, which spreadsheets drop.
const landUse: Expression = { padStart: 'DOR_UC', length: 3, with: '0' }

/** Words and asterisks that stand for the name of an exempt owner. */
const NO_NAME = '^(\\*+|CONFIDENTIAL.*|.*EXEMPT FROM PUBLIC REC.*)$'

/** The Department puts up to two sales into a parcel's row. They are not always the latest. */
function sale(number: 1 | 2): Rows {
  const qualification: Expression = { padStart: `QUAL_CD${number}`, length: 2, with: '0' }
  return {
    into: 'sales',
    tag: String(number),
    when: { notBlank: { integer: `SALE_YR${number}`, zeroIsNull: true } },
    set: {
      ...parcel,
      instrument_number: `CLERK_NO${number}`,
      book: `OR_BOOK${number}`,
      page: `OR_PAGE${number}`,
      sold_on: { monthDate: { year: `SALE_YR${number}`, month: `SALE_MO${number}` } },
      sold_on_precision: { when: { notBlank: `SALE_MO${number}` }, then: { literal: 'month' } },
      price_usd: { number: `SALE_PRC${number}` },
      qualification_code: qualification,
      qualification_text: { codes: 'qualifications', of: qualification },
      is_multi_parcel: { flag: { is: `MULTI_PAR_SAL${number}`, in: ['C', 'D'] } },
      is_vacant: { flag: { is: `VI_CD${number}`, in: ['V'] } },
    },
  }
}

export default defineSource({
  id: 'us/fl/statewide.nal',
  title: 'Florida assessment rolls (NAL), 67 counties',
  publisher: 'Florida Department of Revenue, Property Tax Oversight',
  url: 'https://floridarevenue.com/property/Pages/DataPortal.aspx',
  states: ['FL'],
  everyDays: 120,
  weight: 0.5,
  codes: {
    fips: FIPS_BY_COUNTY_NUMBER,
    property_purposes: PURPOSE_BY_LAND_USE,
    qualifications: QUALIFICATIONS,
  },
  files: [
    {
      kind: 'nal',
      pattern: 'NAL(?<county>\\d{2})(?<roll>[PF])(?<year>\\d{4})(?<number>\\d{2})\\.csv',
      asOf: ROLL_AS_OF,
      format: {
        type: 'delimited',
        delimiter: ',',
        header: true,
        encoding: 'latin-1',
        columns: layout.names('nal'),
      },
      identity: ['CO_NO', 'PARCEL_ID'],
      supersedes: ['CO_NO'],
      refuse: [
        { when: { not: { inCodes: 'fips', of: 'CO_NO' } }, reason: 'CO_NO is not a county number' },
        { when: { isBlank: 'PARCEL_ID' }, reason: 'no parcel id' },
      ],
      rows: [
        {
          into: 'parcels',
          set: {
            ...parcel,
            roll_year: { integer: 'ASMNT_YR' },
            line_1: 'PHY_ADDR1',
            line_2: 'PHY_ADDR2',
            city: 'PHY_CITY',
            state: { literal: 'FL' },
            zip: zip('PHY_ZIPCD'),
            property_purpose: { codes: 'property_purposes', of: landUse },
            legal_description: 'S_LEGAL',
            lot_sqft: { number: 'LND_SQFOOT', zeroIsNull: true },
            living_sqft: { number: 'TOT_LVG_AREA', zeroIsNull: true },
            year_built: { integer: 'ACT_YR_BLT', zeroIsNull: true },
            effective_year_built: { integer: 'EFF_YR_BLT', zeroIsNull: true },
            unit_count: { integer: 'NO_RES_UNTS', zeroIsNull: true },
            is_vacant: { flag: { is: landUse, in: VACANT_LAND_USES } },
            is_homestead: {
              flag: {
                any: [
                  { notBlank: { number: 'EXMPT_01', zeroIsNull: true } },
                  { notBlank: { number: 'JV_HMSTD', zeroIsNull: true } },
                ],
              },
            },
            market_value_usd: { number: 'JV', zeroIsNull: true },
            assessed_value_usd: { number: 'AV_NSD', zeroIsNull: true },
          },
        },
        {
          into: 'parcel_owners',
          when: { notBlank: 'OWN_NAME' },
          set: {
            ...parcel,
            roll_year: { integer: 'ASMNT_YR' },
            owner_sequence: { literal: 1 },
            full_name: { when: { not: { matches: NO_NAME, of: 'OWN_NAME' } }, then: 'OWN_NAME' },
            name_order: { literal: 'surname_first' },
            mail_line_1: 'OWN_ADDR1',
            mail_line_2: 'OWN_ADDR2',
            mail_city: 'OWN_CITY',
            // The field may be a state's name or, for a foreign owner, the country. The domicile always has two
            // letters.
            mail_state: {
              firstOf: [
                { extract: '^[A-Za-z]{2}$', of: 'OWN_STATE', group: 0 },
                { when: { not: { is: 'OWN_STATE_DOM', in: ['FC'] } }, then: 'OWN_STATE_DOM' },
                { when: { not: { is: 'OWN_STATE_DOM', in: ['FC'] } }, then: 'OWN_STATE' },
              ],
            },
            mail_zip: zip('OWN_ZIPCD'),
            mail_country: { when: { is: 'OWN_STATE_DOM', in: ['FC'] }, then: 'OWN_STATE' },
            is_confidential: { flag: { matches: NO_NAME, of: 'OWN_NAME' } },
          },
        },
        sale(1),
        sale(2),
      ],
    },
  ],
  examples: [
    {
      note: 'a homestead with one owner field for two people, sold once',
      kind: 'nal',
      file: 'NAL16P202501.csv',
      given: {
        CO_NO: '16',
        PARCEL_ID: '494126DD0410',
        FILE_T: 'R',
        ASMNT_YR: '2025',
        DOR_UC: '004',
        JV: '212000',
        AV_NSD: '118340',
        JV_HMSTD: '212000',
        LND_SQFOOT: '',
        EFF_YR_BLT: '1990',
        ACT_YR_BLT: '1974',
        TOT_LVG_AREA: '980',
        NO_RES_UNTS: '1',
        QUAL_CD1: '01',
        VI_CD1: 'I',
        SALE_PRC1: '205000',
        SALE_YR1: '2024',
        SALE_MO1: '06',
        CLERK_NO1: '119600123',
        OWN_NAME: 'HALVORSEN,PIA M & ERIK',
        OWN_ADDR1: '2832 NW 55 AVE # 218',
        OWN_CITY: 'LAUDERHILL',
        OWN_STATE: 'FL',
        OWN_ZIPCD: '33313',
        OWN_STATE_DOM: 'FL',
        S_LEGAL: 'STONEBRIDGE GARDENS SEC ONE CO',
        PHY_ADDR1: '2832 NW 55 AVE',
        PHY_ADDR2: 'UNIT 218',
        PHY_CITY: 'LAUDERHILL',
        PHY_ZIPCD: '33313',
        EXMPT_01: '25000',
      },
      expect: {
        parcels: [
          {
            county_fips: '12011',
            parcel_number: '494126DD0410',
            roll_year: 2025,
            line_1: '2832 NW 55 AVE',
            line_2: 'UNIT 218',
            city: 'LAUDERHILL',
            state: 'FL',
            zip: '33313',
            property_purpose: 'condominium',
            lot_sqft: null,
            living_sqft: 980,
            year_built: 1974,
            effective_year_built: 1990,
            is_homestead: true,
            is_vacant: false,
            market_value_usd: 212000,
            assessed_value_usd: 118340,
          },
        ],
        parcel_owners: [
          {
            full_name: 'HALVORSEN,PIA M & ERIK',
            name_order: 'surname_first',
            mail_line_1: '2832 NW 55 AVE # 218',
            mail_city: 'LAUDERHILL',
            mail_state: 'FL',
            mail_zip: '33313',
            mail_country: null,
            is_confidential: false,
          },
        ],
        sales: [
          {
            instrument_number: '119600123',
            sold_on: '2024-06-01',
            sold_on_precision: 'month',
            price_usd: 205000,
            qualification_text: "Arm's length, from the deed",
          },
        ],
      },
    },
    {
      note: 'a foreign owner: the state field holds the country, and the ZIP is blank',
      kind: 'nal',
      file: 'NAL65F202501.csv',
      given: {
        CO_NO: '65',
        PARCEL_ID: '1234567-1234',
        ASMNT_YR: '2025',
        DOR_UC: '0',
        OWN_NAME: 'LINDQVIST ANNIKA',
        OWN_ADDR1: '14 STORGATAN',
        OWN_CITY: 'UPPSALA',
        OWN_STATE: 'SWEDEN',
        OWN_STATE_DOM: 'FC',
        PHY_ADDR1: 'PALM VALLEY RD',
        PHY_ZIPCD: '0',
      },
      expect: {
        parcels: [
          {
            county_fips: '12109',
            parcel_number: '1234567-1234',
            property_purpose: 'vacant_land',
            is_vacant: true,
            is_homestead: false,
            zip: null,
          },
        ],
        parcel_owners: [
          { full_name: 'LINDQVIST ANNIKA', mail_city: 'UPPSALA', mail_state: null, mail_country: 'SWEDEN' },
        ],
      },
    },
    {
      note: 'a state that is written out; two sales; the appraiser withholds the name',
      kind: 'nal',
      file: 'NAL23P202501.csv',
      given: {
        CO_NO: '23',
        PARCEL_ID: '3031150140570',
        ASMNT_YR: '2025',
        DOR_UC: '001',
        OWN_NAME: 'CONFIDENTIAL',
        OWN_STATE: 'GEORGIA',
        OWN_STATE_DOM: 'GA',
        QUAL_CD1: '11',
        SALE_PRC1: '100',
        SALE_YR1: '2025',
        SALE_MO1: '2',
        OR_BOOK1: '34012',
        OR_PAGE1: '1544',
        QUAL_CD2: '05',
        SALE_PRC2: '410000',
        SALE_YR2: '2024',
        SALE_MO2: '11',
        OR_BOOK2: '33990',
        OR_PAGE2: '0012',
        MULTI_PAR_SAL2: 'D',
      },
      expect: {
        parcels: [{ county_fips: '12086', property_purpose: 'single_family' }],
        parcel_owners: [{ full_name: null, mail_state: 'GA', is_confidential: true }],
        sales: [
          {
            record_key: 'us/fl/statewide.nal/nal/23|3031150140570:1',
            sold_on: '2025-02-01',
            price_usd: 100,
            is_multi_parcel: false,
          },
          {
            record_key: 'us/fl/statewide.nal/nal/23|3031150140570:2',
            book: '33990',
            page: '0012',
            sold_on: '2024-11-01',
            price_usd: 410000,
            is_multi_parcel: true,
          },
        ],
      },
    },
  ],
})
