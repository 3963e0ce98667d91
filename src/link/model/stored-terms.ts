import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../../warehouse/query.ts'
import { appendColumns, readIntegers } from '../../warehouse/column-vectors.ts'
import { lowHash, NICKNAME_CLASS, termKey, type TermSource, type TermTable } from './frequencies.ts'
import { GrowingFloats, GrowingIntegers } from '../../arrays.ts'
import type { Records } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import type { TermCounts } from './term-counts.ts'
import { sharedCopy, type TextPool } from '../records/texts.ts'

const COLUMNS = 'field integer, high integer, low integer, record_count integer'

/** Values that fewer records have are not kept: for a model they count as one. */
const LEAST_COUNT = 2

/**
 * Keeps the counts of a training in `link.term_counts`, by hash of the value: nobody's name or number stands in it.
 * Fields are numbered by name; nickname classes come last.
 */
export async function storeTerms(db: DuckDBConnection, terms: TermCounts, records: Records): Promise<void> {
  const columns = [new GrowingIntegers(), new GrowingIntegers(), new GrowingIntegers(), new GrowingIntegers()]
  const put = (...row: [number, number, number, number]): void =>
    row.forEach((value, c) => columns[c]!.push(value))
  const names = [...terms.fields.keys()].sort()
  names.forEach((name, field) => {
    const { counts } = terms.fields.get(name)!
    for (let text = 1; text < counts.length; text++) {
      if (counts[text]! >= LEAST_COUNT) {
        put(field, records.texts.hash[text]!, lowHash(records.texts, text), counts[text]!)
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
