import type { DuckDBConnection } from '@duckdb/node-api'
import { rowChunks } from './row-batches.ts'

/** The texts that `select` gives (one column, in the order of their bytes) as a dictionary's columns; also put into `into`. */
export async function textColumns(
  db: DuckDBConnection,
  select: string,
  signal: AbortSignal,
  into: string[] = [],
): Promise<{ start: Uint32Array; text: Uint8Array }> {
  for await (const rows of rowChunks(db, select, signal)) {
    for (let row = 0; row < rows.count; row++) into.push(rows.text(0, row) ?? '')
  }
  const start = new Uint32Array(into.length + 1)
  let length = 0
  for (const [number, text] of into.entries()) {
    length += Buffer.byteLength(text)
    start[number + 1] = length
  }
  return { start, text: Buffer.from(into.join('')) }
}
