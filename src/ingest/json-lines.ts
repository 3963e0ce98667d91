import type { RecordSink } from './framing.ts'
import { checkColumns } from './header.ts'
import type { Spool } from './spool.ts'

/**
 * JSON lines: an object each. An absent key is a blank column; a key that the definition does not know is drift.
 * The line goes on as it is, so that DuckDB takes each value in the spelling of the file.
 */
export function jsonSink(
  spool: Spool,
  file: { fileId: number; shownName: string },
  columns: readonly string[],
  refuse: RecordSink['refuse'],
): RecordSink {
  const known = new Set(columns)
  return {
    refuse,
    record(line, bytes, start, end) {
      const text = bytes.toString('utf8', start, end)
      const object = parsed(text)
      if (object === null) {
        refuse(line, bytes.subarray(start, Math.min(end, start + 4_000)), 'the line is not a JSON object')
        return
      }
      const names = Object.keys(object)
      if (names.some((name) => !known.has(name))) {
        checkColumns(names, columns, [], { file: file.shownName, line })
      }
      // A carriage return between values is legal JSON, but ends a line for DuckDB.
      const isPlain = !text.includes('\r')
      const source = isPlain ? bytes : Buffer.from(JSON.stringify(object))
      if (isPlain) spool.write(file.fileId, line, source, start, end, false)
      else spool.write(file.fileId, line, source, 0, source.length, false)
    },
  }
}

function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
