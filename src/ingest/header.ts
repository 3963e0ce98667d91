import { AppError } from '../errors.ts'
import type { FileKind } from './definition.ts'

const NAMES_SHOWN = 5

/**
 * The columns of a file in its own order, from its header.
 * @throws `header_drift` that names the file and every column that is gone, new, or likely renamed
 */
export function columnsInHeader(
  names: readonly string[],
  format: Extract<FileKind['format'], { type: 'delimited' }>,
  place: { file: string; line: number },
): string[] {
  checkColumns(names, format.columns, format.optionalColumns, place)
  return [...names]
}

/** Columns that a file has against those it must and may have. @throws `header_drift` */
export function checkColumns(
  names: readonly string[],
  required: readonly string[],
  optional: readonly string[],
  place: { file: string; line: number },
): void {
  const known = new Set([...required, ...optional])
  const gone = required.filter((name) => !names.includes(name))
  const added = names.filter((name) => !known.has(name))
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  if (gone.length === 0 && added.length === 0 && twice.length === 0) return
  const faults: string[] = []
  if (gone.length === required.length) {
    faults.push(`the line is not the header: none of its ${required.length} columns is there`)
  } else {
    const renamed = likelyPairs(gone, added, required, names)
    for (const [from, to] of renamed) faults.push(`column ${from} is gone and ${to} is new: likely renamed`)
    const others = gone.filter((name) => !renamed.has(name))
    const news = added.filter((name) => ![...renamed.values()].includes(name))
    if (others.length > 0) faults.push(`${columns(others)} gone`)
    if (news.length > 0) faults.push(`${columns(news)} new`)
    if (twice.length > 0) faults.push(`${columns([...new Set(twice)])} there twice`)
  }
  throw new AppError('header_drift', `${place.file}, line ${place.line}: ${faults.join('; ')}`, {
    details: { file: place.file, line: place.line },
  })
}

function columns(names: string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ')
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : ''
  return names.length === 1 ? `column ${shown} is` : `columns ${shown}${more} are`
}

/** Gone and new columns that are one column under another name: alike in spelling, or alone in the same place. */
function likelyPairs(
  gone: readonly string[],
  added: readonly string[],
  required: readonly string[],
  names: readonly string[],
): Map<string, string> {
  const candidates = gone.flatMap((from) =>
    added.map((to) => {
      const samePlace = required.indexOf(from) === names.indexOf(to) ? 0.5 : 0
      return { from, to, likeness: similarity(from, to) + samePlace }
    }),
  )
  const pairs = new Map<string, string>()
  const taken = new Set<string>()
  for (const { from, to, likeness } of candidates.sort((a, b) => b.likeness - a.likeness)) {
    if (likeness < 0.5 || pairs.has(from) || taken.has(to)) continue
    pairs.set(from, to)
    taken.add(to)
  }
  return pairs
}

/** Share of letter pairs that two names have in common, 0–1; case and punctuation do not count. */
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
