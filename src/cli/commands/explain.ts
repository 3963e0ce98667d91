import type { DuckDBConnection } from '@duckdb/node-api'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { rawTable } from '../../ingest/canonical-rows.ts'
import { explainTwo, type PairReport } from '../../link/explain/explain-pair.ts'
import { waterfall } from '../../link/explain/explain.ts'
import { query } from '../../warehouse/query.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { count, several } from '../progress.ts'
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
    options: { raw: { type: 'boolean' }, json: { type: 'boolean' } },
  })
  const [asked = '', other, ...more] = positionals
  const isEvent = UUID.test(asked)
  if (more.length > 0 || (other === undefined && !isEvent && !/^P[0-9A-Za-z]{10}$/.test(asked))) {
    throw new AppError(
      'bad_usage',
      `explain takes a person id (P and ten letters or digits), an event id (a UUID), or two person ids or record keys, not '${positionals.join(' ')}'\nusage: ${usage}`,
    )
  }
  const { raw = false, json } = values
  return readWarehouse(io.config, async (db) => {
    if (other !== undefined) {
      const report = await explainTwo(db, [asked, other])
      print(io, json, report, pairLines(report))
    } else if (isEvent) {
      const event = await explainEvent(db, asked.toLowerCase())
      const rawLines = raw ? await rawLinesOf(db, event) : []
      print(io, json, event, [...eventLines(event), ...rawLines])
    } else {
      const explained = await explainPerson(db, asked)
      print(io, json, explained, await personLines(db, explained, raw))
    }
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

async function personLines(db: DuckDBConnection, explained: Explained, withRaw: boolean): Promise<string[]> {
  const { asked, person, redirects, mentions, edges } = explained
  const born = person.date_of_birth === null ? '' : `, born ${person.date_of_birth}`
  const lines = [`${person.person_id}  ${person.name ?? ''}${born}`]
  if (asked !== person.person_id) lines.push(`${asked} was merged into this person`)
  for (const { merged_on, old_person_id, person_id, reason } of redirects)
    lines.push(...wrapped(`${merged_on}  ${old_person_id} became ${person_id}: ${reason}`, 2))
  lines.push(`\n${several(mentions.length, 'source record')}`)
  for (const mention of mentions) {
    const { mention_key, mention_kind, file_name, line_number } = mention
    lines.push(...wrapped(unbroken(mention_key), 2))
    lines.push(...wrapped(`${mention_kind ?? 'record'}, ${file_name ?? 'file'}:${line_number}`, 4))
    if (withRaw) lines.push(...(await rawLinesOf(db, mention)))
  }
  lines.push(edges.length === 0 ? '\nno edges: the person has one record' : '\njoined by')
  for (const { rule, left_id, right_id } of edges) {
    lines.push(...wrapped(`${rule.padStart(18)}  ${unbroken(left_id)}`, 2))
    lines.push(...wrapped(unbroken(right_id), 22))
  }
  return lines
}

interface RawPlace {
  readonly source_id: string | null
  readonly kind: string | null
  readonly file_id: number | null
  readonly line_number: number | null
}

/** Returns the columns of a source row that are not empty. */
async function rawLinesOf(
  db: DuckDBConnection,
  { source_id, kind, file_id, line_number }: RawPlace,
): Promise<string[]> {
  if (source_id === null || kind === null || file_id === null || line_number === null) return []
  const [row = {}] = await query(
    db,
    `select * exclude (file_id, line_number) from ${rawTable(source_id, kind)} where file_id = $file and line_number = $line`,
    z.record(z.string(), z.union([z.string(), z.number()]).nullable()),
    { file: file_id, line: line_number },
  )
  return Object.entries(row)
    .filter(([, value]) => value !== null && value !== '')
    .map(([column, value]) => `      ${column}: ${String(value).trim()}`)
}

function pairLines({ left, right, pair, path, history }: PairReport): string[] {
  const isOne = left.person_id === right.person_id
  const both = `two people, ${left.person_id} and ${right.person_id}; the two most similar of their records:`
  const lines = wrapped(isOne ? `one person, ${left.person_id}` : both)
  for (const { mention_key, display_name } of [left, right])
    lines.push(...wrapped(`${display_name ?? 'no name'}, ${unbroken(mention_key)}`, 2))
  lines.push('', ...waterfall(pair).map((line) => `  ${line}`))
  if (pair.pairs > 1) lines.push(...togetherLines(pair))
  const keys = pair.keys.length === 0 ? 'none: the two records were never compared' : pair.keys.join(', ')
  lines.push('\nshared blocking keys', ...wrapped(keys, 2))
  lines.push(
    path.length === 0 ? '\nno edges connect the two records' : '\nedges that connect the two records',
  )
  for (const [k, step] of path.entries()) {
    if (k === 0) lines.push(...wrapped(unbroken(step.left_id), 2))
    lines.push(`    match weight ${step.bits.toFixed(1)}`)
    lines.push(...wrapped(unbroken(step.right_id), 2))
  }
  lines.push('\nhistory')
  for (const { happened_on, person_id, event, mention_key } of history) {
    const first = mention_key === null ? '' : `, first for ${unbroken(mention_key)}`
    lines.push(...wrapped(`${happened_on}  ${person_id} ${event}${first}`, 2))
  }
  return lines
}

function togetherLines({ pairs, bar, groupBits }: PairReport['pair']): string[] {
  const all = `all ${count(pairs)} pairs of their records:`
  if (bar === undefined)
    return wrapped(`${all} match weight ${groupBits.toFixed(1)} together (0 or more would join them)`, 2)
  const ids = [bar.left_id, bar.right_id].flatMap((id) => wrapped(unbroken(id), 4))
  return [...wrapped(`${all} one pair forbids the join: ${bar.reason}`, 2), ...ids]
}

const COLUMNS = 80
const HELD_SPACE = '\u00a0'

// Keeps a record key, which may contain a name with spaces, on one line, so that it can be copied.
function unbroken(key: string): string {
  return key.replaceAll(' ', HELD_SPACE)
}

// Breaks a text at spaces into lines of at most `COLUMNS` characters.
function wrapped(text: string, indent = 0): string[] {
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
