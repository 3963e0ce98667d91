import type { AppError } from '../errors.ts'
import type { Content } from './content.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import { matchArchiveName } from './file-names.ts'
import type { LandedFile } from './landing.ts'

/** A file, or a member of a zip, that a source reads as one of its kinds. */
export interface Unit {
  readonly content: Content
  readonly kind: FileKind
  readonly groups: Readonly<Record<string, string>>
  /** The ledger id of a loaded file that is read again because its definition changed. Null for a new file. */
  readonly formerId: number | null
  /** True when the operator accepted the file. It is then loaded although it differs from earlier loads. */
  readonly isAccepted: boolean
  /** The reason why the file fails before it is read, or null. */
  readonly fault: AppError | null
}

/** Files that are loaded, held for the operator, or refused together. Most sets have one file. */
export interface FileSet {
  readonly key: string
  readonly units: readonly Unit[]
  /** Files of the set that cannot be opened. */
  readonly faults: readonly LandedFile[]
  /** A hash of the files and of the definition. A failed or held set is tried again only when its hash changes. */
  readonly attempt: string
}

interface OpenSet {
  readonly key: string
  readonly units: Unit[]
  readonly faults: LandedFile[]
}

/**
 * Groups files into sets. Files of kinds that the definition lists in `together` form one set when the named groups
 * in their file names are equal, for example the date. An archive that cannot be opened joins all sets of which it
 * may contain files.
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
  // A correction changes a file that is already loaded, so it is a set of its own.
  if (declared < 0 || content.file.correction !== null)
    return `file ${content.file.name}\n${content.member ?? ''}`
  const named = Object.entries(groups).sort(([a], [b]) => (a < b ? -1 : 1))
  return `together ${declared} ${JSON.stringify(named)}`
}

/** Returns true when the name of a file that cannot be opened allows that the file contains files of the set. */
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
