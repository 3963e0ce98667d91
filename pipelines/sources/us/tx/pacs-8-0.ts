import type { Expression, SourceDefinitionInput } from '../../../../src/ingest/definition.ts'
import { Layout } from '../../../../src/layouts.ts'
import { known, prefixed, zip } from '../expressions.ts'
import { pacsExamples } from './pacs-8-0-examples.ts'
import { PURPOSE_BY_STATE_CODE, PURPOSE_BY_STATE_LETTER } from './state-codes.ts'

const layout = new Layout('pacs-8-0')

/**
 * PACS "Appraisal Export", layout 8.0.18: fixed width, CRLF, numbers padded with zeros. Later versions append
 * fields. The definition of a PACS county only adds its id, its FIPS code and the name of its archive.
 */
export interface PacsCounty {
  readonly id: string
  readonly county: string
  readonly district: string
  readonly fips: string
  readonly url: string
  /** A pattern for the archive's name. The members have the same names in every county. */
  readonly archivePattern: string
}

/** Confidential and suppressed owners have the flag T. Their name and address must not be published. */
const isConfidential = { is: 'py_confidential_flag', in: ['T', 'Y'] }
const isSuppressed = { any: [isConfidential, { is: 'py_address_suppress_flag', in: ['T', 'Y'] }] }
const isProperty = {
  all: [
    // P (business personal property), MN (minerals) and A (automobiles) are not parcels.
    { is: 'prop_type_cd', in: ['R', 'M', 'MH'] },
    { not: { is: 'sup_action', in: ['D'] } },
  ],
}
const dropZeros = (of: Expression): Expression => ({ replace: '^0+', of, with: '' })

function address(of: Expression): Expression {
  return { when: { not: isSuppressed }, then: of }
}

const deed = {
  deed_on: {
    date: 'deed_dt',
    formats: ['%m%d%Y', '%m-%d-%Y', '%m/%d/%Y'],
    sentinels: ['00000000', '00-00-0000', '00/00/0000', '0'],
  },
  deed_number: { firstOf: ['deed_num', { join: ['deed_book_id', 'deed_book_page'], with: '/' }] },
} satisfies Record<string, Expression>

export function pacsSource({
  id,
  county,
  district,
  fips,
  url,
  archivePattern,
}: PacsCounty): SourceDefinitionInput {
  const parcel = {
    county_fips: { literal: fips },
    parcel_number: dropZeros('prop_id'),
  } satisfies Record<string, Expression>
  const file = (member: string, other: string) => ({
    pattern: `(?:(?:(?<as_of>\\d{4}-\\d{2}-\\d{2})_\\d{6}_)?APPRAISAL_${member}|${other})\\.TXT`,
    archivePattern,
    asOf: { group: 'as_of', format: '%Y-%m-%d' },
    supersedes: [],
  })
  return {
    id,
    title: `${county} County appraisal roll`,
    publisher: district,
    url,
    states: ['TX'],
    counties: [fips],
    everyDays: 31,
    weight: 0.5,
    together: [['info', 'imp_info', 'imp_det', 'land_det']],
    codes: {
      purposes: PURPOSE_BY_STATE_CODE,
      purposes_by_letter: PURPOSE_BY_STATE_LETTER,
      // The codes that districts use for the main area of a building. Porches and garages have other codes.
      main_areas: {
        MA: 'main',
        MA1: 'main',
        MA2: 'upper',
        '1ST': 'main',
        '2ND': 'upper',
        '3RD': 'upper',
        LA: 'main',
        LA1: 'main',
        LA2: 'upper',
      },
    },
    files: [
      {
        kind: 'info',
        ...file('INFO', 'PROP'),
        format: { type: 'fixed', encoding: 'latin-1', recordLength: 8602, columns: layout.ranges('info') },
        identity: ['prop_id', 'py_owner_id'],
        rows: [
          {
            into: 'parcels',
            when: isProperty,
            set: {
              ...parcel,
              roll_year: { integer: 'prop_val_yr' },
              line_1: {
                join: [
                  known('situs_num', ['0']),
                  'situs_street_prefx',
                  'situs_street',
                  'situs_street_suffix',
                ],
                with: ' ',
              },
              line_2: prefixed('# ', 'situs_unit'),
              city: 'situs_city',
              state: { literal: 'TX' },
              zip: zip('situs_zip'),
              property_purpose: {
                firstOf: [
                  { codes: 'purposes', of: 'imprv_state_cd' },
                  { codes: 'purposes', of: 'land_state_cd' },
                  { codes: 'purposes_by_letter', of: { slice: 'imprv_state_cd', from: 1, length: 1 } },
                  { codes: 'purposes_by_letter', of: { slice: 'land_state_cd', from: 1, length: 1 } },
                  { when: { is: 'prop_type_cd', in: ['M', 'MH'] }, then: { literal: 'mobile_home' } },
                ],
              },
              legal_description: { join: ['legal_desc', 'legal_desc2'], with: ' ' },
              lot_sqft: { number: 'legal_acreage', impliedDecimals: 4, times: 43560, zeroIsNull: true },
              is_vacant: {
                flag: { all: [{ isBlank: 'imprv_state_cd' }, { matches: '^C', of: 'land_state_cd' }] },
              },
              is_homestead: { flag: { is: 'hs_exempt', in: ['T'] } },
              market_value_usd: { number: 'market_value', zeroIsNull: true },
              assessed_value_usd: { number: 'assessed_val', zeroIsNull: true },
              ...deed,
            },
          },
          {
            into: 'parcel_owners',
            when: isProperty,
            set: {
              ...parcel,
              roll_year: { integer: 'prop_val_yr' },
              full_name: { when: { not: isConfidential }, then: 'py_owner_name' },
              name_order: { literal: 'surname_first' },
              mail_line_1: address('py_addr_line1'),
              mail_line_2: address('py_addr_line2'),
              mail_line_3: address('py_addr_line3'),
              mail_city: address('py_addr_city'),
              mail_state: address('py_addr_state'),
              mail_zip: address({
                join: [dropZeroZip('py_addr_zip'), dropZeroZip('py_addr_zip_cass')],
                with: '-',
              }),
              mail_country: address('py_addr_country'),
              is_confidential: { flag: isConfidential },
              ...deed,
            },
          },
        ],
      },
      {
        kind: 'imp_info',
        ...file('IMPROVEMENT_INFO', 'IMP_INFO'),
        format: { type: 'fixed', encoding: 'latin-1', recordLength: 114, columns: layout.ranges('imp_info') },
        identity: ['prop_id', 'imprv_id'],
      },
      {
        kind: 'imp_det',
        ...file('IMPROVEMENT_DETAIL', 'IMP_DET'),
        format: {
          type: 'fixed',
          encoding: 'latin-1',
          recordLength: 622,
          columns: layout.ranges('imp_det'),
        },
        identity: ['prop_id', 'imprv_id', 'imprv_det_id'],
        rows: [
          {
            into: 'buildings',
            when: { inCodes: 'main_areas', of: 'Imprv_det_type_cd' },
            set: {
              ...parcel,
              building_number: dropZeros('imprv_id'),
              year_built: { integer: 'yr_built', zeroIsNull: true },
              effective_year_built: { integer: 'depreciation_yr', zeroIsNull: true },
              living_sqft: { number: 'imprv_det_area', zeroIsNull: true },
              ground_floor_sqft: {
                when: { is: { codes: 'main_areas', of: 'Imprv_det_type_cd' }, in: ['main'] },
                then: { number: 'imprv_det_area', zeroIsNull: true },
              },
            },
          },
        ],
      },
      {
        kind: 'land_det',
        ...file('LAND_DETAIL', 'LAND_DET'),
        format: { type: 'fixed', encoding: 'latin-1', recordLength: 199, columns: layout.ranges('land_det') },
        identity: ['prop_id', 'land_seg_id'],
        rows: [
          {
            into: 'land_segments',
            set: {
              ...parcel,
              segment_number: dropZeros('land_seg_id'),
              land_use: 'land_type_desc',
              land_sqft: {
                firstOf: [
                  { number: 'size_square_feet', zeroIsNull: true },
                  { number: 'size_acres', impliedDecimals: 4, times: 43560, zeroIsNull: true },
                ],
              },
            },
          },
        ],
      },
    ],
    examples: pacsExamples(id, fips),
  }
}

function dropZeroZip(of: Expression): Expression {
  return { replace: '^0+$', of, with: '' }
}
