import { expect, test } from 'vitest'
import { findInputFaults, type InputFault } from '../../../src/link/records/input-faults.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { withWarehouse } from '../../support/warehouse.ts'

// A hundred names as people have them; what says so is taken out of a case.
const first = (i: string): string =>
  `['JAMES', 'MARY', 'LINDA', 'ROBERT', 'PATRICIA', 'MICHAEL', 'SUSAN', 'DAVID', 'KAREN', 'THOMAS'][1 + ${i} % 10]`
const last = (i: string): string =>
  `['SMITH', 'JOHNSON', 'WILLIAMS', 'RODRIGUEZ', 'NGUYEN', 'KOWALSKI', 'MILLER', 'GARCIA', 'OLSEN', 'FITZGERALD'][1 + ${i} // 10 % 10]`
const named = (firstName: string, lastName: string): string =>
  `${firstName} as first_name, ${lastName} as last_name`
const born = (i: string): string =>
  `1940 + ${i} % 60 as birth_year, 1 + ${i} % 12 as birth_month, 1 + ${i} % 28 as birth_day`
const phone = (i: string): string => `[printf('1206555%04d', ${i})] as phones`
const person = (i: string): string => [named(first(i), last(i)), born(i), phone(i)].join(', ')

/** What is said of 2,000 records of one source, made by `columns` of their number `i`. */
async function faultsOf(columns: string): Promise<InputFault[]> {
  return withWarehouse(async (db) => {
    await createRecordTables(db)
    await db.run(
      `insert into link.records by name select 'r' || i as record_id, 'roll' as source_id, ${columns} from range(2000) as r(i)`,
    )
    return findInputFaults(db)
  })
}

test('of records as they should be nothing is said', async () => {
  expect(await faultsOf(person('i'))).toEqual([])
})

test.each([
  [
    'two thousand times UNKNOWN OWNER',
    `${named(`'UNKNOWN'`, `'OWNER'`)}, ${born('i')}, ${phone('i')}`,
    { fault: 'placeholder', records: 2000, what: expect.stringContaining('UNKNOWN OWNER') },
  ],
  [
    'a telephone of everybody',
    `${named(first('i'), last('i'))}, ${born('i')}, ['12065550100'] as phones`,
    {
      fault: 'shared_value',
      records: 2000,
      what: 'one telephone (1206…): its block is split by name, and agreement on it adds little weight',
    },
  ],
  [
    'an e-mail address of everybody',
    `${named(first('i'), last('i'))}, ${born('i')}, ['jane.smith@example.com'] as emails`,
    {
      fault: 'shared_value',
      records: 2000,
      what: expect.stringMatching(/^one e-mail address \(…@example\.com\)/),
    },
  ],
  [
    'two thousand people of one name without a first name',
    `${named(`'UNKNOWN'`, `'KOWALSKI'`)}, ${born('i')}, ${phone('i')}`,
    { fault: 'placeholder', records: 2000, what: expect.stringMatching(/^UNKNOWN … instead of a name: /) },
  ],
  [
    'an address of everybody',
    `${person('i')}, [{address_key: '1||TOWER|PLZ||32999|' || i, building_key: '1||TOWER|PLZ||32999', house_number: '1',
      street_name: 'TOWER PLZ', unit_number: i::varchar, city: null::varchar, state: 'FL', zip: '32999'}] as addresses`,
    {
      fault: 'shared_value',
      records: 2000,
      what: 'one address (in 32999): its block is split by name, and agreement on it adds little weight',
    },
  ],
  [
    'nothing but January 1',
    `${named(first('i'), last('i'))}, ${phone('i')}, 1940 + i % 60 as birth_year, 1 as birth_month, 1 as birth_day`,
    { fault: 'january_first', records: 2000, what: expect.stringMatching(/^100.0 % .* roll are January 1/) },
  ],
  [
    'every row twice',
    person('(i // 2)'),
    { fault: 'sent_twice', records: 2000, what: expect.stringContaining('roll') },
  ],
  [
    'first and last names in each other’s column from the middle on',
    `${named(`if(i < 1000, ${first('i')}, ${last('i')})`, `if(i < 1000, ${last('i')}, ${first('i')})`)}, ${phone('i')}`,
    {
      fault: 'swapped_names',
      what: expect.stringMatching(/^first and last names of roll are exchanged in (49|50|51) %/),
    },
  ],
])('%s is named with its cause, and nothing else', async (_, columns, fault) => {
  expect(await faultsOf(columns)).toEqual([expect.objectContaining(fault)])
})
