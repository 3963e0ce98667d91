import { AppError } from '../../errors.ts'
import { type Share, shareText } from './content.ts'
import { CLUE_FIELDS, type ClueField } from './names.ts'
import type { Mapping } from './recognise.ts'

/**
 * Parses the values of `--map`: `Column=field`, or `Column=-` for a column not to use.
 * @throws `bad_usage` for unknown columns and fields
 */
export function parseMap(texts: readonly string[], header: readonly string[]): Map<number, ClueField | null> {
  const mapped = new Map<number, ClueField | null>()
  for (const text of texts) {
    const at = text.lastIndexOf('=')
    const [name, field] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
    const column = header.indexOf(name)
    if (at < 1 || column < 0) {
      throw new AppError(
        'bad_usage',
        `--map ${text}: there is no column '${name}'; the columns are ${header.slice(0, 40).join(', ')}`,
      )
    }
    if (field !== '-' && !CLUE_FIELDS.includes(field as ClueField)) {
      throw new AppError(
        'bad_usage',
        `--map ${text}: there is no field '${field}'; the fields are ${CLUE_FIELDS.join(', ')}; - means that the column is not used`,
      )
    }
    mapped.set(column, field === '-' ? null : (field as ClueField))
  }
  return mapped
}

/** Returns the lines that show the mapping: `Email → email  (by its values: 97 % of 300 values)`. */
export function mappingLines(header: readonly string[], mapping: Mapping): string[] {
  const width = Math.max(4, ...mapping.columns.map(({ column }) => header[column]!.length))
  const lines = mapping.columns.map(
    ({ column, field, by }) =>
      `  ${header[column]!.padEnd(width)}  → ${field}${by === 'name' ? '' : by === 'map' ? '  (--map)' : `  (${byContent(mapping.shares.get(column))})`}`,
  )
  const used = new Set(mapping.columns.map(({ column }) => column))
  const rest = header.flatMap((name, column) => {
    const hint = mapping.hints.get(column)
    if (used.has(column)) return []
    return hint === undefined
      ? name
      : `${name} (looks like ${hint}; --map ${quoted(`${name}=${hint}`)} uses it)`
  })
  if (rest.length > 0)
    lines.push(`  not used: ${rest.slice(0, 20).join(', ')}${rest.length > 20 ? ', …' : ''}`)
  return lines
}

function byContent(its: Share | undefined): string {
  return its === undefined ? 'by its values' : `by its values: ${shareText(its)}`
}

/** Returns values for `--map` that answer the doubts: `['Owner=name', 'Agent=-']`. */
export function remedyTexts(header: readonly string[], { remedies }: Mapping): string[] {
  return [...remedies].map(([column, field]) => `${header[column]}=${field ?? '-'}`)
}

/** Returns a word for a shell command, quoted if needed. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
