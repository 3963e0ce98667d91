import type { DuckDBConnection } from '@duckdb/node-api'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { rawTable } from '../../ingest/canonical-rows.ts'
import { explainTwo, type PairReport } from '../../link/explain/explain-pair.ts'
import { waterfall } from '../../link/explain/explain.ts'
import { query } from '../../warehouse/query.ts'
import type { CommandIo } from '../io.ts'
import { count } from '../progress.ts'
import { eventLines, explainEvent } from '../event-explained.ts'
import { readWarehouse } from '../read-warehouse.ts'

export const summary =
  'shows the source records behind a person or a deed event, and why two records are one person or two'
export const usage = `platbook explain P… [--raw] [--json]
       platbook explain EVENT_ID [--raw] [--json]
       platbook explain A B [--json]    A, B: two person ids, or keys of source records`

const Person = z.object({
  person_id: z.string(),
  name: z.string().nullable(),
  date_of_birth: z.string().nullable(),
})
const Mention = z.object({
  mention_key: z.string(),
  source_id: z.string(),
  mention_kind: z.string().nullable(),
  file_id: z.int(),
  file_name: z.string().nullable(),
  line_number: z.int(),
  kind: z.string().nullable(),
})
const Edge = z.object({ left_id: z.string(), right_id: z.string(), rule: z.string() })
const Redirect = z.object({
  old_person_id: z.string(),
  person_id: z.string(),
  merged_on: z.string(),
  reason: z.string(),
})

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { data: { type: 'string' }, raw: { type: 'boolean' }, json: { type: 'boolean' } },
  })
  const [asked, other, ...rest] = positionals
  if (asked !== undefined && other !== undefined && rest.length === 0) {
    return readWarehouse(io.config, async (db) => {
      const report = await explainTwo(db, [asked, other])
      if (values.json === true) io.out(JSON.stringify(report))
      else printPair(report, io)
      return 0
    })
  }
  if (asked !== undefined && other === undefined && UUID.test(asked)) {
    return readWarehouse(io.config, async (db) => {
      const event = await explainEvent(db, asked.toLowerCase())
      if (values.json === true) {
        io.out(JSON.stringify(event))
        return 0
      }
      for (const line of eventLines(event)) io.out(line)
      if (values.raw === true) await printRaw(db, event, io)
      return 0
    })
  }
  if (asked === undefined || other !== undefined || !/^P[0-9A-Za-z]{10}$/.test(asked)) {
    throw new AppError(
      'bad_usage',
      `explain takes a person id (P and ten letters or digits), an event id (a UUID), or two person ids or record keys, not '${positionals.join(' ')}'\nusage: ${usage}`,
    )
  }
  return readWarehouse(io.config, async (db) => {
    const explained = await explainPerson(db, asked)
    if (values.json === true) io.out(JSON.stringify(explained))
    else await print(db, explained, values.raw === true, io)
    return 0
  })
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

type Explained = Awaited<ReturnType<typeof explainPerson>>

async function explainPerson(db: DuckDBConnection, asked: string) {
  const redirects = await query(
    db,
    `select old_person_id, person_id, merged_on, reason from link.person_redirects
     where old_person_id = $id or person_id = $id order by merged_on, old_person_id`,
    Redirect,
    { id: asked },
  )
  const id = redirects.find((redirect) => redirect.old_person_id === asked)?.person_id ?? asked
  const [person] = await query(
    db,
    `select assigned.person_id, people.name, people.date_of_birth
     from (select distinct person_id from link.person_mentions where person_id = $id) as assigned
     left join published.people using (person_id)`,
    Person,
    { id },
  )
  if (person === undefined) {
    throw new AppError('unknown_id', `no person ${asked} in the warehouse: check the spelling of the id`)
  }
  const mentions = await query(
    db,
    `select records.mention_key, records.source_id,
            case when records.is_past then 'past_' else '' end || records.mention_kind as mention_kind,
            records.file_id, files.file_name, records.line_number, files.kind
     from normal.person_mentions as records
     left join ledger.files using (file_id)
     where records.mention_key in (select mention_key from link.person_mentions where person_id = $id)
     order by records.source_id, records.mention_key`,
    Mention,
    { id },
  )
  const edges = await query(
    db,
    `select edges.left_id, edges.right_id, edges.rule
     from link.edges
     join link.person_mentions as left_side on left_side.mention_key = edges.left_id
     where left_side.person_id = $id
     order by edges.left_id, edges.right_id, edges.rule`,
    Edge,
    { id },
  )
  return { asked, person, redirects, mentions, edges }
}

async function print(
  db: DuckDBConnection,
  explained: Explained,
  withRaw: boolean,
  io: CommandIo,
): Promise<void> {
  const { asked, person, redirects, mentions, edges } = explained
  io.out(
    `${person.person_id}  ${person.name ?? ''}${person.date_of_birth === null ? '' : `, born ${person.date_of_birth}`}`,
  )
  if (asked !== person.person_id) io.out(`${asked} was merged into this person`)
  const write = linePrinter(io)
  for (const redirect of redirects) {
    write(
      `${redirect.merged_on}  ${redirect.old_person_id} became ${redirect.person_id}: ${redirect.reason}`,
      2,
    )
  }
  io.out(`\n${mentions.length} source ${mentions.length === 1 ? 'record' : 'records'}`)
  for (const mention of mentions) {
    write(unbroken(mention.mention_key), 2)
    write(`${mention.mention_kind ?? 'record'}, ${mention.file_name ?? 'file'}:${mention.line_number}`, 4)
    if (withRaw) await printRaw(db, mention, io)
  }
  io.out(edges.length === 0 ? '\nno edges: the person has one record' : '\njoined by')
  for (const edge of edges) {
    write(`${edge.rule.padStart(18)}  ${unbroken(edge.left_id)}`, 2)
    write(unbroken(edge.right_id), 22)
  }
}

interface RawPlace {
  readonly source_id: string | null
  readonly kind: string | null
  readonly file_id: number | null
  readonly line_number: number | null
}

async function printRaw(
  db: DuckDBConnection,
  { source_id, kind, file_id, line_number }: RawPlace,
  io: CommandIo,
): Promise<void> {
  if (source_id === null || kind === null || file_id === null || line_number === null) return
  const rows = await query(
    db,
    `select * from ${rawTable(source_id, kind)} where file_id = $file and line_number = $line`,
    z.record(z.string(), z.union([z.string(), z.number()]).nullable()),
    { file: file_id, line: line_number },
  )
  for (const [column, value] of Object.entries(rows[0] ?? {})) {
    if (value !== null && value !== '' && column !== 'file_id' && column !== 'line_number') {
      io.out(`      ${column}: ${String(value).trim()}`)
    }
  }
}

function printPair({ left, right, pair, path, history }: PairReport, io: CommandIo): void {
  const write = linePrinter(io)
  write(
    left.person_id === right.person_id
      ? `one person, ${left.person_id}`
      : `two people, ${left.person_id} and ${right.person_id}; the two most similar of their records:`,
  )
  for (const { mention_key, display_name } of [left, right])
    write(`${display_name ?? 'no name'}, ${unbroken(mention_key)}`, 2)
  io.out('')
  for (const line of waterfall(pair)) io.out(`  ${line}`)
  if (pair.pairs > 1) printTogether(pair, write)
  io.out('\nshared blocking keys')
  write(pair.keys.length === 0 ? 'none: the two records were never compared' : pair.keys.join(', '), 2)
  io.out(path.length === 0 ? '\nno edges connect the two records' : '\nedges that connect the two records')
  for (const [k, step] of path.entries()) {
    if (k === 0) write(unbroken(step.left_id), 2)
    write(`match weight ${step.bits.toFixed(1)}`, 4)
    write(unbroken(step.right_id), 2)
  }
  io.out('\nhistory')
  for (const { happened_on, person_id, event, mention_key } of history) {
    const first = mention_key === null ? '' : `, first for ${unbroken(mention_key)}`
    write(`${happened_on}  ${person_id} ${event}${first}`, 2)
  }
}

function printTogether(
  { pairs, bar, groupBits }: PairReport['pair'],
  write: (text: string, indent?: number) => void,
): void {
  const all = `all ${count(pairs)} pairs of their records:`
  if (bar === undefined) {
    write(`${all} match weight ${groupBits.toFixed(1)} together (0 or more would join them)`, 2)
    return
  }
  write(`${all} one pair forbids the join: ${bar.reason}`, 2)
  for (const id of [bar.left_id, bar.right_id]) write(unbroken(id), 4)
}

function linePrinter(io: CommandIo): (text: string, indent?: number) => void {
  return (text, indent = 0) => {
    for (const line of wrapped(text, indent)) io.out(line)
  }
}

const COLUMNS = 80
const HELD_SPACE = '\u00a0'

// Keeps a record key, which may contain a name with spaces, on one line, so that it can be copied.
function unbroken(key: string): string {
  return key.replaceAll(' ', HELD_SPACE)
}

// Breaks a text at spaces into lines of at most `COLUMNS` characters.
function wrapped(text: string, indent: number): string[] {
  const lines: string[] = []
  let line = ' '.repeat(indent)
  for (const word of text.trimEnd().split(' ')) {
    if (line.trim() !== '' && line.length + word.length > COLUMNS) {
      lines.push(line.trimEnd())
      line = ' '.repeat(indent + 2)
    }
    line += `${word} `
  }
  return [...lines, line.trimEnd()].map((each) => each.replaceAll(HELD_SPACE, ' '))
}
