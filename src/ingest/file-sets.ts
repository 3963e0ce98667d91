import type { AppError } from '../errors.ts'
import type { Content } from './content.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import { matchArchiveName } from './file-names.ts'
import type { LandedFile } from './landing.ts'

/** A content that a source reads as one of its kinds. */
export interface Unit {
  readonly content: Content
  readonly kind: FileKind
  readonly groups: Readonly<Record<string, string>>
  /** The id of the loaded file that is read again because its definition changed; else null. */
  readonly formerId: number | null
  /** The operator accepted the file whatever it differs from the loads before it. */
  readonly isAccepted: boolean
  /** Why the file fails before it is read; null for most. */
  readonly fault: AppError | null
}

/** Files that are loaded, held or refused together. Most sets are one file. */
export interface FileSet {
  readonly key: string
  readonly units: readonly Unit[]
  /** Files of the set that could not even be opened. */
  readonly faults: readonly LandedFile[]
  /** The same for the same files and the same definition. */
  readonly attempt: string
}

interface OpenSet {
  readonly key: string
  readonly units: Unit[]
  readonly faults: LandedFile[]
}

/**
 * Puts files into sets. Kinds that the definition declares as belonging together form a set where the groups of their
 * names are equal: the files of one day. An archive that cannot be opened belongs to each set that it may be a part of.
 */
export function fileSets(
  source: SourceDefinition,
  units: readonly Unit[],
  faults: readonly LandedFile[],
  attemptOf: (set: OpenSet) => string,
): FileSet[] {
  const sets = new Map<string, OpenSet>()
  for (const unit of units) {
    const key = keyOf(source, unit)
    const set = sets.get(key) ?? { key, units: [], faults: [] }
    set.units.push(unit)
    sets.set(key, set)
  }
  for (const file of faults) {
    const own = [...sets.values()].filter((set) => mayHold(source, file, set))
    for (const { key } of own) sets.delete(key)
    const key = `unreadable ${file.name}`
    sets.set(key, {
      key,
      units: own.flatMap((set) => set.units),
      faults: [...own.flatMap((set) => set.faults), file],
    })
  }
  return [...sets.values()].map((set) => ({ ...set, attempt: attemptOf(set) }))
}

function keyOf(source: SourceDefinition, { content, kind, groups }: Unit): string {
  const declared = source.together.findIndex((kinds) => kinds.includes(kind.kind))
  // A correction joins a file that is loaded already: its fate is its own.
  if (declared < 0 || content.file.correction !== null)
    return `file ${content.file.name}\n${content.member ?? ''}`
  const named = Object.entries(groups).sort(([a], [b]) => (a < b ? -1 : 1))
  return `together ${declared} ${JSON.stringify(named)}`
}

/** Whether a file that cannot be opened may hold files of a declared set, as far as its name says. */
function mayHold(source: SourceDefinition, file: LandedFile, set: OpenSet): boolean {
  const [first] = set.units
  const kinds = source.together.find((each) => first !== undefined && each.includes(first.kind.kind))
  if (first === undefined || kinds === undefined) return false
  return source.files.some((kind) => {
    if (!kinds.includes(kind.kind)) return false
    const groups = matchArchiveName(kind, file.name)
    if (groups === null) return false
    return Object.entries(groups).every(([name, text]) => (first.groups[name] ?? text) === text)
  })
}
