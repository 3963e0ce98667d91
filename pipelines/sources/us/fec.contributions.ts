import { defineSource } from '../../../src/ingest/definition.ts'
import { Layout } from '../../../src/layouts.ts'
import { known, zip } from './expressions.ts'

const layout = new Layout('fec')

/** Words that committees write when a donor gave no information. */
const NOTHING = [
  'N/A',
  'NA',
  'NONE',
  'NULL',
  'UNKNOWN',
  'REQUESTED',
  'INFORMATION REQUESTED',
  'INFORMATION REQUESTED PER BEST EFFORTS',
  'INFO REQUESTED',
  'REFUSED',
]
const NO_EMPLOYER = [
  ...NOTHING,
  'SELF',
  'SELF EMPLOYED',
  'SELF-EMPLOYED',
  'RETIRED',
  'NOT EMPLOYED',
  'UNEMPLOYED',
  'HOMEMAKER',
  'STUDENT',
]
const NO_OCCUPATION = [...NOTHING, 'NOT EMPLOYED', 'UNEMPLOYED']

export default defineSource({
  id: 'us/fec.contributions',
  title: 'Federal campaign contributions by individuals',
  publisher: 'Federal Election Commission',
  url: 'https://www.fec.gov/data/browse-data/?tab=bulk-data',
  states: [],
  everyDays: 7,
  weight: 0.4,
  files: [
    {
      kind: 'itcont',
      pattern: 'itcont(?:_(?<as_of>\\d{8}))?\\.txt',
      archivePattern: 'indiv(?<cycle>\\d{2,4})\\.zip',
      asOf: { group: 'as_of', format: '%Y%m%d' },
      format: {
        type: 'delimited',
        delimiter: '|',
        quote: null,
        header: false,
        encoding: 'latin-1',
        columns: layout.names('itcont'),
      },
      identity: ['SUB_ID'],
      supersedes: ['SUB_ID'],
      rows: [
        {
          into: 'person_mentions',
          when: { all: [{ is: 'ENTITY_TP', in: ['IND'] }, { notBlank: 'NAME' }] },
          set: {
            mention_kind: { literal: 'donor' },
            full_name: 'NAME',
            name_order: { literal: 'surname_first' },
            city: 'CITY',
            state: 'STATE',
            zip: zip('ZIP_CODE'),
            employer: known('EMPLOYER', NO_EMPLOYER),
            occupation: known('OCCUPATION', NO_OCCUPATION),
            is_work_address: { literal: false },
            observed_on: { date: 'TRANSACTION_DT', formats: ['%m%d%Y'] },
          },
        },
      ],
    },
  ],
  examples: [
    {
      note: 'a person with employer and occupation, without a street',
      kind: 'itcont',
      given: {
        CMTE_ID: 'C00999999',
        ENTITY_TP: 'IND',
        NAME: 'WETHERBY, COLETTE R',
        CITY: 'AUSTIN',
        STATE: 'TX',
        ZIP_CODE: '787031234',
        EMPLOYER: 'LONE STAR "FOODS" INC',
        OCCUPATION: 'ACCOUNTANT',
        TRANSACTION_DT: '03152024',
        TRANSACTION_AMT: '-250',
        SUB_ID: '4031520241234567890',
      },
      expect: {
        person_mentions: [
          {
            record_key: 'us/fec.contributions/itcont/4031520241234567890',
            mention_kind: 'donor',
            full_name: 'WETHERBY, COLETTE R',
            name_order: 'surname_first',
            line_1: null,
            city: 'AUSTIN',
            zip: '78703-1234',
            employer: 'LONE STAR "FOODS" INC',
            occupation: 'ACCOUNTANT',
            observed_on: '2024-03-15',
          },
        ],
      },
    },
    {
      note: 'placeholders are no employers; to be retired is an occupation',
      kind: 'itcont',
      given: {
        ENTITY_TP: 'IND',
        NAME: 'WETHERBY, COLETTE',
        ZIP_CODE: '78703',
        EMPLOYER: 'RETIRED',
        OCCUPATION: 'RETIRED',
        SUB_ID: '4031520241234567891',
      },
      expect: {
        person_mentions: [{ zip: '78703', employer: null, occupation: 'RETIRED', observed_on: null }],
      },
    },
    {
      note: 'a committee is no person',
      kind: 'itcont',
      given: { ENTITY_TP: 'PAC', NAME: 'FRIENDS OF GOOD ROADS', SUB_ID: '4031520241234567892' },
      expect: {},
    },
  ],
})
