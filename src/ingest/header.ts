import { AppError } from '../errors.ts'
import { columnsIn } from './closed-lists.ts'
import type { FileKind } from './definition.ts'

const NAMES_SHOWN = 5

/** The columns that a file of one kind must have or may have, by the definition. */
export interface ExpectedColumns {
  readonly all: readonly string[]
  readonly optional: ReadonlySet<string>
  /** Columns whose values the definition uses. A file without one of them fails. */
  readonly needed: ReadonlySet<string>
  readonly aliases: FileKind['aliases']
  readonly schemaChanges: FileKind['schemaChanges']
}

/** The columns of a file. */
export interface Layout {
  /** The definition's name of each column, in the order of the file. Null for a column that is ignored. */
  readonly columns: readonly (string | null)[]
  /** A sentence about new and missing columns that the load ignores. Null when there are none. */
  readonly note: string | null
}

/** Returns the columns of a kind, as its definition gives them. */
export function expectedColumns(kind: FileKind): ExpectedColumns {
  const { format, aliases, schemaChanges } = kind
  const optional = format.type === 'delimited' ? format.optionalColumns : []
  const required = format.columns.map((column) => (typeof column === 'string' ? column : column.name))
  const read = new Set(
    schemaChanges === 'refuse'
      ? required
      : [
          ...columnsIn(kind.identity),
          ...columnsIn(kind.supersedes),
          ...Object.keys(kind.keys),
          ...kind.refuse.flatMap(({ when }) => columnsIn(when)),
          ...kind.rows.flatMap(({ when, set }) => [
            ...columnsIn(when),
            ...Object.values(set).flatMap(columnsIn),
          ]),
        ],
  )
  return {
    all: [...required, ...optional],
    optional: new Set(optional),
    needed: new Set(required.filter((name) => read.has(name))),
    aliases,
    schemaChanges,
  }
}

/**
 * Returns the columns of a file from the names in its header. Case and surrounding spaces do not matter.
 * @throws `header_drift`, which names the file and each missing, new or probably renamed column
 */
export function layoutOf(
  names: readonly string[],
  expected: ExpectedColumns,
  place: { file: string; line: number },
): Layout {
  const columns = names.map((name) => columnName(name, expected))
  const found = new Set(columns)
  const gone = expected.all.filter((name) => !found.has(name))
  const lost = gone.filter((name) => expected.needed.has(name))
  const added = names.filter((_, index) => columns[index] === null)
  const twice = columns.filter((name, index) => name !== null && columns.indexOf(name) !== index)
  const isRefused = expected.schemaChanges === 'refuse' && added.length > 0
  if (lost.length === 0 && twice.length === 0 && !isRefused) {
    return {
      columns,
      note: noteOf(
        added,
        gone.filter((name) => !expected.optional.has(name)),
      ),
    }
  }
  const faults: string[] = []
  if (columns.every((name) => name === null)) {
    faults.push(
      `the line is not the header: it has none of the ${expected.all.length - expected.optional.size} expected columns`,
    )
  } else {
    const renamed = likelyPairs(lost, added, expected.all, names)
    for (const [from, to] of renamed) {
      faults.push(
        `column ${from} is missing and ${to} is new: if it was renamed, add ${to} to the aliases of ${from}`,
      )
    }
    const others = lost.filter((name) => !renamed.has(name))
    const news = added.filter((name) => ![...renamed.values()].includes(name))
    if (others.length > 0) faults.push(`${shownColumns(others)} missing`)
    if (news.length > 0) faults.push(`${shownColumns(news)} new`)
    if (twice.length > 0) {
      faults.push(`${shownColumns([...new Set(twice)].filter((name) => name !== null))} in the header twice`)
    }
  }
  throw new AppError('header_drift', `${place.file}, line ${place.line}: ${faults.join('; ')}`, {
    details: { file: place.file, line: place.line },
  })
}

/**
 * Returns the definition's name of a column: the same text, the same text in another case, or the column with this
 * alias. Returns null for an unknown column.
 */
export function columnName(name: string, { all, aliases }: ExpectedColumns): string | null {
  if (all.includes(name)) return name
  const wanted = trimmedLower(name)
  const same = all.find((column) => trimmedLower(column) === wanted)
  if (same !== undefined) return same
  const alias = Object.entries(aliases).find(([, others]) =>
    others.some((each) => trimmedLower(each) === wanted),
  )
  return alias?.[0] ?? null
}

function trimmedLower(name: string): string {
  return name.trim().toLowerCase()
}

function noteOf(added: readonly string[], gone: readonly string[]): string | null {
  const notes = [
    ...(added.length === 0 ? [] : [`${shownColumns(added)} new and ignored`]),
    ...(gone.length === 0
      ? []
      : [
          `${shownColumns(gone)} missing, but the definition does not use ${gone.length === 1 ? 'it' : 'them'}`,
        ]),
  ]
  return notes.length === 0 ? null : notes.join('; ')
}

function shownColumns(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ')
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : ''
  return names.length === 1 ? `column ${shown} is` : `columns ${shown}${more} are`
}

/**
 * Returns the probable new names of missing columns. The spelling is similar, or the new column is in the place of the
 * missing one.
 */
function likelyPairs(
  gone: readonly string[],
  added: readonly string[],
  required: readonly string[],
  names: readonly string[],
): Map<string, string> {
  const candidates = gone.flatMap((from) =>
    added.map((to) => {
      const samePlace = required.indexOf(from) === names.indexOf(to) ? 0.5 : 0
      return { from, to, score: similarity(from, to) + samePlace }
    }),
  )
  const pairs = new Map<string, string>()
  const taken = new Set<string>()
  for (const { from, to, score } of candidates.sort((a, b) => b.score - a.score)) {
    if (score < 0.5 || pairs.has(from) || taken.has(to)) continue
    pairs.set(from, to)
    taken.add(to)
  }
  return pairs
}

/** Returns the share of letter pairs that two names have in common, from 0 to 1. Ignores case and punctuation. */
function similarity(left: string, right: string): number {
  const lefts = pairsOf(left)
  const rights = pairsOf(right)
  if (lefts.length + rights.length === 0) return 0
  const rest = [...rights]
  let common = 0
  for (const pair of lefts) {
    const at = rest.indexOf(pair)
    if (at < 0) continue
    rest.splice(at, 1)
    common++
  }
  return (2 * common) / (lefts.length + rights.length)
}

function pairsOf(name: string): string[] {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return Array.from({ length: Math.max(plain.length - 1, 0) }, (_, index) => plain.slice(index, index + 2))
}
