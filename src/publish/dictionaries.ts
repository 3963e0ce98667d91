import type { DuckDBConnection } from '@duckdb/node-api'
import { execute } from '../warehouse/query.ts'
import { rowChunks } from './row-batches.ts'

/** Returns the texts that `select` yields in its only column. */
export async function readTexts(
  db: DuckDBConnection,
  select: string,
  signal: AbortSignal,
): Promise<string[]> {
  const texts: string[] = []
  for await (const rows of rowChunks(db, select, signal)) {
    for (let row = 0; row < rows.count; row++) texts.push(rows.text(0, row) ?? '')
  }
  return texts
}

interface TextColumns {
  readonly start: Uint32Array<ArrayBuffer>
  readonly text: Uint8Array<ArrayBuffer>
}

/**
 * Applies `keyOf` to the distinct texts of `expression` in the table `from`, and returns the distinct keys as
 * the columns of a dictionary. The empty key is always number 0. Creates the temporary table `<name>_texts`
 * with each text and the number of its key.
 */
export async function keyedTexts(
  db: DuckDBConnection,
  of: { name: string; expression: string; from: string; keyOf: (text: string) => string },
  signal: AbortSignal,
): Promise<TextColumns> {
  const texts = await readTexts(db, `select distinct ${of.expression} from ${of.from}`, signal)
  const keys = texts.map(of.keyOf)
  const sorted = [...new Set(['', ...keys])].sort()
  const numbers = new Map(sorted.map((key, number) => [key, number]))
  await execute(db, `create or replace temp table ${of.name}_texts (text varchar, number integer)`)
  const appender = await db.createAppender(`${of.name}_texts`, 'main', 'temp')
  for (const [index, text] of texts.entries()) {
    appender.appendVarchar(text)
    appender.appendInteger(numbers.get(keys[index]!)!)
    appender.endRow()
  }
  appender.closeSync()
  return textsAsColumns(sorted)
}

/** Returns texts that are in the order of their bytes as the columns of a dictionary. */
export function textsAsColumns(texts: readonly string[]): TextColumns {
  const start = new Uint32Array(texts.length + 1)
  let length = 0
  for (const [number, text] of texts.entries()) {
    length += Buffer.byteLength(text)
    start[number + 1] = length
  }
  return { start, text: new Uint8Array(Buffer.from(texts.join(''))) }
}
