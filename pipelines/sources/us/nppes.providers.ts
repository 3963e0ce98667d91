import { defineSource, type Expression } from '../../../src/ingest/definition.ts'
import { Layout } from '../../../src/layouts.ts'
import { prefixed, zip } from './expressions.ts'
import { OCCUPATION_GROUPS, OCCUPATIONS } from './nppes-taxonomies.ts'

const layout = new Layout('nppes')

const PRACTICE = 'Provider Business Practice Location Address'

const practice = {
  line_1: 'Provider First Line Business Practice Location Address',
  line_2: 'Provider Second Line Business Practice Location Address',
  city: `${PRACTICE} City Name`,
  state: `${PRACTICE} State Name`,
  zip: zip(`${PRACTICE} Postal Code`),
} satisfies Record<string, Expression>

const updatedOn: Expression = { date: 'Last Update Date', formats: ['%m/%d/%Y'] }

// The row of a deactivated number has only dates.
const isActive = {
  any: [{ isBlank: 'NPI Deactivation Date' as const }, { notBlank: 'NPI Reactivation Date' as const }],
}

/** The taxonomy that is marked as primary, or the first one. */
const taxonomy: Expression = {
  firstOf: [
    ...Array.from({ length: 15 }, (_, at): Expression => ({
      when: { is: `Healthcare Provider Primary Taxonomy Switch_${at + 1}`, in: ['Y'] },
      then: `Healthcare Provider Taxonomy Code_${at + 1}`,
    })),
    'Healthcare Provider Taxonomy Code_1',
  ],
}

export default defineSource({
  id: 'us/nppes.providers',
  title: 'National provider registry (NPPES)',
  publisher: 'Centers for Medicare & Medicaid Services',
  url: 'https://download.cms.gov/nppes/NPI_Files.html',
  states: [],
  everyDays: 31,
  weight: 0.8,
  codes: { occupations: OCCUPATIONS, occupation_groups: OCCUPATION_GROUPS, genders: { M: 'M', F: 'F' } },
  files: [
    {
      kind: 'npi',
      // The monthly file has all numbers, the weekly files have the changed ones.
      pattern: 'npidata_pfile_(?<from>\\d{8})-(?<as_of>\\d{8})\\.csv',
      asOf: { group: 'as_of', format: '%Y%m%d' },
      format: {
        type: 'delimited',
        delimiter: ',',
        header: true,
        encoding: 'utf-8',
        columns: layout.names('npi'),
      },
      identity: ['NPI'],
      supersedes: ['NPI'],
      refuse: [{ when: { not: { matches: '^\\d{10}$', of: 'NPI' } }, reason: 'NPI is not ten digits' }],
      rows: [
        {
          into: 'person_mentions',
          when: {
            all: [
              { is: 'Entity Type Code', in: ['1'] },
              { notBlank: 'Provider Last Name (Legal Name)' },
              isActive,
            ],
          },
          set: {
            mention_kind: { literal: 'provider' },
            last_name: 'Provider Last Name (Legal Name)',
            first_name: 'Provider First Name',
            middle_name: 'Provider Middle Name',
            name_suffix: 'Provider Name Suffix Text',
            other_last_name: 'Provider Other Last Name',
            other_first_name: 'Provider Other First Name',
            gender: { codes: 'genders', of: 'Provider Gender Code' },
            ...practice,
            phone: `${PRACTICE} Telephone Number`,
            occupation: {
              firstOf: [
                { codes: 'occupations', of: taxonomy },
                { codes: 'occupations', of: { slice: taxonomy, from: 1, length: 4 } },
                { codes: 'occupation_groups', of: { slice: taxonomy, from: 1, length: 2 } },
              ],
            },
            identifier: prefixed('npi:', 'NPI'),
            is_work_address: { literal: true },
            observed_on: updatedOn,
          },
        },
        {
          into: 'businesses',
          when: {
            all: [
              { is: 'Entity Type Code', in: ['2'] },
              { notBlank: 'Provider Organization Name (Legal Business Name)' },
              isActive,
            ],
          },
          set: {
            business_name: 'Provider Organization Name (Legal Business Name)',
            other_name: 'Provider Other Organization Name',
            ...practice,
            phone: `${PRACTICE} Telephone Number`,
            identifier: prefixed('npi:', 'NPI'),
            observed_on: updatedOn,
          },
        },
        {
          into: 'person_mentions',
          tag: 'official',
          when: {
            all: [
              { is: 'Entity Type Code', in: ['2'] },
              { notBlank: 'Authorized Official Last Name' },
              isActive,
            ],
          },
          set: {
            mention_kind: { literal: 'official' },
            last_name: 'Authorized Official Last Name',
            first_name: 'Authorized Official First Name',
            middle_name: 'Authorized Official Middle Name',
            name_suffix: 'Authorized Official Name Suffix Text',
            ...practice,
            phone: 'Authorized Official Telephone Number',
            employer: 'Provider Organization Name (Legal Business Name)',
            occupation: 'Authorized Official Title or Position',
            is_work_address: { literal: true },
            observed_on: updatedOn,
          },
        },
      ],
    },
  ],
  examples: [
    {
      note: 'a physician under her married and her former name; the second taxonomy is the primary one',
      kind: 'npi',
      file: 'npidata_pfile_20050523-20251109.csv',
      given: {
        NPI: '1999999984',
        'Entity Type Code': '1',
        'Provider Last Name (Legal Name)': 'ABERNATHY',
        'Provider First Name': 'LUCINDA',
        'Provider Middle Name': 'M',
        'Provider Other Last Name': 'KOVALENKO',
        'Provider Other First Name': 'LUCINDA',
        'Provider First Line Business Practice Location Address': '4100 MEDICAL PKWY',
        'Provider Second Line Business Practice Location Address': 'STE 210',
        [`${PRACTICE} City Name`]: 'AUSTIN',
        [`${PRACTICE} State Name`]: 'TX',
        [`${PRACTICE} Postal Code`]: '787563714',
        [`${PRACTICE} Telephone Number`]: '5125550142',
        'Last Update Date': '09/30/2024',
        'Provider Gender Code': 'F',
        'Healthcare Provider Taxonomy Code_1': '390200000X',
        'Healthcare Provider Primary Taxonomy Switch_1': 'N',
        'Healthcare Provider Taxonomy Code_2': '207Q00000X',
        'Healthcare Provider Primary Taxonomy Switch_2': 'Y',
      },
      expect: {
        person_mentions: [
          {
            record_key: 'us/nppes.providers/npi/1999999984',
            mention_kind: 'provider',
            last_name: 'ABERNATHY',
            first_name: 'LUCINDA',
            other_last_name: 'KOVALENKO',
            gender: 'F',
            line_1: '4100 MEDICAL PKWY',
            line_2: 'STE 210',
            zip: '78756-3714',
            phone: '5125550142',
            occupation: 'Family Physician',
            identifier: 'npi:1999999984',
            is_work_address: true,
            observed_on: '2024-09-30',
          },
        ],
      },
    },
    {
      note: 'an organisation, and the official who signs for it',
      kind: 'npi',
      given: {
        NPI: '1999999992',
        'Entity Type Code': '2',
        'Provider Organization Name (Legal Business Name)': 'HILL COUNTRY PEDIATRICS PLLC',
        'Provider Other Organization Name': 'HILL COUNTRY KIDS',
        'Provider First Line Business Practice Location Address': '18 OAKMONT DR',
        [`${PRACTICE} City Name`]: 'GEORGETOWN',
        [`${PRACTICE} State Name`]: 'TX',
        [`${PRACTICE} Postal Code`]: '78626',
        [`${PRACTICE} Telephone Number`]: '5125550177',
        'Last Update Date': '01/05/2025',
        'Authorized Official Last Name': 'PEMBERTON',
        'Authorized Official First Name': 'GRANT',
        'Authorized Official Title or Position': 'OFFICE MANAGER',
        'Authorized Official Telephone Number': '5125550178',
        'Authorized Official Name Suffix Text': 'JR.',
      },
      expect: {
        businesses: [
          {
            record_key: 'us/nppes.providers/npi/1999999992',
            business_name: 'HILL COUNTRY PEDIATRICS PLLC',
            other_name: 'HILL COUNTRY KIDS',
            line_1: '18 OAKMONT DR',
            zip: '78626',
            phone: '5125550177',
            identifier: 'npi:1999999992',
            observed_on: '2025-01-05',
          },
        ],
        person_mentions: [
          {
            record_key: 'us/nppes.providers/npi/1999999992:official',
            mention_kind: 'official',
            last_name: 'PEMBERTON',
            name_suffix: 'JR.',
            phone: '5125550178',
            employer: 'HILL COUNTRY PEDIATRICS PLLC',
            occupation: 'OFFICE MANAGER',
            identifier: null,
            is_work_address: true,
          },
        ],
      },
    },
    {
      note: 'a deactivated number makes nothing',
      kind: 'npi',
      given: { NPI: '1999999976', 'NPI Deactivation Date': '06/14/2021' },
      expect: {},
    },
    {
      note: 'a number that was given back is active; a rare taxonomy is known by its group',
      kind: 'npi',
      given: {
        NPI: '1999999968',
        'Entity Type Code': '1',
        'Provider Last Name (Legal Name)': 'DUNLEAVY',
        'Provider First Name': 'OWEN',
        'NPI Deactivation Date': '06/14/2021',
        'NPI Reactivation Date': '08/01/2021',
        'Healthcare Provider Taxonomy Code_1': '224Z00000X',
      },
      expect: { person_mentions: [{ last_name: 'DUNLEAVY', occupation: 'Therapist', gender: null }] },
    },
    {
      note: 'a number of the wrong length is refused',
      kind: 'npi',
      given: { NPI: '19999999', 'Entity Type Code': '1', 'Provider Last Name (Legal Name)': 'DUNLEAVY' },
      expect: {},
    },
  ],
})
