import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { nameFrequency } from '../../normalize/name-frequencies.ts'
import { execute, query, quotedLiteral } from '../../warehouse/query.ts'
import { isPlaceholder } from './placeholders.ts'

/** Something in the records that makes linking slow or poor and is hardly as the source means it. */
export interface InputFault {
  readonly fault: 'placeholder' | 'shared_value' | 'january_first' | 'sent_twice' | 'swapped_names'
  /** How many records have it. */
  readonly records: number
  /** The source or the outline of the value, and what is odd about it. Never a name, phone, e-mail or street of a person. */
  readonly what: string
}

/** From how many records on a value or a fault is worth a line. */
const LEAST_RECORDS = 1000
/** A sample of so many records tells what `LEAST_RECORDS` of a few million share. */
const SAMPLE = 100_000
const MOST_VALUES = 10

/** What is odd about `link.records`, most records first. Reads the table a few times, and a sample of it more closely. */
export async function findInputFaults(db: DuckDBConnection): Promise<InputFault[]> {
  const [all] = await query(db, 'select count(*)::integer as n from link.records', Counted)
  // One record in so many is looked at closely. A number in the SQL: a subquery would not be pushed down into the scan.
  const every = Math.max(1, Math.floor(all!.n / SAMPLE))
  // Whole vectors of 2,048 rows: the others are not even read.
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
    what: `a person called ${placeholderWords(value)}, which is nobody: neither blocked nor compared by that name`,
  }))
}

const NAME = `concat_ws(' ', first_name, case when last_name <> first_name then last_name end)`
/** The words of a name that are placeholders; any other word may be somebody's name. */
function placeholderWords(name: string): string {
  if (isPlaceholder(name)) return name
  return name.split(' ').map((word) => (isPlaceholder(word) ? word : '…')).join(' ') // prettier-ignore
}

/** Values that many records share: the values, and the outline of one value that a report may show. */
const SHARED: readonly [name: string, values: string, outline: (value: string) => string][] = [
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
  for (const [name, values, outline] of SHARED) {
    for (const { value, records } of await frequent(db, every, values, (text) => !isPlaceholder(text))) {
      faults.push({
        fault: 'shared_value',
        records,
        what: `one ${name} (${outline(value)}): its block is split by name, and it hardly tells people apart`,
      })
    }
  }
  return faults
}

// Candidates from the sample; only where there are some are all records counted.
async function frequent(
  db: DuckDBConnection,
  every: number,
  values: string,
  isMeant: (value: string) => boolean,
): Promise<z.output<typeof Value>[]> {
  const candidates = await query(
    db,
    `select value, count(*)::integer as records from (select ${values} as value from temp.sampled_records)
     where value <> '' group by value having count(*) >= greatest(10, $least) order by records desc, value limit 100`,
    Value,
    { least: LEAST_RECORDS / 2 / every },
  )
  const meant = candidates.filter(({ value }) => isMeant(value)).slice(0, 2 * MOST_VALUES)
  if (meant.length === 0) return []
  return query(
    db,
    `select value, count(*)::integer as records from (select ${values} as value from link.records)
     where value in (${meant.map(({ value }) => quotedLiteral(value)).join(', ')})
     group by value having count(*) >= ${LEAST_RECORDS} order by records desc, value limit ${MOST_VALUES}`,
    Value,
  )
}

const OfSource = z.object({ source_id: z.string(), records: z.int(), share: z.number() })

// By chance one date in 365.
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
    what: `${percent(share)} of the birth dates of ${source_id} are January 1: they count as their years`,
  }))
}

// Two looks at a sample by name, so that both of two like records are in it: what a source sends twice it names twice.
async function sentTwice(db: DuckDBConnection, every: number): Promise<InputFault[]> {
  const suspects = await twins(db, every, 'first_name, last_name, birth_year, birth_month, birth_day', '')
  if (suspects.length === 0) return []
  const named = suspects.map(({ source_id }) => quotedLiteral(source_id)).join(', ')
  // Numbers of the source's own may differ.
  const sure = await twins(
    db,
    every,
    '*columns(* exclude (record_id, source_id, identifiers, content))',
    `and source_id in (${named})`,
  )
  return sure.map(({ source_id, records, share }) => ({
    fault: 'sent_twice',
    records,
    what: `${percent(share)} of the records of ${source_id} have a twin that says the same: it seems to send its rows twice`,
  }))
}

async function twins(
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
    ), alike as (
      select source_id, content, count(*) as n from sampled group by source_id, content
    ), totals as (
      select source_id, count(*) as total from link.records group by source_id
    )
    select source_id, sum(n) filter (n > 1) / sum(n) as share, (any_value(total) * share)::integer as records
    from alike join totals using (source_id)
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
  const sources = new Map<string, { total: number; telling: number; swapped: number }>()
  for (const { source_id, first_name, last_name, total } of names) {
    const odds = (nameFrequency(first_name)?.firstScore ?? 0) - (nameFrequency(last_name)?.firstScore ?? 0)
    if (Math.abs(odds) < TELLING_ODDS) continue
    const source = sources.get(source_id) ?? { total, telling: 0, swapped: 0 }
    source.telling++
    if (odds < 0) source.swapped++
    sources.set(source_id, source)
  }
  return [...sources].flatMap(([source_id, { total, telling, swapped }]): InputFault[] => {
    if (swapped < 0.05 * telling || swapped < 50) return []
    const share = percent(swapped / telling)
    return [
      {
        fault: 'swapped_names',
        records: Math.round((total * swapped) / telling),
        what: `first and last names of ${source_id} are exchanged in ${share} of the records whose names show it`,
      },
    ]
  })
}

/** Ten-fold odds from which on two names tell which is the first: fifty to one. */
const TELLING_ODDS = Math.log10(50)
/** How many records of a source are read for it. */
const NAMES_OF_SOURCE = 3000

function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0.995 || share < 0.1 ? 1 : 0)} %`
}
