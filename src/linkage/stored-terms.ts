import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../warehouse/query.ts'
import { appendColumns, readIntegers } from './columns.ts'
import { NICKNAME_CLASS, type TermCounts, type TermSource } from './frequencies.ts'
import { GrowingIntegers } from './growing.ts'
import type { Mentions } from './mentions.ts'
import type { LinkModel } from './model.ts'
import type { TextPool } from './texts.ts'

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

/** Reads the counts of a model; with `texts`, only theirs (of a few records: a fraction of the time). */
export async function loadTerms(
  db: DuckDBConnection,
  model: LinkModel,
  texts?: TextPool,
): Promise<StoredTerms> {
  const names = [...Object.keys(model.totals).sort(), NICKNAME_CLASS]
  const counts = names.map(() => new Map<number, number>())
  await readIntegers(
    db,
    `select field, high, low, record_count from link.term_counts ${texts === undefined ? '' : `where high in (${hashesOf(texts)})`}`,
    ([field, high, low, count], rows) => {
      for (let k = 0; k < rows; k++) counts[field![k]!]!.set(keyOf(high![k]!, low![k]!), count![k]!)
    },
  )
  return new StoredTerms(model, new Map(names.map((name, field) => [name, counts[field]!])))
}

function hashesOf(texts: TextPool): string {
  return [...texts.hash.subarray(0, texts.count), ...texts.nickname.subarray(0, texts.count)].join(', ')
}

/** Counts of a model file, by hash; ask it through `of` for the texts of a pool. */
export class StoredTerms {
  readonly #model: LinkModel
  readonly #counts: ReadonlyMap<string, ReadonlyMap<number, number>>

  constructor(model: LinkModel, counts: ReadonlyMap<string, ReadonlyMap<number, number>>) {
    this.#model = model
    this.#counts = counts
  }

  of(texts: TextPool): TermSource {
    const keys = new Float64Array(texts.count)
    for (let text = 1; text < texts.count; text++) keys[text] = keyOf(texts.hash[text]!, lowHash(texts, text))
    return {
      total: (field) => this.#model.totals[field] ?? 0,
      count: (field, text) => this.#counts.get(field)?.get(keys[text]!) ?? 0,
      nicknameCount: (nickname) => this.#counts.get(NICKNAME_CLASS)?.get(keyOf(nickname, 0)) ?? 0,
    }
  }
}

// 53 bits of hash: among ten million values the chance that any two share one is about one in 200.
function keyOf(high: number, low: number): number {
  return (high >>> 0) * 2_097_152 + low
}

function lowHash({ bytes, starts }: TextPool, text: number): number {
  let hash = 0
  for (let k = starts[text]!; k < starts[text + 1]!; k++) hash = (Math.imul(hash, 31) + bytes[k]!) | 0
  return hash & 2_097_151
}
