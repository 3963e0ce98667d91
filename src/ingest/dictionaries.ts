import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DuckDBConnection, DuckDBDataChunk, VARCHAR } from '@duckdb/node-api'
import type { Log } from '../log.ts'
import type { OnProgress } from '../progress.ts'
import { normalizeAddress } from '../normalize/address.ts'
import { normalizeEmail } from '../normalize/email.ts'
import { parseName } from '../normalize/name.ts'
import { nicknameClass } from '../normalize/nicknames.ts'
import { parsePhone } from '../normalize/phone.ts'
import { phoneticKey } from '../normalize/phonetic.ts'
import { SQL_FOLDER, createMacros } from '../warehouse/models.ts'
import { execute, inTransaction } from '../warehouse/query.ts'

export interface DictionaryReport {
  readonly name: string
  /** Strings that were not in the dictionary before. */
  readonly rows: number
  readonly seconds: number
}

export interface DictionaryOptions {
  readonly db: DuckDBConnection
  readonly log: Log
  readonly signal: AbortSignal
  readonly progress?: OnProgress | undefined
  /** Defaults to a hash of src/normalize and its reference data: a changed normaliser is asked everything again. */
  readonly version?: string
}

/** One persistent dictionary: `sql/dictionaries/<file>` lists the strings, `parse` answers them, `insert` files the answers. */
interface Dictionary {
  readonly file: string
  readonly tables: Readonly<Record<string, string>>
  /** The answer as fields between `FIELD`, and groups of fields between `GROUP`. */
  readonly parse: (text: string) => string
  readonly insert: readonly string[]
}

const FIELD = '\u001f'
const GROUP = '\u001e'

const DICTIONARIES: readonly Dictionary[] = [
  {
    file: 'names.sql',
    tables: {
      'normal.name_dictionary':
        'name_key ubigint, text varchar, kind varchar, organisation varchar, organisation_key varchar, ' +
        'has_et_al boolean, is_trustee boolean, is_life_estate boolean, care_of varchar',
      'normal.name_people':
        'name_key ubigint, person_sequence integer, first_name varchar, middle_name varchar, last_name varchar, ' +
        'name_suffix varchar, display_name varchar, nickname_class varchar, first_phonetic varchar, last_phonetic varchar',
    },
    parse: nameAnswer(),
    insert: [
      `insert into normal.name_dictionary
       select text_key(text), text, f[1], nullif(f[2], ''), nullif(f[3], ''), f[4] = '1', f[5] = '1', f[6] = '1', nullif(f[7], '')
       from (select text, string_split(string_split(answer, chr(30))[1], chr(31)) as f from temp.answers)`,
      `insert into normal.name_people
       select name_key, person_sequence, nullif(f[1], ''), nullif(f[2], ''), nullif(f[3], ''), nullif(f[4], ''), f[5],
         nullif(f[6], ''), nullif(f[7], ''), nullif(f[8], '')
       from (
         select name_key, person_sequence, string_split(person, chr(31)) as f
         from (
           select text_key(text) as name_key, unnest(people) as person, generate_subscripts(people, 1)::integer as person_sequence
           from (select text, string_split(answer, chr(30))[2:] as people from temp.answers)
         )
       )`,
    ],
  },
  {
    file: 'addresses.sql',
    tables: {
      'normal.address_dictionary':
        'text_key ubigint, text varchar, address_id varchar, address_key varchar, building_key varchar, street_key varchar, ' +
        'kind varchar, house_number varchar, pre_directional varchar, street_name varchar, street_suffix varchar, ' +
        'post_directional varchar, building varchar, unit_type varchar, unit_number varchar, po_box varchar, city varchar, state varchar, ' +
        'zip varchar, plus4 varchar, line1 varchar, full_address varchar, city_display varchar',
    },
    parse: addressAnswer,
    insert: [
      `insert into normal.address_dictionary
       select text_key(text), text, derived_id('A', nullif(f[1], '')), ${fields(1, 20)}
       from (select text, string_split(answer, chr(31)) as f from temp.answers)`,
    ],
  },
  {
    file: 'phones.sql',
    tables: {
      'normal.phone_dictionary':
        'text_key ubigint, text varchar, phone varchar, national_format varchar, is_toll_free boolean',
    },
    parse: phoneAnswer,
    insert: [
      `insert into normal.phone_dictionary
       select text_key(text), text, nullif(f[1], ''), nullif(f[2], ''), f[3] = '1'
       from (select text, string_split(answer, chr(31)) as f from temp.answers)`,
    ],
  },
  {
    file: 'emails.sql',
    tables: { 'normal.email_dictionary': 'text_key ubigint, text varchar, email varchar' },
    parse: (text) => normalizeEmail(text) ?? '',
    insert: [
      `insert into normal.email_dictionary select text_key(text), text, nullif(answer, '') from temp.answers`,
    ],
  },
]

/** Makes the dictionary tables where they are missing; `buildModels` needs them. */
export async function createDictionaries(db: DuckDBConnection): Promise<void> {
  await createMacros(db)
  await execute(db, 'create table if not exists normal.dictionaries (file varchar, version varchar)')
  for (const dictionary of DICTIONARIES) {
    for (const [table, columns] of Object.entries(dictionary.tables)) {
      await execute(db, `create table if not exists ${table} (${columns})`)
    }
  }
}

/** Asks the normalisers once for every string of staging that the dictionaries don't know yet. */
export async function fillDictionaries(options: DictionaryOptions): Promise<DictionaryReport[]> {
  const { db, log, signal } = options
  const version = options.version ?? (await normaliserVersion())
  await createDictionaries(db)
  const reports: DictionaryReport[] = []
  for (const dictionary of DICTIONARIES) {
    signal.throwIfAborted()
    const started = performance.now()
    const rows = await inTransaction(db, () => fill(db, dictionary, version, signal))
    const name = Object.keys(dictionary.tables)[0] ?? dictionary.file
    const report = { name, rows, seconds: Math.round(performance.now() - started) / 1000 }
    log.debug({ dictionary: report.name, rows, seconds: report.seconds }, 'dictionary filled')
    options.progress?.({
      step: 'normal',
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
  signal: AbortSignal,
): Promise<number> {
  const { file } = dictionary
  const tables = Object.keys(dictionary.tables)
  const known = await db.runAndReadAll('select version from normal.dictionaries where file = $file', { file })
  if (known.getRows()[0]?.[0] !== version) {
    for (const table of tables) await execute(db, `delete from ${table}`)
    await execute(db, 'delete from normal.dictionaries where file = $file', { file })
    await execute(db, 'insert into normal.dictionaries values ($file, $version)', { file, version })
  }
  const texts = await readFile(join(SQL_FOLDER, 'dictionaries', file), 'utf8')
  await execute(db, 'create or replace temp table answers (text varchar, answer varchar)')
  const rows = await answer(
    db,
    `select text from (${texts}) as texts anti join ${tables[0] ?? ''} as known using (text)`,
    dictionary.parse,
    signal,
  )
  if (rows > 0) for (const insert of dictionary.insert) await execute(db, insert)
  await execute(db, 'drop table temp.answers')
  return rows
}

async function answer(
  db: DuckDBConnection,
  texts: string,
  parse: (text: string) => string,
  signal: AbortSignal,
): Promise<number> {
  // The result is materialised by the engine, so that the same connection can append while it is read.
  const result = await db.run(texts)
  const appender = await db.createAppender('answers', 'main', 'temp')
  let rows = 0
  for (
    let chunk = await result.fetchChunk();
    chunk !== null && chunk.rowCount > 0;
    chunk = await result.fetchChunk()
  ) {
    signal.throwIfAborted()
    const asked = chunk.getColumnValues(0) as string[]
    const answered = DuckDBDataChunk.create([VARCHAR, VARCHAR], asked.length)
    answered.setColumnValues(0, asked)
    answered.setColumnValues(1, asked.map(parse))
    appender.appendDataChunk(answered)
    rows += asked.length
  }
  appender.closeSync()
  return rows
}

function nameAnswer(): (text: string) => string {
  const classes = remembered((first: string) => nicknameClass(first))
  const phonetics = remembered((word: string) => phoneticKey(word))
  return (text) => {
    const at = text.indexOf(FIELD)
    const parsed = parseName(text.slice(at + 1), text.slice(0, at) as Parameters<typeof parseName>[1])
    let answered = joined([
      parsed.kind,
      parsed.organisation,
      parsed.organisation_key,
      parsed.has_et_al ? '1' : '',
      parsed.is_trustee ? '1' : '',
      parsed.is_life_estate ? '1' : '',
      parsed.care_of,
    ])
    for (const person of parsed.people) {
      answered +=
        GROUP +
        joined([
          person.first,
          person.middle,
          person.last,
          person.suffix,
          person.display,
          person.first === null ? null : classes(person.first),
          person.first === null ? null : phonetics(person.first),
          person.last === null ? null : phonetics(person.last),
        ])
    }
    return answered
  }
}

function addressAnswer(text: string): string {
  const [line_1, line_2, city, state, zip] = text.split(FIELD)
  const parsed = normalizeAddress({
    line_1: line_1 || null,
    line_2: line_2 || null,
    city: city || null,
    state: state || null,
    zip: zip || null,
  })
  return joined([
    parsed.address_key,
    parsed.building_key,
    parsed.street_key,
    parsed.kind,
    parsed.house_number,
    parsed.pre_directional,
    parsed.street_name,
    parsed.street_suffix,
    parsed.post_directional,
    parsed.building,
    parsed.unit_type,
    parsed.unit_number,
    parsed.po_box,
    parsed.city,
    parsed.state,
    parsed.zip,
    parsed.plus4,
    parsed.line1,
    parsed.full_address,
    parsed.city_display,
  ])
}

function phoneAnswer(text: string): string {
  const at = text.indexOf(FIELD)
  const parsed = parsePhone(text.slice(0, at), text.slice(at + 1) || null)
  return parsed === null ? '' : joined([parsed.phone, parsed.national_format, parsed.is_toll_free ? '1' : ''])
}

function joined(values: (string | null)[]): string {
  return values.map((value) => value ?? '').join(FIELD)
}

/** `answer` kept per word: a night has millions of names and a hundred thousand words. */
function remembered(ask: (word: string) => string): (word: string) => string {
  const known = new Map<string, string>()
  return (word) => {
    const found = known.get(word)
    if (found !== undefined) return found
    const value = ask(word)
    known.set(word, value)
    return value
  }
}

function fields(from: number, to: number): string {
  const items = Array.from({ length: to - from + 1 }, (_, index) => `nullif(f[${from + index}], '')`)
  return items.join(', ')
}

const NORMALISER_PARTS = ['../normalize', '../../data/reference'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

/** A hash over src/normalize and data/reference: whatever could change an answer. */
export async function normaliserVersion(): Promise<string> {
  const hash = createHash('sha256')
  for (const folder of NORMALISER_PARTS) {
    for (const name of (await readdir(folder)).sort()) {
      if (!/\.(ts|csv|txt|json)$/.test(name)) continue
      hash.update(`${basename(folder)}/${name}\n`).update(await readFile(join(folder, name)))
    }
  }
  return hash.digest('hex').slice(0, 16)
}
