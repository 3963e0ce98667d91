import { createHash } from 'node:crypto'
import { refusals } from './canonical-rows.ts'
import { type Content, contentsOf } from './content.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import { matchFileName } from './file-names.ts'
import type { LandedFile } from './landing.ts'
import type { LedgerFile } from './ledger.ts'

/** A content that a source reads as one of its kinds. */
export interface Unit {
  readonly content: Content
  readonly kind: FileKind
  readonly groups: Readonly<Record<string, string>>
  /** The id that it had when it was read before with another definition; else null. */
  readonly formerId: number | null
}

/** Raised when the same definition reads files otherwise than in the version before: landed files are then read again. */
const READING_VERSION = 2

/** What a night has to do for one source. */
export interface Plan {
  readonly units: readonly Unit[]
  /** Files of the source that could not even be opened. */
  readonly faults: readonly LandedFile[]
  readonly definitionHash: string
  readonly readings: ReadonlyMap<string, string>
  readonly isDefinitionChanged: boolean
  /** The same for the same definition and the same new files. */
  readonly attempt: string
}

/** Which landed files belong to a source, and which of those are new or must be read again. */
export function planFor(
  source: SourceDefinition,
  files: readonly LandedFile[],
  folders: ReadonlyMap<string, string>,
  known: readonly LedgerFile[],
  before: { definitionHash: string | null; readings: ReadonlyMap<string, string> },
): Plan {
  const definitionHash = hashOfDefinition(source)
  const readings = new Map(source.files.map((kind) => [kind.kind, readingHash(source, kind)]))
  const isRead = new Map(known.map((file) => [keyOf(file), file]))
  const units: Unit[] = []
  const faults: LandedFile[] = []
  for (const file of files) {
    if (!mayBelong(source, file, folders)) continue
    if (file.fault !== null) {
      if (isClaimed(source, file, folders)) faults.push(file)
      continue
    }
    for (const content of contentsOf(file)) {
      for (const kind of source.files) {
        const groups = matchFileName(kind, content.name)
        if (groups === null) continue
        const earlier = isRead.get(contentKey(kind.kind, content))
        const isReadOtherwise =
          before.readings.has(kind.kind) && before.readings.get(kind.kind) !== readings.get(kind.kind)
        if (earlier !== undefined && !isReadOtherwise) continue
        units.push({ content, kind, groups, formerId: earlier?.file_id ?? null })
      }
    }
  }
  const keys = units.map((unit) => contentKey(unit.kind.kind, unit.content))
  return {
    units,
    faults,
    definitionHash,
    readings,
    isDefinitionChanged: before.definitionHash !== null && before.definitionHash !== definitionHash,
    attempt: hashOf([definitionHash, keys.sort(), faults.map((file) => [file.name, file.sha256])]),
  }
}

/** Everything of a definition that decides what is loaded and staged of its files. */
export function hashOfDefinition(source: SourceDefinition): string {
  return hashOf([READING_VERSION, source.codes, source.files])
}

/** Landed files that no source reads any content of. */
export function unclaimed(
  sources: readonly SourceDefinition[],
  files: readonly LandedFile[],
  folders: ReadonlyMap<string, string>,
): string[] {
  return files
    .filter((file) => {
      const mine = sources.filter((source) => mayBelong(source, file, folders))
      if (file.fault !== null) return !mine.some((source) => isClaimed(source, file, folders))
      return !contentsOf(file).some((content) =>
        mine.some((source) => source.files.some((kind) => matchFileName(kind, content.name) !== null)),
      )
    })
    .map((file) => file.name)
}

/** Folder names that stand for a source: its id with `-` for `/` and `.`. */
export function folderNames(sources: readonly { readonly id: string }[]): Map<string, string> {
  return new Map(sources.map((source) => [source.id.replaceAll(/[/.]/g, '-'), source.id]))
}

/** False where the file lies in another source's folder. */
function mayBelong(
  source: SourceDefinition,
  file: LandedFile,
  folders: ReadonlyMap<string, string>,
): boolean {
  const owners = ownersOf(file, folders)
  return owners.length === 0 || owners.includes(source.id)
}

/** Whether a file that cannot be opened is this source's: by its folder, or by its own name. */
function isClaimed(
  source: SourceDefinition,
  file: LandedFile,
  folders: ReadonlyMap<string, string>,
): boolean {
  if (ownersOf(file, folders).includes(source.id)) return true
  const base = file.name.split('/').at(-1) ?? ''
  return source.files.some(({ pattern, archivePattern }) =>
    [pattern, archivePattern].some(
      (each) => each !== undefined && new RegExp(`^(?:${each})$`, 'i').test(base.replace(/\.gz$/i, '')),
    ),
  )
}

function ownersOf(file: LandedFile, folders: ReadonlyMap<string, string>): string[] {
  return file.name
    .split('/')
    .slice(0, -1)
    .flatMap((part) => folders.get(part) ?? [])
}

function keyOf(file: LedgerFile): string {
  return [file.kind, file.file_name, file.member ?? '', file.container_sha256].join('\n')
}

function contentKey(kind: string, { file, member }: Content): string {
  return [kind, file.name, member ?? '', file.sha256].join('\n')
}

/** Everything that decides which raw rows a file makes. */
function readingHash(source: SourceDefinition, kind: FileKind): string {
  const { rows: _rows, supersedes: _supersedes, ...reading } = kind
  // Only rules about codes make the code tables matter for reading.
  const codes = JSON.stringify([reading.refuse, reading.identity]).includes('odes"') ? source.codes : {}
  // Refusals also follow from what rows make of a column: an identifier, or a value of a closed list.
  return hashOf([READING_VERSION, reading, codes, refusals(source, kind)])
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
