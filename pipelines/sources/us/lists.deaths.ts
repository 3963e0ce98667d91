import { defineSource } from '../../../src/ingest/definition.ts'
import { Layout } from '../../../src/layouts.ts'
import { zip } from './expressions.ts'

const layout = new Layout('deaths')

export default defineSource({
  id: 'us/lists.deaths',
  title: 'Deaths',
  publisher: 'The operator',
  states: [],
  everyDays: 31,
  weight: 0.8,
  files: [
    {
      kind: 'deaths',
      pattern: 'deaths(?:_(?<as_of>\\d{8}))?\\.csv',
      asOf: { group: 'as_of', format: '%Y%m%d' },
      format: {
        type: 'delimited',
        delimiter: ',',
        header: true,
        encoding: 'utf-8',
        columns: layout.names('deaths'),
      },
      identity: ['death_id'],
      supersedes: ['death_id'],
      rows: [
        {
          into: 'deaths',
          when: { notBlank: 'last_name' },
          set: {
            last_name: 'last_name',
            first_name: 'first_name',
            middle_name: 'middle_name',
            name_suffix: 'suffix',
            birth_date: {
              birthDate: 'birth_date',
              formats: ['%Y-%m-%d', '%m/%d/%Y', '%Y%m%d', '%m%d%Y', '%Y-%m', '%Y'],
            },
            died_on: { date: 'death_date', formats: ['%Y-%m-%d', '%m/%d/%Y', '%Y%m%d'] },
            city: 'city',
            state: 'state',
            zip: zip('zip'),
          },
        },
      ],
    },
  ],
  examples: [
    {
      note: 'a death with a whole birth date',
      kind: 'deaths',
      given: {
        death_id: 'D1',
        last_name: 'THISTLEWOOD',
        first_name: 'EDMUND',
        middle_name: 'R',
        suffix: 'SR',
        birth_date: '1931-02-11',
        death_date: '2024-11-30',
        city: 'BRONX',
        state: 'NY',
        zip: '10454',
      },
      expect: {
        deaths: [
          {
            record_key: 'us/lists.deaths/deaths/D1',
            last_name: 'THISTLEWOOD',
            name_suffix: 'SR',
            birth_date: '1931-02-11',
            died_on: '2024-11-30',
            zip: '10454',
          },
        ],
      },
    },
    {
      note: 'a birth date whose day is not known',
      kind: 'deaths',
      given: { death_id: 'D2', last_name: 'THISTLEWOOD', birth_date: '1931-02-00', death_date: '11/30/2024' },
      expect: { deaths: [{ birth_date: '1931-02-00', died_on: '2024-11-30' }] },
    },
  ],
})
