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

/** Values with fewer records are not stored. A model treats them as values of one record. */
const LEAST_COUNT = 2

/**
 * Stores the value counts of a training in `link.term_counts`. The table has hashes instead of values, so it contains
 * no name or number of a person. Fields are numbered in alphabetical order; nickname classes come last.
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

/** The value counts of a stored model. */
export type StoredTerms = TermSource & { readonly stored: Readonly<Record<string, TermTable>> }

/**
 * Reads the value counts of a model from `link.term_counts`. With `texts`, reads only the counts of these texts, so a few
 * records need little memory.
 */
export async function loadTerms(
  db: DuckDBConnection,
  model: LinkModel,
  texts?: TextPool,
): Promise<StoredTerms> {
  const names = [...Object.keys(model.totals).sort(), NICKNAME_CLASS]
  const found = names.map(() => ({ keys: new GrowingFloats(), counts: new GrowingIntegers() }))
  if (texts !== undefined) await createWanted(db, texts)
  // Hashes are stored as signed integers, but keys are sorted as unsigned ones.
  await readIntegers(
    db,
    `select field, high, low, record_count from link.term_counts
    ${texts === undefined ? '' : 'where high in (from temp.wanted_hashes)'}
    order by field, high < 0, high, low`,
    ([field, high, low, count], rows) => {
      for (let k = 0; k < rows; k++) {
        const table = found[field![k]!]!
        table.keys.push(termKey(high![k]!, low![k]!))
        table.counts.push(count![k]!)
      }
    },
  )
  if (texts !== undefined) await execute(db, 'drop table temp.wanted_hashes')
  return {
    totals: model.totals,
    stored: Object.fromEntries(names.map((name, field) => [name, tableOf(found[field]!)])),
  }
}

function tableOf({ keys, counts }: { keys: GrowingFloats; counts: GrowingIntegers }): TermTable {
  return { keys: sharedCopy(Float64Array, keys.view()), counts: sharedCopy(Int32Array, counts.view()) }
}

async function createWanted(db: DuckDBConnection, { hash, nickname, count }: TextPool): Promise<void> {
  await execute(db, 'create or replace temp table wanted_hashes (high integer)')
  await appendColumns(db, 'temp.wanted_hashes', [hash], count)
  await appendColumns(db, 'temp.wanted_hashes', [nickname], count)
}
