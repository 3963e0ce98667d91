import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { nameFrequency } from '../../normalize/name-frequencies.ts'
import { execute, query, quotedLiteral } from '../../warehouse/query.ts'
import { isPlaceholder } from './placeholders.ts'

/** A fault in the input that makes linking slow or inaccurate. The link report lists it. */
export interface InputFault {
  readonly fault: 'placeholder' | 'shared_value' | 'january_first' | 'sent_twice' | 'swapped_names'
  /** Number of records that have the fault. */
  readonly records: number
  /** The line of the report: source or masked value, and the fault. It never contains a person's name, phone, e-mail or street. */
  readonly what: string
}

/** Values that fewer records share are not reported. */
const LEAST_RECORDS = 1000
/** Size of the sample, in records. It is large enough to find a value that `LEAST_RECORDS` of a few million records share. */
const SAMPLE = 100_000
/** Most values that a check reports. */
const MOST_VALUES = 10

/** Returns the faults of `link.records`, ordered by number of records, descending. Most checks read a sample before they read the whole table. */
export async function findInputFaults(db: DuckDBConnection): Promise<InputFault[]> {
  const [all] = await query(db, 'select count(*)::double as n from link.records', Counted)
  // The sample has one record in `every`. `every` is a literal in the SQL, because DuckDB would not use a subquery to skip data.
  const every = Math.max(1, Math.floor(all!.n / SAMPLE))
  // DuckDB stores rows in vectors of 2,048. The filter selects whole vectors, so DuckDB skips all other vectors.
  await execute(
    db,
    `create or replace temp table sampled_records as select * from link.records
     where rowid // 2048 % ${every} = 0`,
  )
  const faults = [
    ...(await placeholders(db, every)),
    ...(await sharedValues(db, every)),
    ...(await januaryFirsts(db)),
    ...(await sentTwice(db, every)),
    ...(await swappedNames(db)),
  ]
  await execute(db, 'drop table temp.sampled_records')
  return faults.sort((a, b) => b.records - a.records || (a.what < b.what ? -1 : 1))
}

const Counted = z.object({ n: z.int() })
const Value = z.object({ value: z.string(), records: z.int() })

async function placeholders(db: DuckDBConnection, every: number): Promise<InputFault[]> {
  const names = await frequent(db, every, NAME, (name) => [name, ...name.split(' ')].some(isPlaceholder))
  return names.map(({ value, records }) => ({
    fault: 'placeholder',
    records,
    what: `${placeholderWords(value)} instead of a name: a placeholder, which is neither blocked nor compared`,
  }))
}

const NAME = `concat_ws(' ', first_name, case when last_name <> first_name then last_name end)`
/** Returns a name in which `…` replaces every word that is no placeholder, because such a word may be the name of a person. */
function placeholderWords(name: string): string {
  if (isPlaceholder(name)) return name
  return name.split(' ').map((word) => (isPlaceholder(word) ? word : '…')).join(' ') // prettier-ignore
}

/** Fields in which many records may share a value: an SQL expression for the values, and a function that masks a value for the report. */
const SHARED: readonly [name: string, values: string, mask: (value: string) => string][] = [
  ['telephone', 'unnest(phones)', (phone) => `${phone.slice(0, 4)}…`],
  ['e-mail address', 'unnest(emails)', (email) => `…@${email.slice(email.lastIndexOf('@') + 1)}`],
  [
    'address',
    `unnest(list_transform(addresses, lambda place:
       coalesce(place.building_key, case when place.house_number is not null and place.street_name is not null
         then concat_ws(' ', place.house_number, place.street_name, place.city, place.state, place.zip) end)))`,
    (address) => `in ${/\d{5}(?!.*\d{5})/.exec(address)?.[0] ?? 'an unknown ZIP code'}`,
  ],
]

async function sharedValues(db: DuckDBConnection, every: number): Promise<InputFault[]> {
  const faults: InputFault[] = []
  for (const [name, values, mask] of SHARED) {
    for (const { value, records } of await frequent(db, every, values, (text) => !isPlaceholder(text))) {
      faults.push({
        fault: 'shared_value',
        records,
        what: `one ${name} (${mask(value)}): its block is split by name, and agreement on it adds little weight`,
      })
    }
  }
  return faults
}

// Returns the most frequent values for which `isWanted` is true, each with the number of its records. Values that are frequent in the sample
// are counted over all records. Without such values, the whole table is not read.
async function frequent(
  db: DuckDBConnection,
  every: number,
  values: string,
  isWanted: (value: string) => boolean,
): Promise<z.output<typeof Value>[]> {
  const candidates = await query(
    db,
    `select value, count(*)::integer as records from (select ${values} as value from temp.sampled_records)
     where value <> '' group by value having count(*) >= greatest(10, $least) order by records desc, value limit 100`,
    Value,
    { least: LEAST_RECORDS / 2 / every },
  )
  const wanted = candidates.filter(({ value }) => isWanted(value)).slice(0, 2 * MOST_VALUES)
  if (wanted.length === 0) return []
  return query(
    db,
    `select value, count(*)::integer as records from (select ${values} as value from link.records)
     where value in (${wanted.map(({ value }) => quotedLiteral(value)).join(', ')})
     group by value having count(*) >= ${LEAST_RECORDS} order by records desc, value limit ${MOST_VALUES}`,
    Value,
  )
}

const OfSource = z.object({ source_id: z.string(), records: z.int(), share: z.number() })

// One birth date in 365 is January 1. A source in which a tenth of the dates are January 1 writes that day when it knows only the year.
async function januaryFirsts(db: DuckDBConnection): Promise<InputFault[]> {
  const sources = await query(
    db,
    `select source_id, (count(*) filter (birth_month = 1 and birth_day = 1))::integer as records,
       count(*) filter (birth_month = 1 and birth_day = 1) / count(*) as share
     from link.records where birth_month > 0 and birth_day > 0
     group by source_id having share >= 0.1 and records >= 100`,
    OfSource,
  )
  return sources.map(({ source_id, records, share }) => ({
    fault: 'january_first',
    records,
    what: `${percent(share)} of the birth dates of ${source_id} are January 1: only their years count`,
  }))
}

// Finds sources that send their rows twice. A cheap first check compares only names and birth dates. The second check compares all columns of
// the sources that the first check found. Both sample names by their hash, so a sample has all copies of a record or none.
async function sentTwice(db: DuckDBConnection, every: number): Promise<InputFault[]> {
  const suspects = await repeatedRows(
    db,
    every,
    'first_name, last_name, birth_year, birth_month, birth_day',
    '',
  )
  if (suspects.length === 0) return []
  const named = suspects.map(({ source_id }) => quotedLiteral(source_id)).join(', ')
  // A source may give each copy a number of its own, so ids and identifiers are left out.
  const sure = await repeatedRows(
    db,
    every,
    '*columns(* exclude (record_id, source_id, identifiers, content))',
    `and source_id in (${named})`,
  )
  return sure.map(({ source_id, records, share }) => ({
    fault: 'sent_twice',
    records,
    what: `${percent(share)} of the records of ${source_id} equal another record of it in all but ids: the source seems to send its rows twice`,
  }))
}

// Returns the sources with at least 100 sampled records of which 80 % equal another record of the source in the columns `content`.
async function repeatedRows(
  db: DuckDBConnection,
  every: number,
  content: string,
  where: string,
): Promise<z.output<typeof OfSource>[]> {
  return query(
    db,
    `with sampled as (
      select source_id, hash(${content}) as content from link.records
      where hash(first_name, last_name) % ${every} = 0
        and first_name is not null and last_name is not null ${where}
    ), copies as (
      select source_id, content, count(*) as n from sampled group by source_id, content
    ), totals as (
      select source_id, count(*) as total from link.records group by source_id
    )
    select source_id, sum(n) filter (n > 1) / sum(n) as share, (any_value(total) * share)::integer as records
    from copies join totals using (source_id)
    group by source_id having share >= 0.8 and sum(n) >= 100`,
    OfSource,
  )
}

const Named = z.object({
  source_id: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  total: z.int(),
})

async function swappedNames(db: DuckDBConnection): Promise<InputFault[]> {
  const names = await query(
    db,
    `with totals as (
      select source_id, count(*)::integer as total from link.records group by source_id
    )
    select source_id, first_name, last_name, total from temp.sampled_records join totals using (source_id)
     where first_name is not null and last_name is not null
     qualify row_number() over (partition by source_id order by hash(record_id), record_id) <= ${NAMES_OF_SOURCE}`,
    Named,
  )
  const sources = new Map<string, { total: number; clear: number; swapped: number }>()
  for (const { source_id, first_name, last_name, total } of names) {
    const odds = (nameFrequency(first_name)?.firstScore ?? 0) - (nameFrequency(last_name)?.firstScore ?? 0)
    if (Math.abs(odds) < CLEAR_ODDS) continue
    const source = sources.get(source_id) ?? { total, clear: 0, swapped: 0 }
    source.clear++
    if (odds < 0) source.swapped++
    sources.set(source_id, source)
  }
  return [...sources].flatMap(([source_id, { total, clear, swapped }]): InputFault[] => {
    if (swapped < 0.05 * clear || swapped < 50) return []
    const share = percent(swapped / clear)
    return [
      {
        fault: 'swapped_names',
        records: Math.round((total * swapped) / clear),
        what: `first and last names of ${source_id} are exchanged in ${share} of the records whose names show it`,
      },
    ]
  })
}

/** Decimal logarithm of the odds (50 to 1) from which on two names count as evidence for which of them is the first name. */
const CLEAR_ODDS = Math.log10(50)
/** Number of records that `swappedNames` reads of each source. */
const NAMES_OF_SOURCE = 3000

function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0.995 || share < 0.1 ? 1 : 0)} %`
}
