import { parseArgs } from 'node:util'
import { dayOf } from '../../clock.ts'
import { workingFiles } from '../../enrich/run/checkpoint.ts'
import { parseEncoding } from '../../enrich/read/encoding.ts'
import { outputKind, refuseOverwriting } from '../../enrich/write/output.ts'
import { AppError } from '../../errors.ts'
import { PERSON_FIELDS } from '../../link-file/fields.ts'
import { linkFiles, type LinkFileOptions, type LinkFileReport } from '../../link-file/link-file.ts'
import { openFiles } from '../../link-file/load-files.ts'
import { parsePersonMap } from '../../link-file/propose-columns.ts'
import { mappingLines } from '../../link-file/show-mapping.ts'
import { figuresLine } from '../figures-line.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { count, openProgress } from '../progress.ts'

export const summary = 'groups the rows of any files of people by person'
export const usage = `platbook link-file IN… --out clusters.csv [--edges edges.csv] [--report link.html] [--map COLUMN=FIELD …]
    [--duplicate-free] [--truth COLUMN] [--accept] [--prefix pb_] [--encoding utf-8] [--force] [--json] [--dry-run]

IN are files of people: .csv, .tsv, .jsonl, .parquet or .arrow, text files also with gzip. The command needs no data folder and no service.
The command writes every row to --out (.csv, .tsv or .jsonl), with the columns cluster_id, cluster_size, match_probability
(the highest of the row's pairs within its cluster), source_file and source_row before the row's own columns. Rows that cannot be read go to
OUT.rejected.csv with file, line and reason; then the exit code is 3.
--edges writes the compared pairs with their match weight and probability. --duplicate-free says that no file contains a person
twice, so only records of different files are joined. --truth COLUMN prints precision, recall and F1 against the column that names
the true person. A trained model that fails its checks is not used; the default model of Platbook, which finds fewer pairs, links
the rows instead. --accept uses the trained model anyway. --dry-run shows how the columns would be read and stops.
FIELD of --map is one of ${PERSON_FIELDS.join(', ')};
identifier:KIND and trait:KIND compare columns of two files with each other; - ignores the column.`

const OPTIONS = {
  out: { type: 'string' },
  edges: { type: 'string' },
  report: { type: 'string' },
  map: { type: 'string', multiple: true },
  truth: { type: 'string' },
  'duplicate-free': { type: 'boolean', default: false },
  prefix: { type: 'string', default: 'pb_' },
  encoding: { type: 'string' },
  accept: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
} as const

/** The exit code of a run that left out rows that cannot be read. */
const ROWS_REJECTED = 3

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true })
  if (positionals.length === 0) throw new AppError('bad_usage', `link-file needs a file of people\nusage: ${usage}`) // prettier-ignore
  if (positionals.includes('-')) throw new AppError('bad_usage', 'link-file cannot read standard input, because it reads its files twice: write the data to a file first') // prettier-ignore
  const { out, edges, report } = values
  if (out === undefined && !values['dry-run']) throw new AppError('bad_usage', `link-file needs --out FILE\nusage: ${usage}`) // prettier-ignore
  const kind = out === undefined ? 'csv' : outputKind(out)
  if (kind !== 'csv' && kind !== 'tsv' && kind !== 'jsonl')
    throw new AppError('bad_usage', `--out ${out}: link-file writes .csv, .tsv and .jsonl files`)
  const rejected = workingFiles(out ?? '').rejectedFinal
  const named: [string, string | undefined][] = [['--out', out], ['--edges', edges], ['--report', report], ['the file of rejected rows', out === undefined ? undefined : rejected]] // prettier-ignore
  const written = named.filter((one): one is [string, string] => one[1] !== undefined)
  await refuseOverwriting(written, positionals.map((path) => ['an input file', path]), values.force) // prettier-ignore
  const today = dayOf(io.now())
  const map = parsePersonMap(values.map ?? [])
  const encoding = values.encoding === undefined ? undefined : parseEncoding(values.encoding)
  const files = await openFiles(positionals, { map, truth: values.truth, encoding, today })
  for (const file of files) {
    const read = file.encoding === 'utf-8' ? '' : `, read as ${file.encoding}`
    io.err(`${file.path}: ${file.proposal.header.length} columns${read}`)
    for (const line of mappingLines(file)) io.err(line)
  }
  if (out === undefined || values['dry-run']) return 0
  const display = openProgress(io)
  const options: LinkFileOptions = {
    out: { path: out, kind },
    edges,
    report,
    rejected,
    prefix: values.prefix,
    truth: values.truth,
    isDuplicateFree: values['duplicate-free'],
    accept: values.accept,
    today,
    threads: io.config.DUCKDB_THREADS,
    memoryLimit: io.config.DUCKDB_MEMORY_LIMIT,
    signal: io.signal,
    progress: display.report,
  }
  const found = await linkFiles(files, options)
  display.finish()
  print(io, values.json, found, summaryLines(found, { ...values, out, rejected }))
  return found.rejected > 0 ? ROWS_REJECTED : 0
}

function summaryLines(
  found: LinkFileReport,
  paths: { out: string; edges?: string | undefined; report?: string | undefined; rejected: string },
): string[] {
  const { files, rows, rejected, clusters, joined, pairs, edges, refused, truth } = found
  const lines = files.map(
    (file) =>
      `${file.path}: ${count(file.rows + file.rejected)} rows, ${count(file.rejected)} rejected, ${count(file.blank)} without a value to compare`,
  )
  for (const file of files) {
    for (const { line, reason } of file.faults) lines.push(`  ${file.path}, line ${line}: ${reason}`)
    const more = file.rejected - file.faults.length
    if (more > 0) lines.push(`  ${file.path}: ${count(more)} more rejected rows`)
  }
  lines.push(
    `${count(rows)} rows are ${count(clusters)} people, ${count(joined)} of whom have two or more rows (${count(pairs)} pairs compared, ${count(edges)} kept as edges)`,
  )
  if (refused !== null) {
    lines.push('the model trained on these rows failed its checks, so the default model was used, which finds fewer pairs (--accept uses the trained model):') // prettier-ignore
    for (const { what } of refused.faults) lines.push(`  ${what}`)
    lines.push('  check the columns named above: --map COLUMN=- ignores a column')
  }
  if (truth !== null) {
    const of = truth.betweenFiles ? 'pairs between files' : 'all pairs'
    lines.push(
      `against the truth (${count(truth.records)} rows of ${count(truth.people)} people, ${of}; ${count(truth.unknown)} rows without a true person are not counted)`,
      `  ${figuresLine('pairwise', truth.pairwise)}`,
      `  ${figuresLine('B³', truth.bCubed)}`,
      `  ${count(truth.split)} true people are in several clusters, ${count(truth.merged)} clusters contain several true people`,
    )
    if (truth.betweenFiles && truth.inside > 0)
      lines.push(
        `  the truth column has ${count(truth.inside)} duplicates within a file, which contradicts --duplicate-free`,
      )
  }
  lines.push(`written: ${[paths.out, paths.edges, paths.report, rejected > 0 ? paths.rejected : undefined].filter((one) => one !== undefined).join(', ')}`) // prettier-ignore
  return lines
}
