import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../../warehouse/query.ts'
import type { BirthCounts, RandomPairs } from './birth-pairs.ts'
import { appendColumns, readIntegers, readNumbers } from '../records/columns.ts'
import { lowHash, NICKNAME_CLASS, termKey, type TermSource, type TermTable } from './frequencies.ts'
import { GrowingFloats, GrowingIntegers } from '../records/growing.ts'
import type { Mentions } from '../records/mentions.ts'
import type { LinkModel } from './model.ts'
import type { PatternCounts } from './patterns.ts'
import type { TermCounts } from './term-counts.ts'
import { sharedCopy, type TextPool } from '../records/texts.ts'

const COLUMNS = 'field integer, high integer, low integer, record_count integer'

/** Values that fewer records have are not kept: for a model they count as one. */
const LEAST_COUNT = 2

/**
 * Keeps the counts of a training in `link.term_counts`, by hash of the value: nobody's name or number stands in it.
 * Fields are numbered by name; nickname classes come last.
 */
export async function storeTerms(db: DuckDBConnection, terms: TermCounts, mentions: Mentions): Promise<void> {
  const columns = [new GrowingIntegers(), new GrowingIntegers(), new GrowingIntegers(), new GrowingIntegers()]
  const put = (...row: [number, number, number, number]): void =>
    row.forEach((value, c) => columns[c]!.push(value))
  const names = [...terms.fields.keys()].sort()
  names.forEach((name, field) => {
    const { counts } = terms.fields.get(name)!
    for (let text = 1; text < counts.length; text++) {
      if (counts[text]! >= LEAST_COUNT) {
        put(field, mentions.texts.hash[text]!, lowHash(mentions.texts, text), counts[text]!)
      }
    }
  })
  for (const [nickname, count] of terms.nicknames) put(names.length, nickname, 0, count)
  await execute(db, `create or replace table link.term_counts (${COLUMNS})`)
  await appendColumns(
    db,
    'link.term_counts',
    columns.map((column) => column.view()),
    columns[0]!.length,
  )
}

/** Counts of a model. */
export type StoredTerms = TermSource & { readonly stored: Readonly<Record<string, TermTable>> }

/** Reads the counts of a model; with `texts`, only theirs (of a few records: a fraction of the time). */
export async function loadTerms(
  db: DuckDBConnection,
  model: LinkModel,
  texts?: TextPool,
): Promise<StoredTerms> {
  const names = [...Object.keys(model.totals).sort(), NICKNAME_CLASS]
  const found = names.map(() => ({ keys: new GrowingFloats(), counts: new GrowingIntegers() }))
  // A hash is a signed number; keys are in the order of the unsigned one.
  await readIntegers(
    db,
    `select field, high, low, record_count from link.term_counts ${texts === undefined ? '' : `where high in (${hashesOf(texts)})`}
    order by field, high < 0, high, low`,
    ([field, high, low, count], rows) => {
      for (let k = 0; k < rows; k++) {
        const table = found[field![k]!]!
        table.keys.push(termKey(high![k]!, low![k]!))
        table.counts.push(count![k]!)
      }
    },
  )
  return {
    totals: model.totals,
    stored: Object.fromEntries(names.map((name, field) => [name, tableOf(found[field]!)])),
  }
}

function tableOf({ keys, counts }: { keys: GrowingFloats; counts: GrowingIntegers }): TermTable {
  return { keys: sharedCopy(Float64Array, keys.view()), counts: sharedCopy(Int32Array, counts.view()) }
}

function hashesOf(texts: TextPool): string {
  return [...texts.hash.subarray(0, texts.count), ...texts.nickname.subarray(0, texts.count)].join(', ')
}

const PATTERN_COLUMNS = ['lows', 'highs', 'tops', 'frequencies', 'counts'] as const

/** Keeps how pairs drawn at random agree, counted whenever everything is linked: what nights look for drift with. */
export async function storeRandom(db: DuckDBConnection, random: RandomPairs): Promise<void> {
  await storePatterns(db, 'link.random_patterns', random)
  if (random.namesakes !== undefined) await storePatterns(db, 'link.namesake_patterns', random.namesakes)
  const { levels, share } = random.births ?? { levels: new Float64Array(0), share: 0 }
  await execute(db, 'create or replace table link.random_births (level integer, pairs double, share double)')
  const numbers = Int32Array.from(levels.keys())
  await appendColumns(
    db,
    'link.random_births',
    [numbers, levels, new Float64Array(levels.length).fill(share)],
    levels.length,
  )
}

async function storePatterns(db: DuckDBConnection, table: string, patterns: PatternCounts): Promise<void> {
  const columns = PATTERN_COLUMNS.map((name) => `${name} ${name === 'counts' ? 'double' : 'integer'}`)
  await execute(db, `create or replace table ${table} (${columns.join(', ')})`)
  await appendColumns(
    db,
    table,
    PATTERN_COLUMNS.map((name) => patterns[name]),
    patterns.counts.length,
  )
}

/** The same as it was last kept; undefined where it never was in this warehouse. */
export async function loadRandom(db: DuckDBConnection): Promise<RandomPairs | undefined> {
  const found = await query(
    db,
    `select table_name from duckdb_tables() where schema_name = 'link' and table_name in ('random_patterns', 'random_births', 'namesake_patterns')`,
    z.object({ table_name: z.string() }),
  )
  const tables = found.map(({ table_name: name }) => name)
  if (!tables.includes('random_patterns')) return undefined
  return {
    ...(await loadPatterns(db, 'link.random_patterns')),
    births: tables.includes('random_births') ? await loadBirths(db) : undefined,
    namesakes: tables.includes('namesake_patterns')
      ? await loadPatterns(db, 'link.namesake_patterns')
      : undefined,
  }
}

async function loadPatterns(db: DuckDBConnection, table: string): Promise<PatternCounts> {
  const [lows, highs, tops, frequencies] = PATTERN_COLUMNS.slice(0, 4).map(() => new GrowingIntegers())
  const counts = new GrowingFloats()
  await readNumbers(
    db,
    // In the order in which sums were taken.
    `select lows, highs, tops, frequencies, counts from ${table} order by tops, highs, lows, frequencies`,
    (columns, rows) => {
      for (let k = 0; k < rows; k++) {
        ;[lows, highs, tops, frequencies].forEach((list, c) => list!.push(columns[c]![k]!))
        counts.push(columns[4]![k]!)
      }
    },
  )
  return {
    lows: lows!.view(),
    highs: highs!.view(),
    tops: tops!.view(),
    frequencies: frequencies!.view(),
    counts: counts.view(),
  }
}

async function loadBirths(db: DuckDBConnection): Promise<BirthCounts | undefined> {
  const Row = z.object({ pairs: z.number(), share: z.number() })
  const rows = await query(db, 'select pairs, share from link.random_births order by level', Row)
  if (rows.length === 0) return undefined
  return { levels: Float64Array.from(rows, ({ pairs }) => pairs), share: rows[0]!.share }
}
