import { defineSource, type Expression, type SourceDefinitionInput } from '../../../src/ingest/definition.ts'
import { Layout } from '../../../src/layouts.ts'
import { prefixed, zip } from './expressions.ts'

// For a list of your own, copy this file or write it as JSON. Replace the column names here and in the expressions
// by your own.
const columns = new Layout('contacts').names('contacts')

const person = {
  mention_kind: { literal: 'contact' },
  last_name: 'last_name',
  first_name: 'first_name',
  middle_name: 'middle_name',
  name_suffix: 'suffix',
  other_last_name: 'former_last_name',
  birth_date: {
    birthDate: 'birth_date',
    formats: ['%Y-%m-%d', '%m/%d/%Y', '%Y%m%d', '%Y-%m', '%m/%Y', '%Y'],
  },
  line_1: 'address',
  line_2: 'address_2',
  city: 'city',
  state: 'state',
  zip: zip('zip'),
  email: { lower: 'email' },
  is_work_address: { literal: false },
  observed_on: { date: 'updated_on', formats: ['%Y-%m-%d', '%m/%d/%Y'] },
} satisfies Record<string, Expression>

/** Ids are unique within one list only, so the kind of file is part of the identifier. */
function list(
  kind: string,
  extension: string,
  format: SourceDefinitionInput['files'][number]['format'],
): SourceDefinitionInput['files'][number] {
  const identifier = prefixed(`${kind}:`, 'contact_id')
  return {
    kind,
    pattern: `contacts(?:_(?<as_of>\\d{8}))?\\.${extension}`,
    asOf: { group: 'as_of', format: '%Y%m%d' },
    format,
    identity: ['contact_id'],
    supersedes: ['contact_id'],
    rows: [
      {
        into: 'person_mentions',
        when: { any: [{ notBlank: 'last_name' }, { notBlank: 'first_name' }] },
        set: {
          ...person,
          phone: 'phone',
          employer: 'employer',
          occupation: 'job_title',
          linkedin_url: 'linkedin_url',
          identifier,
        },
      },
      {
        // A mention has one phone, so a second phone makes another mention of the same person.
        into: 'person_mentions',
        tag: 'phone_2',
        when: { all: [{ notBlank: 'phone_2' }, { notBlank: 'last_name' }] },
        set: { ...person, phone: 'phone_2', identifier },
      },
    ],
  }
}

export default defineSource({
  id: 'us/lists.contacts',
  title: 'Contact lists of your own',
  publisher: 'The operator',
  states: [],
  everyDays: 365,
  weight: 0.7,
  // A list may have any number of rows.
  limits: { incrementUp: null },
  files: [
    list('contacts', 'csv', { type: 'delimited', delimiter: ',', header: true, encoding: 'utf-8', columns }),
    list('contacts_parquet', 'parquet', { type: 'parquet', columns }),
    list('contacts_jsonl', 'jsonl', { type: 'jsonl', columns }),
  ],
  examples: [
    {
      note: 'two phones are two mentions with one identifier',
      kind: 'contacts',
      file: 'contacts_20250110.csv',
      given: {
        contact_id: '7001',
        first_name: 'Zoë',
        last_name: 'Fairbanks',
        former_last_name: 'Ingersoll',
        birth_date: '1984-07-19',
        address: '512 Larkspur Rd Apt 6',
        city: 'Round Rock',
        state: 'TX',
        zip: '78664',
        phone: '(512) 555-0119',
        phone_2: '512.555.0120',
        email: 'Zoe.Fairbanks@Example.com',
        employer: 'Acme Surveying',
        job_title: 'Surveyor',
        linkedin_url: 'https://www.linkedin.com/in/example-zoe',
        updated_on: '2024-12-31',
      },
      expect: {
        person_mentions: [
          {
            record_key: 'us/lists.contacts/contacts/7001',
            mention_kind: 'contact',
            last_name: 'Fairbanks',
            first_name: 'Zoë',
            other_last_name: 'Ingersoll',
            birth_date: '1984-07-19',
            line_1: '512 Larkspur Rd Apt 6',
            phone: '(512) 555-0119',
            email: 'zoe.fairbanks@example.com',
            employer: 'Acme Surveying',
            occupation: 'Surveyor',
            identifier: 'contacts:7001',
            observed_on: '2024-12-31',
          },
          {
            record_key: 'us/lists.contacts/contacts/7001:phone_2',
            phone: '512.555.0120',
            employer: null,
            identifier: 'contacts:7001',
          },
        ],
      },
    },
    {
      note: 'a partly known birth date; a name of one word',
      kind: 'contacts_jsonl',
      given: { contact_id: '7002', first_name: 'Prudence', birth_date: '1990', updated_on: '' },
      expect: {
        person_mentions: [
          { last_name: null, birth_date: '1990-00-00', identifier: 'contacts_jsonl:7002', observed_on: null },
        ],
      },
    },
    {
      note: 'a month and a year; ZIP codes of nine digits',
      kind: 'contacts_parquet',
      given: { contact_id: '7003', last_name: 'Ashgrove', birth_date: '1990-03', zip: '786640000' },
      expect: { person_mentions: [{ birth_date: '1990-03-00', zip: '78664-0000' }] },
    },
    {
      note: 'a line without a name makes nothing',
      kind: 'contacts',
      given: { contact_id: '7004', phone: '(512) 555-0121' },
      expect: {},
    },
  ],
})
