import { defineSource, type Expression } from '../../../../src/ingest/definition.ts'
import { Layout } from '../../../../src/layouts.ts'
import { known, prefixed, zip } from '../expressions.ts'
import { FIPS_BY_VOTER_COUNTY } from './counties.ts'

const layout = new Layout('voters')

/** Protected fields of exempt voters are an asterisk. */
function shown(of: Expression): Expression {
  return known(of, ['*'])
}

const phone: Expression = {
  when: {
    all: [
      { matches: '^\\d{3}$', of: 'Daytime Area Code' },
      { matches: '^\\d{3}-?\\d{4}$', of: 'Daytime Phone Number' },
    ],
  },
  then: { join: ['Daytime Area Code', 'Daytime Phone Number'], with: '' },
}

export default defineSource({
  id: 'us/fl/statewide.voters',
  title: 'Florida voter extract',
  publisher: 'Florida Department of State, Division of Elections',
  url: 'https://dos.fl.gov/elections/data-statistics/voter-registration-statistics/voter-extract-request/',
  states: ['FL'],
  everyDays: 31,
  weight: 0.9,
  // Each voter in the state has one number, by law (Florida Statutes 98.035).
  isDuplicateFree: true,
  codes: { fips: FIPS_BY_VOTER_COUNTY, genders: { M: 'M', F: 'F' } },
  files: [
    {
      kind: 'voters',
      // The history of votes (BRO_H_20250107.txt) is another file.
      pattern: '(?<county>[A-Z]{3})_(?<as_of>\\d{8})\\.txt',
      asOf: { group: 'as_of', format: '%Y%m%d' },
      format: {
        type: 'delimited',
        delimiter: '\t',
        quote: null,
        header: false,
        encoding: 'latin-1',
        columns: layout.names('voters'),
      },
      identity: ['Voter ID'],
      supersedes: ['County Code'],
      refuse: [
        { when: { not: { inCodes: 'fips', of: 'County Code' } }, reason: 'unknown county code' },
        { when: { not: { matches: '^\\d+$', of: 'Voter ID' } }, reason: 'voter id is not a number' },
      ],
      rows: [
        {
          into: 'person_mentions',
          when: { notBlank: shown('Name Last') },
          set: {
            county_fips: { codes: 'fips', of: 'County Code' },
            mention_kind: { literal: 'voter' },
            last_name: shown('Name Last'),
            first_name: shown('Name First'),
            middle_name: shown('Name Middle'),
            name_suffix: shown('Name Suffix'),
            birth_date: { birthDate: shown('Birth Date'), formats: ['%m/%d/%Y'] },
            gender: { codes: 'genders', of: 'Gender' },
            line_1: shown('Residence Address Line 1'),
            line_2: shown('Residence Address Line 2'),
            city: shown('Residence City (USPS)'),
            // Only residents of Florida vote here, and the field is mostly blank.
            state: {
              when: { notBlank: shown('Residence Address Line 1') },
              then: { firstOf: [shown('Residence State'), { literal: 'FL' }] },
            },
            zip: zip('Residence Zipcode'),
            mail_line_1: shown('Mailing Address Line 1'),
            mail_line_2: shown('Mailing Address Line 2'),
            mail_line_3: shown('Mailing Address Line 3'),
            mail_city: shown('Mailing City'),
            mail_state: shown('Mailing State'),
            mail_zip: zip('Mailing Zipcode'),
            mail_country: shown('Mailing Country'),
            phone,
            phone_extension: { when: { notBlank: phone }, then: shown('Daytime Phone Extension') },
            email: { lower: shown('Email address') },
            identifier: prefixed('fl_voter:', 'Voter ID'),
            is_work_address: { literal: false },
            observed_on: { date: { file: 'as_of' }, formats: ['%Y%m%d'] },
          },
        },
      ],
    },
  ],
  examples: [
    {
      note: 'blanks are single spaces; a stray quote stays; the phone is in three fields',
      kind: 'voters',
      file: 'BRO_20250107.txt',
      given: {
        'County Code': 'BRO',
        'Voter ID': '199900123',
        'Name Last': "O'SHAUGHNESSY",
        'Name Suffix': ' ',
        'Name First': 'MAUREEN',
        'Name Middle': 'T',
        'Requested public records exemption': 'N',
        'Residence Address Line 1': '1420 SE "B" ST',
        'Residence Address Line 2': 'APT 3',
        'Residence City (USPS)': 'FORT LAUDERDALE',
        'Residence State': ' ',
        'Residence Zipcode': '333161124',
        'Mailing Address Line 1': ' ',
        Gender: 'F',
        'Birth Date': '04/09/1961',
        'Daytime Area Code': '954',
        'Daytime Phone Number': '5550136',
        'Daytime Phone Extension': '12',
        'Email address': 'Maureen.O@Example.com',
      },
      expect: {
        person_mentions: [
          {
            record_key: 'us/fl/statewide.voters/voters/199900123',
            county_fips: '12011',
            mention_kind: 'voter',
            last_name: "O'SHAUGHNESSY",
            first_name: 'MAUREEN',
            name_suffix: null,
            birth_date: '1961-04-09',
            gender: 'F',
            line_1: '1420 SE "B" ST',
            line_2: 'APT 3',
            state: 'FL',
            zip: '33316-1124',
            mail_line_1: null,
            phone: '9545550136',
            phone_extension: '12',
            email: 'maureen.o@example.com',
            identifier: 'fl_voter:199900123',
            observed_on: '2025-01-07',
          },
        ],
      },
    },
    {
      note: 'an exempt voter: asterisks are blank, and no address is made of them',
      kind: 'voters',
      file: 'DAD_20250107.txt',
      given: {
        'County Code': 'DAD',
        'Voter ID': '199900124',
        'Name Last': 'QUIGLEY',
        'Name First': 'ESTER',
        'Requested public records exemption': 'Y',
        'Residence Address Line 1': '*',
        'Residence City (USPS)': '*',
        'Residence Zipcode': '*',
        'Birth Date': '*',
        'Daytime Area Code': '*',
        'Daytime Phone Number': '*',
        'Email address': '*',
        Gender: 'U',
      },
      expect: {
        person_mentions: [
          {
            county_fips: '12086',
            last_name: 'QUIGLEY',
            line_1: null,
            city: null,
            state: null,
            zip: null,
            birth_date: null,
            phone: null,
            email: null,
            gender: null,
          },
        ],
      },
    },
    {
      note: 'ZIP 99999 is unknown; an exchange without area code is not a phone',
      kind: 'voters',
      file: 'STL_20250107.txt',
      given: {
        'County Code': 'STL',
        'Voter ID': '199900125',
        'Name Last': 'BRIGHTWATER',
        'Name First': 'JONAH',
        'Residence Address Line 1': '77 MARINA WAY',
        'Residence Zipcode': '99999',
        'Daytime Phone Number': '5550150',
        'Daytime Phone Extension': '4',
      },
      expect: {
        person_mentions: [
          { county_fips: '12111', zip: null, state: 'FL', phone: null, phone_extension: null },
        ],
      },
    },
  ],
})
