import { defineSource } from '../../../src/ingest/definition.ts'
import { Layout } from '../../../src/layouts.ts'

const layout = new Layout('nanpa')

export default defineSource({
  id: 'us/nanpa.central-office-codes',
  title: 'North American central-office codes and operating companies',
  publisher: 'North American Numbering Plan Administrator; operating company numbers: NECA',
  url: 'https://www.nanpa.com/reports/co-code-reports',
  states: [],
  everyDays: 31,
  weight: 0.5,
  codes: {
    line_types: {
      WIRELESS: 'mobile',
      WIRE: 'mobile',
      PCS: 'mobile',
      WRSL: 'mobile',
      'W RESELLER': 'mobile',
      RBOC: 'landline',
      ILEC: 'landline',
      ICO: 'landline',
      CLEC: 'landline',
      ULEC: 'landline',
      CAP: 'landline',
      LRSL: 'landline',
      'L RESELLER': 'landline',
      GENERAL: 'landline',
      IPES: 'voip',
      VOIP: 'voip',
    },
  },
  files: [
    {
      kind: 'codes',
      pattern: 'allutlzd(?:_(?<as_of>\\d{8}))?\\.txt',
      asOf: { group: 'as_of', format: '%Y%m%d' },
      format: {
        type: 'delimited',
        delimiter: '\t',
        quote: null,
        header: true,
        encoding: 'latin-1',
        columns: layout.names('codes'),
      },
      identity: ['NPA-NXX'],
      supersedes: [],
      refuse: [
        {
          when: { not: { matches: '^[2-9]\\d\\d-?[2-9]\\d\\d$', of: 'NPA-NXX' } },
          reason: 'NPA-NXX is not an area code and an exchange',
        },
      ],
      rows: [
        {
          into: 'phone_blocks',
          // Vacant, reserved and unavailable codes are assigned to no company.
          when: { any: [{ notBlank: 'OCN' }, { notBlank: 'Company' }] },
          set: {
            area_code: { extract: '^(\\d{3})', of: 'NPA-NXX', group: 1 },
            exchange: { extract: '(\\d{3})$', of: 'NPA-NXX', group: 1 },
            carrier: 'Company',
            operating_company_number: 'OCN',
            state: 'State',
            rate_centre: 'RateCenter',
          },
        },
      ],
    },
    {
      kind: 'ocn',
      pattern: 'ocn_categories(?:_(?<as_of>\\d{8}))?\\.csv',
      asOf: { group: 'as_of', format: '%Y%m%d' },
      format: {
        type: 'delimited',
        delimiter: ',',
        header: true,
        encoding: 'utf-8',
        columns: layout.names('ocn'),
      },
      identity: ['OCN'],
      supersedes: [],
      rows: [
        {
          into: 'operating_companies',
          set: {
            operating_company_number: 'OCN',
            company_name: 'Company',
            category: 'Category',
            line_type: { codes: 'line_types', of: 'Category', otherwise: { literal: 'unknown' } },
          },
        },
      ],
    },
  ],
  examples: [
    {
      note: 'an assigned exchange',
      kind: 'codes',
      given: {
        State: 'TX',
        'NPA-NXX': '512-555',
        OCN: '9533',
        Company: 'LONE STAR TELEPHONE',
        RateCenter: 'AUSTIN',
        Use: 'AS',
        'Pooled Code': 'N',
      },
      expect: {
        phone_blocks: [
          {
            area_code: '512',
            exchange: '555',
            thousands_digit: null,
            carrier: 'LONE STAR TELEPHONE',
            operating_company_number: '9533',
            line_type: null,
            state: 'TX',
            rate_centre: 'AUSTIN',
          },
        ],
      },
    },
    {
      note: 'a vacant exchange is assigned to no company',
      kind: 'codes',
      given: { State: 'TX', 'NPA-NXX': '512-556', Use: 'VC' },
      expect: {},
    },
    {
      note: 'a company with wireless lines; operating company numbers are text',
      kind: 'ocn',
      given: { OCN: '0123', Company: 'PRAIRIE WIRELESS LLC', Category: 'WIRELESS' },
      expect: {
        operating_companies: [
          {
            operating_company_number: '0123',
            company_name: 'PRAIRIE WIRELESS LLC',
            category: 'WIRELESS',
            line_type: 'mobile',
          },
        ],
      },
    },
    {
      note: 'internet telephony, and a category that says nothing of the line',
      kind: 'ocn',
      given: { OCN: '564E', Company: 'CLOUD VOICE INC', Category: 'IPES' },
      expect: { operating_companies: [{ line_type: 'voip' }] },
    },
    {
      note: 'a category that says nothing of the line',
      kind: 'ocn',
      given: { OCN: '7777', Company: 'LONG HAUL CARRIER', Category: 'IC' },
      expect: { operating_companies: [{ line_type: 'unknown' }] },
    },
  ],
})
