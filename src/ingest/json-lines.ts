import type { RecordSink } from './framing.ts'
import { columnName, type ExpectedColumns, layoutOf } from './header.ts'
import type { Spool } from './spool.ts'

/** Only this many unknown keys of a file are remembered for the report, because a file may have any number. */
const NEW_KEYS_KEPT = 1_000

/**
 * Returns the sink for JSON lines: each line is one object. A missing key is a blank column. Numbers keep the spelling
 * of the file. Lists and objects stay JSON.
 *
 * Unknown keys are ignored and reported. The file fails when it has unknown keys and no record has a needed column,
 * because that column was probably renamed.
 */
export function jsonSink(
  spool: Spool,
  file: { fileId: number; shownName: string },
  expected: ExpectedColumns,
  refuse: RecordSink['refuse'],
): RecordSink {
  const columnOf = new Map<string, string | null>()
  const seen = new Set<string>()
  const place = { file: file.shownName, line: 1 }
  return {
    refuse,
    record(line, bytes, start, end) {
      const object = parsed(bytes.toString('utf8', start, end))
      if (object === null) {
        refuse(line, bytes.subarray(start, end), 'the line is not a JSON object')
        return
      }
      const values = new Map<string, unknown>()
      for (const [key, value] of Object.entries(object)) {
        let column = columnOf.get(key)
        if (column === undefined) {
          column = columnName(key, expected)
          if (columnOf.size < NEW_KEYS_KEPT || column !== null) columnOf.set(key, column)
          if (column === null && expected.schemaChanges === 'refuse')
            layoutOf([key], expected, { ...place, line })
        }
        if (column === null) continue
        seen.add(column)
        values.set(column, value)
      }
      spool.writeFields(
        file.fileId,
        line,
        expected.all.map((name) => Buffer.from(textOf(values.get(name)))),
      )
    },
    end() {
      const added = [...columnOf].flatMap(([key, column]) => (column === null ? [key] : []))
      if (added.length === 0) return null
      return layoutOf([...seen, ...added], expected, place).note
    },
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value.replaceAll('\0', '\u2400') : JSON.stringify(value)
}

// JavaScript numbers would lose the zeros of 1.50 and the last digits of a long identifier.
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
