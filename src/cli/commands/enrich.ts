import { mkdir, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { dayOf } from '../../clock.ts'
import { type Mapping, recogniseColumns } from '../../enrich/columns/recognise.ts'
import { CLUE_FIELDS } from '../../enrich/columns/names.ts'
import { workingFiles } from '../../enrich/run/checkpoint.ts'
import { countyCodes } from '../../enrich/match/counties.ts'
import {
  DEFAULT_FIELDS,
  FIELDS,
  parseFields,
  parseRequirements,
  REQUIREMENTS,
} from '../../enrich/match/fields.ts'
import { loadSuppressions } from '../../enrich/match/load-suppressions.ts'
import { parseEncoding } from '../../enrich/read/encoding.ts'
import { type Input, MOST_SKIPPED, openInput, STANDARD_INPUT } from '../../enrich/read/read-input.ts'
import { openStream } from '../../enrich/read/spool-input.ts'
import { reportHtml } from '../../enrich/report/page.ts'
import { buildReport, summaryLines } from '../../enrich/report/report.ts'
import { runEnrichment } from '../../enrich/run/run.ts'
import { type NamedFile, outputKind, refuseOverwriting } from '../../enrich/write/output.ts'
import { AppError } from '../../errors.ts'
import { currentSnapshot } from '../../lookup/format/current.ts'
import { readManifest } from '../../lookup/format/manifest.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { openProgressBar } from '../progress-bar.ts'
import { wholeNumber } from '../whole-number.ts'
import { withState } from '../with-state.ts'
import type { RunOptions } from '../../enrich/run/options.ts'
import { checkHeader } from '../../enrich/columns/header.ts'
import { mappingLines, parseMap, quoted, remedyTexts } from '../../enrich/columns/map-option.ts'

export const summary = 'adds people, phones, e-mails, addresses and properties to the rows of a file'
export const usage = `platbook enrich IN --out OUT [--map COLUMN=FIELD …] [--fields phones,emails,…] [--min-score 50] [--top 1]
    [--require phone,email] [--suppress FILE] [--dedupe] [--max-billable N] [--limit N] [--dry-run] [--resume] [--yes]
    [--force] [--report report.html] [--json] [--prefix pb_] [--safe-cells] [--encoding utf-8]
    [--no-header] [--skip-lines N] [--threads N] [--data DIR]

IN and OUT are .csv, .tsv, .jsonl, .parquet or .arrow files; IN may be gzip; \`-\` is standard input or output.
--min-score N: the least match probability of a matched row, in percent.
--no-header: the file has no header line; its columns are column1, column2, … --skip-lines N: ignores N lines above the header.
FIELD of --map is one of ${listed(CLUE_FIELDS)}, or - to ignore the column.
--fields takes ${listed(FIELDS)}. --require takes ${listed(REQUIREMENTS)}.`

function listed(names: readonly string[]): string {
  return names.join(', ')
}

/** The exit code of a run that Ctrl-C stopped (128 + SIGINT, as in shells); `--resume` continues it. */
const STOPPED = 130

const OPTIONS = {
  out: { type: 'string' },
  map: { type: 'string', multiple: true },
  fields: { type: 'string' },
  'min-score': { type: 'string', default: '50' },
  top: { type: 'string', default: '1' },
  require: { type: 'string' },
  suppress: { type: 'string' },
  dedupe: { type: 'boolean', default: false },
  'max-billable': { type: 'string' },
  limit: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  resume: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  report: { type: 'string' },
  json: { type: 'boolean', default: false },
  prefix: { type: 'string', default: 'pb_' },
  'safe-cells': { type: 'boolean', default: false },
  encoding: { type: 'string' },
  'no-header': { type: 'boolean', default: false },
  'skip-lines': { type: 'string', default: '0' },
  threads: { type: 'string' },
} as const

type Values = ReturnType<typeof parsed>['values']

function parsed(argv: string[]) {
  return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true })
}

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parsed(argv)
  const [path] = positionals
  if (path === undefined || positionals.length > 1)
    throw new AppError('bad_usage', `enrich takes one input file\nusage: ${usage}`)
  if (path === '-' && values.resume)
    throw new AppError('bad_usage', '--resume needs an input file: standard input cannot be read again')
  if (values.prefix === '')
    throw new AppError(
      'bad_usage',
      '--prefix is empty: it must distinguish the added columns from the columns of the input file',
    )
  await refuseOverwriting(writtenFiles(values), readFiles(path, values), values.force)
  const output = outputOf(path, values)
  if (values['safe-cells'] && output !== null && output.kind !== 'csv' && output.kind !== 'tsv')
    throw new AppError(
      'bad_usage',
      `--safe-cells is for .csv and .tsv files: programs do not read formulas from .${output.kind} files; leave the option out`,
    )
  const snapshot = await currentSnapshot(io.config.paths.snapshots)
  if (snapshot === null)
    throw new AppError(
      'no_snapshot',
      `${io.config.paths.root} contains no snapshot: run \`platbook nightly\``,
    )
  const match = await matchOptions(values, io)
  const list = await openList(path, output, values, io).catch((error: unknown) => stoppedOnly(error, io))
  if (list === null) return STOPPED
  try {
    return await enrich(list.input, { argv, values, output, snapshot, match }, io)
  } finally {
    await list.remove()
  }
}

interface EnrichRequest {
  /** The arguments of the command. */
  readonly argv: readonly string[]
  readonly values: Values
  readonly output: RunOptions['output']
  readonly snapshot: RunOptions['snapshot']
  readonly match: RunOptions['match']
}

async function enrich(
  input: Input,
  { argv, values, output, snapshot, match }: EnrichRequest,
  io: CommandIo,
): Promise<number> {
  checkHeader(input.header, input.name, values.prefix)
  const given = parseMap(values.map ?? [], input.header)
  const mapping = recogniseColumns(input.header, input.sample, given, match.today)
  if (!(await isMappingAccepted(input, mapping, { argv, yes: values.yes }, io))) return 1
  const bar = openProgressBar(io)
  const options: RunOptions = {
    input,
    mapping: mapping.columns,
    counties: countyCodes(),
    match,
    output,
    safeCells: values['safe-cells'],
    prefix: values.prefix,
    dedupe: values.dedupe,
    limit: optionalNumber('limit', values.limit),
    maxBillable: optionalNumber('max-billable', values['max-billable']),
    snapshot,
    snapshotFolder: (version) => folderOf(io.config.paths.snapshots, version),
    personCount: readManifest(snapshot.folder).rows['people'] ?? 0,
    // The operator's suppressions apply to every run; `--suppress` adds entries for one run.
    suppressions: await withState(io, (state) => state.suppressions.list()),
    resume: values.resume,
    threads: values.threads === undefined ? threadsFor(input) : wholeNumber('threads', values.threads, 0, 64),
    signal: io.signal,
    progress: bar.report,
  }
  // The bar is erased before the report or an error is printed.
  const result = await runEnrichment(options)
    .finally(() => bar.finish())
    .catch((error: unknown) => stoppedOnly(error, io))
  if (result === null) return STOPPED
  const isDryRun = values['dry-run']
  const report = buildReport({ input, mapping, match, output, result, isDryRun, now: io.now() })
  if (values.report !== undefined) await writeReport(values.report, reportHtml(report))
  // When the rows go to standard output, the summary goes to standard error.
  const toErr = { out: (line: string) => io.err(line) }
  print(output !== null && 'stream' in output ? toErr : io, values.json, report, summaryLines(report))
  return 0
}

/** Prints the message of a stopped run and returns null; throws all other errors. */
function stoppedOnly(error: unknown, io: CommandIo): null {
  if (!(error instanceof AppError) || error.code !== 'stopped') throw error
  io.err(error.message)
  return null
}

async function matchOptions(values: Values, io: CommandIo): Promise<RunOptions['match']> {
  const today = dayOf(io.now())
  const top = wholeNumber('top', values.top, 1, 10)
  if (values.dedupe && top > 1)
    throw new AppError('bad_usage', '--dedupe allows one answer per row: leave out --top')
  return {
    fields: values.fields === undefined ? DEFAULT_FIELDS : parseFields(values.fields),
    require: values.require === undefined ? [] : parseRequirements(values.require),
    minScore: wholeNumber('min-score', values['min-score'], 1, 99),
    top,
    suppressions: values.suppress === undefined ? null : await loadSuppressions(values.suppress, today),
    reportsSuppressed: true,
    suppressesPeople: true,
    today,
  }
}

/** Opens the input file. Standard input is first copied to a temporary file, which `remove` deletes. */
async function openList(
  path: string,
  output: RunOptions['output'],
  { encoding: asked, 'no-header': noHeader, ...values }: Values,
  { config, signal }: CommandIo,
): Promise<{ input: Input; remove: () => Promise<void> }> {
  const encoding = asked === undefined ? undefined : parseEncoding(asked)
  const header = { noHeader, skipLines: wholeNumber('skip-lines', values['skip-lines'], 0, MOST_SKIPPED) }
  if (path !== '-')
    return { input: await openInput(path, { encoding, ...header }), remove: async () => undefined }
  const isFile = output !== null && 'path' in output
  if (!isFile) await mkdir(config.paths.out, { recursive: true })
  const spool = isFile
    ? workingFiles(output.path).input
    : join(config.paths.out, `standard-input-${process.pid}.partial`)
  return openStream(process.stdin, spool, { encoding, signal, ...header })
}

function writtenFiles({ out, report, ...values }: Values): NamedFile[] {
  const written: NamedFile[] = report === undefined ? [] : [['--report', report]]
  if (out !== undefined && out !== '-' && !values['dry-run'])
    written.push(['--out', out], ['the file of rejected rows', workingFiles(out).rejectedFinal])
  return written
}

function readFiles(path: string, { suppress }: Values): NamedFile[] {
  const read: NamedFile[] = path === '-' ? [] : [['the input file', path]]
  if (suppress !== undefined) read.push(['the suppression list', suppress])
  return read
}

function outputOf(path: string, values: Values): RunOptions['output'] {
  if (values['dry-run']) return null
  const { out } = values
  if (out === undefined || out === '-')
    return {
      stream: process.stdout,
      kind: path.endsWith('.jsonl') || path.endsWith('.ndjson') ? 'jsonl' : 'csv',
    }
  return { path: out, kind: outputKind(out) }
}

/**
 * Prints the recognized columns. If they are doubtful, asks on a terminal and returns the answer.
 * @throws `bad_usage` for doubtful columns when there is no terminal
 */
async function isMappingAccepted(
  input: Input,
  mapping: Mapping,
  { argv, yes }: { argv: readonly string[]; yes: boolean },
  io: CommandIo,
): Promise<boolean> {
  const encoding = input.encoding === 'utf-8' ? '' : `, read as ${input.encoding}`
  io.err(
    `${input.name}: ${input.header.length} ${input.header.length === 1 ? 'column' : 'columns'}${encoding}`,
  )
  for (const line of mappingLines(input.header, mapping)) io.err(line)
  if (mapping.doubts.length === 0) return true
  for (const doubt of mapping.doubts) io.err(`  ? ${doubt}`)
  const remedies = remedyTexts(input.header, mapping).map((text) => ` --map ${quoted(text)}`)
  const ready = remedies.length === 0 ? '' : `, for example:\n  platbook enrich ${[...argv, ...(io.common ?? [])].map(quoted).join(' ')}${remedies.join('')}` // prettier-ignore
  const help = `name the columns with --map COLUMN=FIELD (COLUMN=- ignores one), or accept the proposal with --yes${ready}`
  if (yes) return true
  if (!io.isTerminal || !process.stdin.isTTY || input.name === STANDARD_INPUT)
    throw new AppError(
      'bad_usage',
      `the columns of ${input.name} are not clear: ${mapping.doubts.join('; ')}: ${help}`,
    )
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-C counts as "no".
  const answer = await terminal
    .question('continue with these columns? [y/N] ', { signal: io.signal })
    .catch(() => '')
    .finally(() => terminal.close())
  if (/^y(es)?$/i.test(answer.trim())) return true
  io.err(help)
  return false
}

/** Files below this size are enriched without threads, because starting threads takes longer. */
const SHORT_BYTES = 512 * 1024

function threadsFor({ bytes }: Input): number {
  return bytes !== null && bytes < SHORT_BYTES ? 0 : availableParallelism()
}

async function folderOf(snapshots: string, version: string): Promise<string | null> {
  const folder = join(snapshots, version)
  return (await stat(folder).catch(() => null)) === null ? null : folder
}

async function writeReport(path: string, html: string): Promise<void> {
  await writeFile(path, html).catch((cause: NodeJS.ErrnoException) => {
    throw new AppError(
      'output_unwritable',
      `cannot write the report ${path}: ${cause.message}; the enriched file is complete`,
      { cause },
    )
  })
}

function optionalNumber(name: string, text: string | undefined): number | null {
  return text === undefined ? null : wholeNumber(name, text, 0)
}
