import { defineSource, type Expression } from '../../../../src/ingest/definition.ts'
import { Layout } from '../../../../src/layouts.ts'
import { known, prefixed, zip } from '../expressions.ts'
import { PURPOSE_BY_HCAD_CLASS, PURPOSE_BY_HCAD_LETTER } from './state-codes.ts'
import { EXAMPLES } from './hcad-examples.ts'

const layout = new Layout('hcad')

const parcel = { county_fips: { literal: '48201' }, parcel_number: 'acct' } satisfies Record<
  string,
  Expression
>

/** The district's placeholder for an owner who may withhold the name by law. */
const CONFIDENTIAL = ['CURRENT OWNER', 'CONFIDENTIAL', 'CONFIDENTIAL OWNER']

/** The clerk's year and film code. A deed over several accounts has the same code on each. */
const documentId: Expression = {
  firstOf: [
    {
      when: { notBlank: 'clerk_id' },
      then: prefixed('us/tx/harris.hcad|', { join: ['clerk_yr', 'clerk_id'], with: '-' }),
    },
    { join: [{ literal: 'us/tx/harris.hcad' }, 'acct', 'deed_id'], with: '|' },
  ],
}

function day(of: Expression): Expression {
  return {
    date: of,
    formats: ['%m/%d/%Y', '%m-%d-%Y'],
    sentinels: ['12-30-1899', '12/30/1899', '01/01/1900', '00/00/0000'],
  }
}

/**
 * Delimited by tabs, with a header. Quotes are part of the text. The members of the archive have no date, but the
 * archive's name may have one.
 */
function table(name: string) {
  return {
    kind: name,
    pattern: `${name}\\.txt`,
    archivePattern: '.*?(?:(?<as_of>\\d{8}).*)?',
    asOf: { group: 'as_of', format: '%Y%m%d' },
    format: {
      type: 'delimited',
      delimiter: '\t',
      quote: null,
      header: true,
      encoding: 'latin-1',
      columns: layout.names(name),
    } as const,
    supersedes: [],
    // Account numbers have 13 digits, and many begin with a zero.
    keys: { acct: { length: 13 } },
  }
}

export default defineSource({
  id: 'us/tx/harris.hcad',
  title: 'Harris County appraisal roll (HCAD)',
  publisher: 'Harris Central Appraisal District',
  url: 'https://hcad.org/pdata/pdata-property-downloads.html',
  states: ['TX'],
  counties: ['48201'],
  everyDays: 31,
  weight: 0.5,
  together: [['real_acct', 'owners', 'deeds', 'building_res', 'fixtures', 'land']],
  codes: {
    purposes: PURPOSE_BY_HCAD_CLASS,
    purposes_by_letter: PURPOSE_BY_HCAD_LETTER,
    fixtures: { RMB: 'bedrooms', RMF: 'full_baths', RMH: 'half_baths', STY: 'stories' },
  },
  files: [
    {
      ...table('real_acct'),
      identity: ['acct'],
      rows: [
        {
          into: 'parcels',
          set: {
            ...parcel,
            roll_year: { integer: 'yr' },
            line_1: 'site_addr_1',
            city: 'site_addr_2',
            state: { literal: 'TX' },
            zip: zip('site_addr_3'),
            property_purpose: {
              firstOf: [
                { codes: 'purposes', of: 'state_class' },
                { codes: 'purposes_by_letter', of: { slice: 'state_class', from: 1, length: 1 } },
              ],
            },
            legal_description: { join: ['lgl_1', 'lgl_2', 'lgl_3', 'lgl_4'], with: ' ' },
            lot_sqft: { number: 'land_ar', zeroIsNull: true },
            living_sqft: { number: 'bld_ar', zeroIsNull: true },
            year_built: { integer: 'yr_impr', zeroIsNull: true },
            is_vacant: { flag: { matches: '^C', of: 'state_class' } },
            market_value_usd: { number: 'tot_mkt_val', zeroIsNull: true },
            assessed_value_usd: { number: 'assessed_val', zeroIsNull: true },
            deed_on: day('new_own_dt'),
          },
        },
        {
          into: 'parcel_owners',
          when: { notBlank: 'mailto' },
          set: {
            ...parcel,
            roll_year: { integer: 'yr' },
            owner_sequence: { literal: 1 },
            full_name: known('mailto', CONFIDENTIAL),
            name_order: { literal: 'surname_first' },
            mail_line_1: 'mail_addr_1',
            mail_line_2: 'mail_addr_2',
            mail_city: 'mail_city',
            mail_state: 'mail_state',
            mail_zip: zip('mail_zip'),
            mail_country: 'mail_country',
            is_confidential: { flag: { is: 'mailto', in: CONFIDENTIAL } },
            deed_on: day('new_own_dt'),
          },
        },
      ],
    },
    {
      ...table('owners'),
      identity: ['acct', 'ln_num'],
      rows: [
        {
          // Leaves out the first line: it repeats the owner of real_acct, which also has the mailing address.
          into: 'parcel_owners',
          when: {
            all: [{ notBlank: known('name', CONFIDENTIAL) }, { not: { matches: '^0*1$', of: 'ln_num' } }],
          },
          set: {
            ...parcel,
            owner_sequence: { integer: 'ln_num' },
            full_name: 'name',
            name_order: { literal: 'surname_first' },
            // A share of 1.0000 is 100 percent.
            ownership_percent: { number: 'pct_own', times: 100, zeroIsNull: true },
            is_confidential: { literal: false },
          },
        },
      ],
    },
    {
      ...table('deeds'),
      identity: ['acct', 'clerk_id', 'deed_id'],
      rows: [
        {
          into: 'deeds',
          when: { any: [{ notBlank: 'clerk_id' }, { notBlank: day('dos') }] },
          set: {
            county_fips: { literal: '48201' },
            document_id: documentId,
            instrument_number: 'clerk_id',
            document_text: { literal: 'DEED' },
            event_type: { literal: 'deed.transfer' },
            recorded_on: day('dos'),
            is_void: { literal: false },
          },
        },
        {
          into: 'deed_parcels',
          when: { any: [{ notBlank: 'clerk_id' }, { notBlank: day('dos') }] },
          set: { ...parcel, document_id: documentId },
        },
      ],
    },
    {
      ...table('building_res'),
      identity: ['acct', 'bld_num'],
      rows: [
        {
          into: 'buildings',
          set: {
            ...parcel,
            building_number: 'bld_num',
            year_built: { integer: 'date_erected', zeroIsNull: true },
            effective_year_built: { integer: 'eff', zeroIsNull: true },
            living_sqft: {
              firstOf: [
                { number: 'heat_ar', zeroIsNull: true },
                { number: 'im_sq_ft', zeroIsNull: true },
              ],
            },
            ground_floor_sqft: { number: 'base_ar', zeroIsNull: true },
            build_quality: { lower: { replace: '[^A-Za-z0-9]+', of: 'dscr', with: '-' } },
          },
        },
      ],
    },
    {
      ...table('fixtures'),
      identity: ['acct', 'bld_num', 'type'],
      rows: [
        {
          into: 'fixtures',
          when: {
            any: [
              { inCodes: 'fixtures', of: 'type' },
              { matches: '(?i)\\bpool', of: 'type_dscr' },
            ],
          },
          set: {
            ...parcel,
            building_number: 'bld_num',
            fixture: { codes: 'fixtures', of: 'type', otherwise: { literal: 'pool' } },
            unit_count: { number: 'units' },
          },
        },
      ],
    },
    {
      ...table('land'),
      identity: ['acct', 'num'],
      rows: [
        {
          into: 'land_segments',
          set: {
            ...parcel,
            segment_number: 'num',
            land_use: 'use_dscr',
            land_sqft: {
              when: { is: 'tp', in: ['AC'] },
              then: { number: 'uts', times: 43560, zeroIsNull: true },
              otherwise: { when: { is: 'tp', in: ['SF'] }, then: { number: 'uts', zeroIsNull: true } },
            },
          },
        },
      ],
    },
  ],
  examples: EXAMPLES,
})
