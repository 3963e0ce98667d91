import {
  defineSource,
  type Expression,
  type SourceDefinitionInput,
} from '../../../../src/ingest/definition.ts'
import { Layout } from '../../../../src/layouts.ts'
import { known, zip } from '../expressions.ts'
import { CITY_BY_BOROUGH, FIPS_BY_BOROUGH } from './boroughs.ts'
import {
  BASEMENT_TYPES,
  PURPOSE_BY_BUILDING_CLASS,
  PURPOSE_BY_LAND_USE,
  PURPOSE_BY_WHOLE_CLASS,
} from './building-classes.ts'

const layout = new Layout('pluto')

type Rows = NonNullable<SourceDefinitionInput['files'][number]['rows']>

/** The portal writes thousands separators in every numeric column, also in lots, ZIP codes and years. */
function withoutCommas(of: Expression): Expression {
  return { replace: ',', of, with: '' }
}

/** The planning department's file has `bbl` as a decimal (`2022860024.00000000`). */
function bbl(whole: Expression, block: Expression, lot: Expression): Expression {
  return {
    firstOf: [
      { extract: '^(\\d{10})(?:\\.0*)?$', of: withoutCommas(whole), group: 1 },
      {
        join: [
          'borocode',
          { padStart: withoutCommas(block), length: 5, with: '0' },
          { padStart: withoutCommas(lot), length: 4, with: '0' },
        ],
        with: '',
      },
    ],
  }
}

/** The two files have different names for the BBL and the ZIP code. */
function lots(parcelNumber: Expression, zipCode: Expression): Rows {
  const place = {
    county_fips: { codes: 'fips', of: 'borocode' },
    parcel_number: parcelNumber,
    roll_year: {
      integer: {
        replace: '^(\\d{2})v.*$',
        of: { extract: '^\\d{2}v\\d', of: 'version', group: 0 },
        with: '20\\1',
      },
    },
  } satisfies Record<string, Expression>
  return [
    {
      into: 'parcels',
      set: {
        ...place,
        line_1: 'address',
        city: { codes: 'cities', of: 'borocode' },
        state: { literal: 'NY' },
        zip: zip({ extract: '^(\\d{5})(?:\\.0*)?$', of: withoutCommas(zipCode), group: 1 }),
        property_purpose: {
          firstOf: [
            { codes: 'purposes_by_class', of: 'bldgclass' },
            { codes: 'purposes_by_letter', of: { slice: 'bldgclass', from: 1, length: 1 } },
            { codes: 'purposes_by_land_use', of: { padStart: 'landuse', length: 2, with: '0' } },
          ],
        },
        lot_sqft: { number: 'lotarea', zeroIsNull: true },
        living_sqft: { number: 'bldgarea', zeroIsNull: true },
        year_built: { integer: 'yearbuilt', zeroIsNull: true },
        stories: { number: 'numfloors', zeroIsNull: true },
        unit_count: { integer: 'unitstotal', zeroIsNull: true },
        basement_type: { codes: 'basement_types', of: 'bsmtcode' },
        is_vacant: {
          flag: {
            any: [
              { matches: '^V', of: 'bldgclass' },
              { is: 'landuse', in: ['11'] },
            ],
          },
        },
        latitude: { number: 'latitude', zeroIsNull: true },
        longitude: { number: 'longitude', zeroIsNull: true },
        assessed_value_usd: { number: 'assesstot', zeroIsNull: true },
      },
    },
    {
      into: 'parcel_owners',
      when: { notBlank: known('ownername', NO_OWNER) },
      set: {
        ...place,
        owner_sequence: { literal: 1 },
        full_name: 'ownername',
        name_order: { literal: 'surname_first' },
        is_confidential: { literal: false },
      },
    },
  ]
}

const NO_OWNER = ['UNAVAILABLE OWNER', 'NAME NOT ON FILE', 'NOT ON FILE', 'UNKNOWN']
const bulkNumber = bbl('bbl', 'block', 'lot')
const portalNumber = bbl('BBL', 'Tax block', 'Tax lot')
const noBorough = [
  { when: { not: { inCodes: 'fips', of: 'borocode' } }, reason: 'borocode is not one of the five boroughs' },
]

export default defineSource({
  id: 'us/ny/nyc.pluto',
  title: 'New York City tax lots (PLUTO)',
  publisher: 'New York City Department of City Planning',
  url: 'https://www.nyc.gov/site/planning/data-maps/open-data/dwn-pluto-mappluto.page',
  states: ['NY'],
  counties: ['36061', '36005', '36047', '36081', '36085'],
  everyDays: 120,
  weight: 0.5,
  codes: {
    fips: FIPS_BY_BOROUGH,
    cities: CITY_BY_BOROUGH,
    purposes_by_class: PURPOSE_BY_WHOLE_CLASS,
    purposes_by_letter: PURPOSE_BY_BUILDING_CLASS,
    purposes_by_land_use: PURPOSE_BY_LAND_USE,
    basement_types: BASEMENT_TYPES,
  },
  files: [
    {
      kind: 'pluto',
      pattern: 'pluto_(?<issue>\\d{2}v\\d{1,2})(?:[_.]\\d+)?\\.csv',
      // Issues of a year are numbered and not dated. The number counts as the month, so that issues stay in order.
      asOf: { group: 'issue', format: '%yv%m' },
      format: {
        type: 'delimited',
        delimiter: ',',
        header: true,
        encoding: 'utf-8',
        columns: layout.names('pluto'),
      },
      identity: [bulkNumber],
      supersedes: ['borocode'],
      refuse: noBorough,
      rows: lots(bulkNumber, 'zipcode'),
    },
    {
      kind: 'pluto_socrata',
      pattern: '(?:pluto_(?:latest_)?socrata|Primary_Land_Use_Tax_Lot_Output.*?)(?:_(?<as_of>\\d{8}))?\\.csv',
      asOf: { group: 'as_of', format: '%Y%m%d' },
      format: {
        type: 'delimited',
        delimiter: ',',
        header: true,
        encoding: 'utf-8',
        columns: layout.names('pluto_socrata'),
      },
      identity: [portalNumber],
      supersedes: ['borocode'],
      refuse: noBorough,
      rows: lots(portalNumber, 'postcode'),
    },
  ],
  examples: [
    {
      note: 'a two-family house; the BBL is a decimal',
      kind: 'pluto',
      given: {
        borough: 'BX',
        block: '2286',
        lot: '24',
        zipcode: '10454',
        address: '412 EAST 141 STREET',
        bldgclass: 'B1',
        landuse: '01',
        ownername: 'OKONKWO, DANIEL T',
        lotarea: '2500',
        bldgarea: '2140',
        numfloors: '2.00000000',
        unitstotal: '2',
        bsmtcode: '2',
        assesstot: '38220',
        yearbuilt: '1931',
        borocode: '2',
        bbl: '2022860024.00000000',
        version: '25v2',
        latitude: '40.8093',
        longitude: '-73.9201',
      },
      expect: {
        parcels: [
          {
            county_fips: '36005',
            parcel_number: '2022860024',
            roll_year: 2025,
            line_1: '412 EAST 141 STREET',
            city: 'Bronx',
            state: 'NY',
            zip: '10454',
            property_purpose: 'multi_family',
            lot_sqft: 2500,
            living_sqft: 2140,
            year_built: 1931,
            stories: 2,
            unit_count: 2,
            basement_type: 'full',
            is_vacant: false,
            latitude: 40.8093,
            assessed_value_usd: 38220,
          },
        ],
        parcel_owners: [
          {
            county_fips: '36005',
            parcel_number: '2022860024',
            owner_sequence: 1,
            full_name: 'OKONKWO, DANIEL T',
            name_order: 'surname_first',
          },
        ],
      },
    },
    {
      note: 'a vacant lot whose owner is not known has zeros for areas and year',
      kind: 'pluto',
      given: {
        borough: 'QN',
        block: '10234',
        lot: '9',
        bldgclass: 'V0',
        landuse: '11',
        ownername: 'UNAVAILABLE OWNER',
        lotarea: '0',
        bldgarea: '0',
        yearbuilt: '0',
        borocode: '4',
        bbl: '4102340009.00000000',
        version: '25v2.1',
      },
      expect: {
        parcels: [
          {
            county_fips: '36081',
            parcel_number: '4102340009',
            city: 'Queens',
            property_purpose: 'vacant_land',
            lot_sqft: null,
            living_sqft: null,
            year_built: null,
            is_vacant: true,
            zip: null,
          },
        ],
      },
    },
    {
      note: 'without a BBL its parts make it; a commercial condominium is no home',
      kind: 'pluto',
      given: { borocode: '1', block: '77', lot: '7501', bldgclass: 'R5', version: '25v2' },
      expect: {
        parcels: [{ county_fips: '36061', parcel_number: '1000777501', property_purpose: 'commercial' }],
      },
    },
    {
      note: 'the portal writes thousands with commas, in every number',
      kind: 'pluto_socrata',
      given: {
        borough: 'BK',
        'Tax block': '7,713',
        'Tax lot': '1,146',
        postcode: '11,234',
        address: '1742 EAST 31 STREET',
        bldgclass: 'A1',
        ownername: 'MARLOWE, DANIELLA R',
        lotarea: '2,385',
        bldgarea: '1,700',
        assesstot: '2,385,000',
        yearbuilt: '1,931',
        borocode: '3',
        BBL: '3,077,131,146',
        version: '25v1',
      },
      expect: {
        parcels: [
          {
            county_fips: '36047',
            parcel_number: '3077131146',
            roll_year: 2025,
            zip: '11234',
            property_purpose: 'single_family',
            lot_sqft: 2385,
            living_sqft: 1700,
            assessed_value_usd: 2385000,
            year_built: 1931,
          },
        ],
        parcel_owners: [{ parcel_number: '3077131146', full_name: 'MARLOWE, DANIELLA R' }],
      },
    },
  ],
})
