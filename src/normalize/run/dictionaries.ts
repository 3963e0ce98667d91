import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DuckDBConnection, DuckDBDataChunk, VARCHAR } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { OnProgress } from '../../progress.ts'
import { SQL_FOLDER, createMacros } from '../../warehouse/models.ts'
import { execute, inTransaction, query } from '../../warehouse/query.ts'
import { NormalizerThreads } from './normalizer-threads.ts'
import type { NormalizerName } from './normalizers.ts'

export interface DictionaryReport {
  readonly name: string
  /** Number of texts that the dictionary did not have before. */
  readonly rows: number
  readonly seconds: number
}

export interface DictionaryOptions {
  readonly db: DuckDBConnection
  readonly log: Log
  readonly signal: AbortSignal
  readonly progress?: OnProgress | undefined
  /**
   * A version of the normalisers. When it changes, all texts are normalised again. The default is
   * `normaliserVersion()`.
   */
  readonly version?: string
  /** Number of threads that normalise. The default is DuckDB's number of threads. */
  readonly threads?: number
  /** Number of texts above which threads are started. */
  readonly leastTexts?: number
}

/**
 * A dictionary, kept from run to run. `sql/dictionaries/<name>.sql` selects the texts, `normalizers.ts` normalises
 * them, and `insert` writes the results into `tables`.
 */
interface Dictionary {
  readonly name: NormalizerName
  readonly tables: Readonly<Record<string, string>>
  readonly insert: readonly string[]
}

const DICTIONARIES: readonly Dictionary[] = [
  {
    name: 'names',
    tables: {
      'normal.name_dictionary':
        'name_key ubigint, text varchar, kind varchar, organisation varchar, organisation_key varchar, ' +
        'has_et_al boolean, is_trustee boolean, is_life_estate boolean, care_of varchar',
      'normal.name_people':
        'name_key ubigint, person_sequence integer, first_name varchar, middle_name varchar, last_name varchar, ' +
        'name_suffix varchar, display_name varchar, nickname_class varchar, first_phonetic varchar, last_phonetic varchar',
    },
    insert: [
      `insert into normal.name_dictionary
       select text_key(text), text, f[1], nullif(f[2], ''), nullif(f[3], ''), f[4] = '1', f[5] = '1', f[6] = '1', nullif(f[7], '')
       from (select text, string_split(string_split(result, chr(30))[1], chr(31)) as f from temp.normalized)`,
      `insert into normal.name_people
       select name_key, person_sequence, nullif(f[1], ''), nullif(f[2], ''), nullif(f[3], ''), nullif(f[4], ''), f[5],
         nullif(f[6], ''), nullif(f[7], ''), nullif(f[8], '')
       from (
         select name_key, person_sequence, string_split(person, chr(31)) as f
         from (
           select text_key(text) as name_key, unnest(people) as person, generate_subscripts(people, 1)::integer as person_sequence
           from (select text, string_split(result, chr(30))[2:] as people from temp.normalized)
         )
       )`,
    ],
  },
  {
    name: 'addresses',
    tables: {
      'normal.address_dictionary':
        'text_key ubigint, text varchar, address_id varchar, address_key varchar, building_key varchar, street_key varchar, ' +
        'kind varchar, house_number varchar, pre_directional varchar, street_name varchar, street_suffix varchar, ' +
        'post_directional varchar, building varchar, unit_type varchar, unit_number varchar, po_box varchar, city varchar, state varchar, ' +
        'zip varchar, plus4 varchar, line1 varchar, full_address varchar, city_display varchar',
    },
    insert: [
      `insert into normal.address_dictionary
       select text_key(text), text, derived_id('A', nullif(f[1], '')), ${fields(1, 20)}
       from (select text, string_split(result, chr(31)) as f from temp.normalized)`,
    ],
  },
  {
    name: 'phones',
    tables: {
      'normal.phone_dictionary':
        'text_key ubigint, text varchar, phone varchar, national_format varchar, is_toll_free boolean',
    },
    insert: [
      `insert into normal.phone_dictionary
       select text_key(text), text, nullif(f[1], ''), nullif(f[2], ''), f[3] = '1'
       from (select text, string_split(result, chr(31)) as f from temp.normalized)`,
    ],
  },
  {
    name: 'emails',
    tables: { 'normal.email_dictionary': 'text_key ubigint, text varchar, email varchar' },
    insert: [
      `insert into normal.email_dictionary select text_key(text), text, nullif(result, '') from temp.normalized`,
    ],
  },
]

/** The tables of each dictionary. */
export const DICTIONARY_TABLES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  DICTIONARIES.map(({ name, tables }) => [name, Object.keys(tables)]),
)

/** Creates missing dictionary tables. `buildModels` reads them, even when they are empty. */
export async function createDictionaries(db: DuckDBConnection): Promise<void> {
  await createMacros(db)
  await execute(db, 'create table if not exists normal.dictionaries (file varchar, version varchar)')
  for (const dictionary of DICTIONARIES) {
    for (const [table, columns] of Object.entries(dictionary.tables)) {
      await execute(db, `create table if not exists ${table} (${columns})`)
    }
  }
}

/**
 * Finds the names, addresses, phones and e-mails of `staging.*` that no earlier run has normalised, normalises them, and
 * adds the results to the dictionary tables of `normal`.
 */
export async function fillDictionaries(options: DictionaryOptions): Promise<DictionaryReport[]> {
  const { db } = options
  const version = options.version ?? (await normaliserVersion())
  await createDictionaries(db)
  const [engine] = await query(
    db,
    `select current_setting('threads')::integer as threads`,
    z.object({ threads: z.int() }),
  )
  const threads = new NormalizerThreads(options.threads ?? engine?.threads ?? 1, options.leastTexts)
  try {
    return await fillAll(options, threads, version)
  } finally {
    await threads.close()
  }
}

/**
 * Normalises the texts that the query `texts` returns in its column `text`, and adds the results to the tables of one
 * dictionary. Returns the number of texts.
 */
export async function fillDictionary(db: DuckDBConnection, name: string, texts: string): Promise<number> {
  const dictionary = DICTIONARIES.find((known) => known.name === name)
  if (dictionary === undefined) throw new AppError('model_failed', `there is no dictionary '${name}'`)
  const threads = new NormalizerThreads(1)
  try {
    return await insertTexts(db, dictionary, texts, threads, new AbortController().signal)
  } finally {
    await threads.close()
  }
}

async function fillAll(
  { db, log, signal, progress }: DictionaryOptions,
  threads: NormalizerThreads,
  version: string,
): Promise<DictionaryReport[]> {
  const reports: DictionaryReport[] = []
  for (const dictionary of DICTIONARIES) {
    signal.throwIfAborted()
    const started = performance.now()
    const rows = await inTransaction(db, () => fill(db, dictionary, version, threads, signal))
    const name = Object.keys(dictionary.tables)[0] ?? dictionary.name
    const report = { name, rows, seconds: Math.round(performance.now() - started) / 1000 }
    log.debug({ dictionary: report.name, rows, seconds: report.seconds }, 'dictionary filled')
    progress?.({
      step: 'normalize',
      detail: name.slice('normal.'.length),
      rows,
      seconds: report.seconds,
    })
    reports.push(report)
  }
  return reports
}

async function fill(
  db: DuckDBConnection,
  dictionary: Dictionary,
  version: string,
  threads: NormalizerThreads,
  signal: AbortSignal,
): Promise<number> {
  const file = `${dictionary.name}.sql`
  const tables = Object.keys(dictionary.tables)
  const known = await db.runAndReadAll('select version from normal.dictionaries where file = $file', { file })
  if (known.getRows()[0]?.[0] !== version) {
    // Creates the tables again, because another version may have other columns.
    for (const [table, columns] of Object.entries(dictionary.tables)) {
      await execute(db, `create or replace table ${table} (${columns})`)
    }
    await execute(db, 'delete from normal.dictionaries where file = $file', { file })
    await execute(db, 'insert into normal.dictionaries values ($file, $version)', { file, version })
  }
  const texts = await readFile(join(SQL_FOLDER, 'dictionaries', file), 'utf8')
  const unknown = `select text from (${texts}) as texts anti join ${tables[0] ?? ''} as known using (text)`
  return insertTexts(db, dictionary, unknown, threads, signal)
}

async function insertTexts(
  db: DuckDBConnection,
  dictionary: Dictionary,
  texts: string,
  threads: NormalizerThreads,
  signal: AbortSignal,
): Promise<number> {
  await execute(db, 'create or replace temp table normalized (text varchar, result varchar)')
  const rows = await normalizeTexts(
    db,
    texts,
    (given) => threads.normalize(dictionary.name, given),
    threads.count * 2,
    signal,
  )
  if (rows > 0) for (const insert of dictionary.insert) await execute(db, insert)
  await execute(db, 'drop table temp.normalized')
  return rows
}

/**
 * Normalises the texts that the query `texts` returns, and writes them with their results into `temp.normalized`. At most
 * `mostAhead` chunks are normalised at once. Returns the number of texts.
 */
async function normalizeTexts(
  db: DuckDBConnection,
  texts: string,
  normalize: (texts: string[]) => Promise<string[]>,
  mostAhead: number,
  signal: AbortSignal,
): Promise<number> {
  // DuckDB materialises the texts, so the same connection can append results while they are read.
  const read = await db.run(texts)
  const appender = await db.createAppender('normalized', 'main', 'temp')
  const underWay: { given: string[]; results: Promise<string[]> }[] = []
  let rows = 0
  const appendOldest = async (): Promise<void> => {
    const oldest = underWay.shift()
    if (oldest === undefined) return
    const { given } = oldest
    const results = await oldest.results
    const chunk = DuckDBDataChunk.create([VARCHAR, VARCHAR], given.length)
    chunk.setColumnValues(0, given)
    chunk.setColumnValues(1, results)
    appender.appendDataChunk(chunk)
    rows += given.length
  }
  for (
    let chunk = await read.fetchChunk();
    chunk !== null && chunk.rowCount > 0;
    chunk = await read.fetchChunk()
  ) {
    signal.throwIfAborted()
    const given = chunk.getColumnValues(0) as string[]
    const results = normalize(given)
    // The promise is awaited later. Until then, a failure must not be reported as an unhandled rejection.
    results.catch(() => undefined)
    underWay.push({ given, results })
    if (underWay.length > mostAhead) await appendOldest()
  }
  while (underWay.length > 0) await appendOldest()
  appender.closeSync()
  return rows
}

function fields(from: number, to: number): string {
  const items = Array.from({ length: to - from + 1 }, (_, index) => `nullif(f[${from + index}], '')`)
  return items.join(', ')
}

const NORMALISER_PARTS = ['..', '../../../data/reference'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)
const NORMALIZERS_FILE = fileURLToPath(new URL('normalizers.ts', import.meta.url))

/** Returns a hash over the pure files of src/normalize, data/reference and normalizers.ts, which together determine every result. */
export async function normaliserVersion(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(NORMALIZERS_FILE))
  for (const folder of NORMALISER_PARTS) {
    for (const name of (await readdir(folder)).sort()) {
      if (!/\.(ts|csv|txt|json)$/.test(name)) continue
      hash.update(`${basename(folder)}/${name}\n`).update(await readFile(join(folder, name)))
    }
  }
  return hash.digest('hex').slice(0, 16)
}
