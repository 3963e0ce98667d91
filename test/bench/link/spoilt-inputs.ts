import type { InputFault } from '../../../src/link/records/input-faults.ts'

/** What a feed may do to a clean world: the SQL that does it, and what the report of the run must then name. */
export interface SpoiltInput {
  readonly name: string
  readonly sql: string
  readonly fault: InputFault['fault']
}

const first = (count: number): string =>
  `where record_id in (select record_id from link.records order by hash(record_id), record_id limit ${count})`

export const SPOILT_INPUTS: readonly SpoiltInput[] = [
  {
    name: 'unknown_owner_10000',
    sql: `update link.records set first_name = 'UNKNOWN', last_name = 'OWNER' ${first(10_000)}`,
    fault: 'placeholder',
  },
  {
    name: 'phone_of_50000',
    sql: `update link.records set phones = ['12065550100'] ${first(50_000)}`,
    fault: 'shared_value',
  },
  {
    name: 'address_of_20000',
    sql: `update link.records set addresses = [{address_key: null, building_key: null, house_number: '1', street_name: 'TOWER PLAZA',
      unit_number: null, city: 'SPRINGFIELD', state: 'FL', zip: '32999'}] ${first(20_000)}`,
    fault: 'shared_value',
  },
  {
    name: 'all_born_january_1',
    sql: 'update link.records set birth_month = 1, birth_day = 1 where birth_year > 0',
    fault: 'january_first',
  },
  {
    name: 'source_sends_twice',
    sql: `insert into link.records by name
      select * exclude (content) replace (record_id || '-again' as record_id) from link.records where source_id = 'contacts'`,
    fault: 'sent_twice',
  },
  {
    name: 'names_swapped_half_way',
    sql: `update link.records set first_name = last_name, last_name = first_name
      where source_id = 'voters' and record_id > (select median(record_id) from link.records where source_id = 'voters')`,
    fault: 'swapped_names',
  },
]
