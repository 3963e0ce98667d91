import type { RecordSink } from './framing.ts'
import { checkColumns } from './header.ts'
import type { Spool } from './spool.ts'

/**
 * JSON lines: an object each. An absent key is a blank column, a key that the definition does not know is drift.
 * Numbers keep the spelling of the file; lists and objects stay JSON.
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
      const object = parsed(bytes.toString('utf8', start, end))
      if (object === null) {
        refuse(line, bytes.subarray(start, Math.min(end, start + 4_000)), 'the line is not a JSON object')
        return
      }
      const names = Object.keys(object)
      if (names.some((name) => !known.has(name))) {
        checkColumns(names, columns, [], { file: file.shownName, line })
      }
      spool.writeFields(
        file.fileId,
        line,
        columns.map((name) => Buffer.from(textOf(object[name]))),
      )
    },
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value.replaceAll('\0', '\u2400') : JSON.stringify(value)
}

// JavaScript's numbers would drop the zeros of 1.50 and the last digits of a long identifier.
const spelledNumbers = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? (context?.source ?? value) : value

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text, spelledNumbers)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
