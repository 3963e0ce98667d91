import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import type { Encoding } from '../enrich/read/encoding.ts'
import { type Input, openInput } from '../enrich/read/read-input.ts'
import { AppError } from '../errors.ts'
import { createRecordTables, RECORD_COLUMNS } from '../link/records/record-table.ts'
import { execute, query, quotedLiteral } from '../warehouse/query.ts'
import { PersonReader } from './read-person.ts'
import { checkMap, type Proposal, proposeColumns, type ColumnMap } from './propose-columns.ts'
import { type ListedRow, rowsOfChunk } from '../enrich/read/rows.ts'

/** A file of people and how to read it. */
export interface PeopleFile {
  readonly path: string
  readonly encoding: Encoding
  /** The source name of its records: the file name without folder and ending. */
  readonly source: string
  readonly proposal: Proposal
  /** Fingerprint of the file, by which the next read notices a change; null when the input has none. */
  readonly identity: string | null
}

export interface OpenOptions {
  readonly map: ColumnMap
  readonly truth: string | undefined
  readonly encoding: Encoding | undefined
  readonly today: string
}

/** Reads the header and the first rows of each file, and proposes how to read its columns. */
export async function openFiles(paths: readonly string[], options: OpenOptions): Promise<PeopleFile[]> {
  const inputs: Input[] = []
  try {
    for (const path of paths) inputs.push(await openInput(path, { encoding: options.encoding }))
    checkMap(
      options.map,
      inputs.map(({ header }) => header),
    )
    const sources = sourceNames(paths)
    return inputs.map((input, at) => {
      checkHeader(input)
      if (options.truth !== undefined && !input.header.includes(options.truth))
        throw new AppError(
          'bad_usage',
          `${input.name} has no column '${options.truth}', which --truth names; its columns are ${input.header.slice(0, 40).join(', ')}`,
        )
      return {
        path: paths[at]!,
        encoding: input.encoding,
        source: sources[at]!,
        proposal: proposeColumns(input, options.map, options.truth, options.today),
        identity: input.identity,
      }
    })
  } finally {
    for (const input of inputs) await input.close()
  }
}

/**
 * Opens a file again to read its rows.
 * @throws `input_changed` when the file changed since `openFiles` read it.
 */
export async function reopen({ path, encoding, identity }: PeopleFile): Promise<Input> {
  const input = await openInput(path, { encoding })
  if (input.identity === identity) return input
  await input.close()
  throw new AppError(
    'input_changed',
    `${path} changed while it was read: nothing was written; run it again when the file is whole`,
  )
}

/** A row of a file with its number in the file, which counts from 1. */
type FileRow = ListedRow & { readonly row: number }

/** Yields the rows of a file in batches. A row that cannot be read has a fault. */
export async function* batchesOf(input: Input): AsyncGenerator<FileRow[]> {
  const settings = { input: input.format, inputDialect: input.dialect, header: input.header }
  for await (const { bytes, firstLine, firstRow, broken } of input.chunks()) {
    const rows: FileRow[] = []
    for (const row of rowsOfChunk(bytes, firstLine, settings))
      rows.push({ ...row, row: firstRow + rows.length })
    if (broken !== null)
      rows.push({ cells: null, raw: broken.text, line: broken.line, fault: broken.reason, row: broken.row })
    yield rows
  }
}

function checkHeader({ header, name }: Input): void {
  const seen = new Map<string, number>()
  for (const [column, text] of header.entries()) {
    const before = seen.get(text)
    if (before !== undefined)
      throw new AppError(
        'bad_input',
        `${name}, line 1: the column '${text}' is twice in the header (columns ${before + 1} and ${column + 1}): rename one of them`,
      )
    seen.set(text, column)
  }
}

function sourceNames(paths: readonly string[]): string[] {
  const taken = new Set<string>()
  return paths.map((path) => {
    const name = basename(path).replace(/(\.(csv|tsv|txt|jsonl?|ndjson|parquet|arrow|gz))+$/i, '')
    let own = name
    for (let n = 2; taken.has(own); n++) own = `${name}-${n}`
    taken.add(own)
    return own
  })
}

export interface LoadOptions {
  /** Folder for temporary files with rows, which DuckDB then reads. The files are deleted afterwards. */
  readonly folder: string
  readonly truth: string | undefined
  readonly isDuplicateFree: boolean
  readonly today: string
  readonly signal: AbortSignal
}

/** Counts of the rows of one file. */
export interface Loaded {
  readonly rows: number
  /** Rows that cannot be read. They are in no cluster. */
  readonly rejected: number
  /** The first few rejected rows. */
  readonly faults: readonly { readonly line: number; readonly reason: string }[]
  /** Rows that were read, but have no value to compare. */
  readonly blank: number
}

const FAULTS_KEPT = 5

/**
 * Loads the rows of all files into `link.records` and `link.file_rows`. The latter connects records with rows; its
 * `ordinal` counts the loaded rows over all files, from 0. A record id uses the file's id column if that is unique
 * and never empty; otherwise the row number.
 */
export async function loadFiles(
  db: DuckDBConnection,
  files: readonly PeopleFile[],
  options: LoadOptions,
): Promise<Loaded[]> {
  await createRecordTables(db)
  await execute(db, 'create or replace table link.file_rows (record_id varchar, ordinal integer, file_number integer, row_number integer, id varchar, truth varchar)') // prettier-ignore
  const loaded: Loaded[] = []
  let ordinal = 0
  for (const [at, file] of files.entries()) {
    const counts = { rows: 0, rejected: 0, blank: 0, faults: [] as { line: number; reason: string }[] }
    const path = join(options.folder, `people-${at + 1}.jsonl`)
    try {
      await pipeline(
        Readable.from(peopleLines(file, ordinal, options, counts)),
        createWriteStream(path, { mode: 0o600 }),
        { signal: options.signal },
      )
      await addRecords(db, file, at + 1, path)
    } finally {
      await rm(path, { force: true })
    }
    if (options.isDuplicateFree)
      await execute(db, 'insert into link.source_traits values ($source, true, false)', {
        source: file.source,
      })
    ordinal += counts.rows
    loaded.push(counts)
  }
  return loaded
}

async function* peopleLines(
  file: PeopleFile,
  first: number,
  { truth, today }: LoadOptions,
  counts: { rows: number; rejected: number; blank: number; faults: { line: number; reason: string }[] },
): AsyncGenerator<string> {
  const input = await reopen(file)
  const reader = new PersonReader(file.proposal, today)
  const id = file.proposal.used.find(({ field }) => field === 'record_id')?.column
  const truthAt = truth === undefined ? -1 : input.header.indexOf(truth)
  try {
    for await (const rows of batchesOf(input)) {
      let text = ''
      for (const { cells, line, row, fault } of rows) {
        if (cells === null) {
          counts.rejected++
          if (counts.faults.length < FAULTS_KEPT) counts.faults.push({ line, reason: fault })
          continue
        }
        const person = reader.read(cells)
        if (isBlank(person)) counts.blank++
        const own = { ordinal: first + counts.rows++, row_number: row, id: id === undefined ? null : cells[id]!.trim(), truth: truthAt < 0 ? null : cells[truthAt]!.trim() } // prettier-ignore
        text += `${JSON.stringify({ ...own, ...person })}\n`
      }
      yield text
    }
  } finally {
    await input.close()
  }
}

function isBlank(person: object): boolean {
  return Object.values(person).every(
    (value) => value === null || (Array.isArray(value) && value.length === 0),
  )
}

const { record_id: _, source_id: __, content: ___, ...PERSON_COLUMNS } = RECORD_COLUMNS
const READ = { ordinal: 'integer', row_number: 'integer', id: 'varchar', truth: 'varchar', ...PERSON_COLUMNS }

async function addRecords(
  db: DuckDBConnection,
  { source }: PeopleFile,
  number: number,
  path: string,
): Promise<void> {
  const columns = Object.entries(READ).map(([name, type]) => `${name}: ${quotedLiteral(type)}`)
  await execute(
    db,
    `create or replace temp table read_people as
     select * from read_json(${quotedLiteral(path)}, format = 'newline_delimited', columns = {${columns.join(', ')}})`,
  )
  const [ids] = await query(
    db,
    `select count(*) > 0 and count(distinct id) filter (where id <> '') = count(*) as are_unique from temp.read_people`,
    z.object({ are_unique: z.boolean() }),
  )
  const id = ids!.are_unique ? 'id' : 'row_number'
  const recordId = `${quotedLiteral(`${source}:`)} || ${id}`
  await execute(
    db,
    `insert into link.records by name
     select ${recordId} as record_id, ${quotedLiteral(source)} as source_id, ${Object.keys(PERSON_COLUMNS).join(', ')}
     from temp.read_people order by ordinal`,
  )
  await execute(
    db,
    `insert into link.file_rows by name
     select ${recordId} as record_id, ordinal, ${number} as file_number, row_number, id, truth from temp.read_people order by ordinal`,
  )
  await execute(db, 'drop table temp.read_people')
}
