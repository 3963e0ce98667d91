import { createHash } from 'node:crypto'
import { AppError } from '../errors.ts'
import { refusals } from './canonical-rows.ts'
import { type Content, contentsOf, shownName } from './content.ts'
import { type Decision, decisionKey } from './decision.ts'
import type { Correction } from './corrections.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import { type FileSet, fileSets, type Unit } from './file-sets.ts'
import { matchFileName } from './file-names.ts'
import type { LandedFile } from './landing.ts'
import { type FileRecord, isWaiting } from './ledger.ts'
import { type SharedContents, sharedFault } from './shared-files.ts'
import { ownersOf } from './source-folders.ts'

/**
 * Increase this when the code reads the same file with the same definition in another way. The next run then reads
 * all landed files again.
 */
const READING_VERSION = 2

/** The work of one run for one source. The ledger has the results of earlier runs. */
export interface Plan {
  /** The files to load. The files of one set are loaded or refused together. */
  readonly sets: readonly FileSet[]
  /** Hashes (`FileSet.attempt`) of sets that failed or wait for the operator, and have not changed since. */
  readonly waiting: ReadonlySet<string>
  /** Files that the operator has accepted since the last run. Their rows are already in raw. */
  readonly accepted: readonly FileRecord[]
  /** Files that the operator rejected and that the ledger does not list yet. */
  readonly rejected: readonly Unit[]
  readonly decisions: readonly Decision[]
  readonly definitionHash: string
  readonly readings: ReadonlyMap<string, string>
  readonly isDefinitionChanged: boolean
  /** A hash of the definition and of `sets`. */
  readonly attempt: string
}

/** Compares the landed files with the ledger. Returns the work for one source. */
export function planFor(
  source: SourceDefinition,
  files: readonly LandedFile[],
  folders: ReadonlyMap<string, string>,
  known: readonly FileRecord[],
  before: {
    definitionHash: string | null
    readings: ReadonlyMap<string, string>
    decisions: readonly Decision[]
  },
  shared: SharedContents,
): Plan {
  const definitionHash = hashOfDefinition(source)
  const readings = new Map(source.files.map((kind) => [kind.kind, readingHash(source, kind)]))
  const settled = new Map(known.filter((file) => !isWaiting(file)).map((file) => [keyOf(file), file]))
  const decided = new Map(before.decisions.map((each) => [decisionKey(each), each]))
  const units: Unit[] = []
  const rejected: Unit[] = []
  const faults: LandedFile[] = []
  for (const file of files) {
    if (file.correction !== null ? !isOwnCorrection(source, file) : !mayBelong(source, file, folders))
      continue
    if (file.fault !== null) {
      const isRejected =
        decided.get(decisionKey({ sha256: file.sha256, member: null }))?.decision === 'reject'
      if (isClaimed(source, file, folders) && !isRejected) faults.push(file)
      continue
    }
    for (const content of contentsOf(file)) {
      const decision = decided.get(decisionKey({ sha256: file.sha256, member: content.member }))?.decision
      for (const kind of source.files) {
        const groups = groupsOf(kind, content)
        if (groups === null) continue
        const earlier = settled.get(contentKey(kind.kind, content))
        const isReadOtherwise =
          before.readings.has(kind.kind) && before.readings.get(kind.kind) !== readings.get(kind.kind)
        const isRead = earlier !== undefined && ['loaded', 'repeated', 'empty'].includes(earlier.status)
        if (earlier !== undefined && !(isRead && isReadOtherwise)) continue
        const isAccepted = decision === 'accept' || decision === 'accept_always'
        const readers = earlier === undefined ? shared.get(shownName(content)) : undefined
        const fault = readers === undefined ? null : new AppError('source_unreadable', sharedFault(readers))
        const unit = { content, kind, groups, formerId: earlier?.file_id ?? null, isAccepted, fault }
        if (decision === 'reject' && earlier === undefined) rejected.push(unit)
        else units.push(unit)
      }
    }
  }
  const judgedBy = hashOf([
    definitionHash,
    source.refusedLimit,
    source.together,
    source.limits,
    source.files.map(({ limits }) => limits),
  ])
  const present = new Set([...known.filter(isCorrectable).map(fileKey), ...units.map(unitKey)])
  const attemptOf = (set: Pick<FileSet, 'units' | 'faults'>): string =>
    hashOf([
      judgedBy,
      // A correction is tried again when the file that it corrects was added or removed.
      ...set.units.flatMap(({ content, kind }) =>
        content.file.correction === null
          ? []
          : [present.has(correctedKey(kind.kind, content.file.correction))],
      ),
      set.units.map((unit) => contentKey(unit.kind.kind, unit.content)).sort(),
      set.faults.map((file) => [file.name, file.sha256]),
      set.units.flatMap(({ fault }) => fault?.message ?? []),
    ])
  const sets = fileSets(source, units, faults, attemptOf)
  const tried = new Map(known.filter(isWaiting).map((file) => [file.attempt, file.status]))
  const isTried = ({ attempt }: FileSet): boolean => tried.has(attempt)
  const isAcceptedNow = (set: FileSet): boolean =>
    tried.get(set.attempt) === 'held' && set.units.some((unit) => unit.isAccepted)
  const accepted = new Set(sets.filter(isAcceptedNow).map((set) => set.attempt))
  const fresh = sets.filter((set) => !isTried(set))
  return {
    sets: fresh,
    waiting: new Set(sets.filter(isTried).map((set) => set.attempt)),
    accepted: known.filter(
      (file) => file.status === 'held' && file.attempt !== null && accepted.has(file.attempt),
    ),
    rejected,
    decisions: before.decisions,
    definitionHash,
    readings,
    isDefinitionChanged: before.definitionHash !== null && before.definitionHash !== definitionHash,
    attempt: hashOf([definitionHash, fresh.map((set) => set.attempt)]),
  }
}

/** Returns a hash of the parts of a definition that decide which raw and staging rows files give. */
export function hashOfDefinition(source: SourceDefinition): string {
  const files = source.files.map(({ limits: _limits, ...kind }) => kind)
  return hashOf([READING_VERSION, source.codes, files])
}

/**
 * Returns the named groups of the kind's pattern in a file name, or null when the kind does not read the file.
 * Returns {} for a correction, which later gets the groups of the file that it corrects.
 */
function groupsOf(kind: FileKind, content: Content): Record<string, string> | null {
  const { correction } = content.file
  if (correction === null) return matchFileName(kind, content.name)
  return correction.kind === kind.kind ? {} : null
}

function isOwnCorrection(source: SourceDefinition, { correction }: LandedFile): boolean {
  return source.id === correction?.source_id && source.files.some(({ kind }) => kind === correction.kind)
}

/** Returns true when a correction can replace quarantined lines of the file. */
export function isCorrectable({ status }: Pick<FileRecord, 'status'>): boolean {
  return status === 'loaded' || status === 'repeated' || status === 'held'
}

/** Returns a key of kind, hash and zip member. A file with corrected lines names these of the file that it corrects. */
export function fileKey(file: Pick<FileRecord, 'kind' | 'container_sha256' | 'member'>): string {
  return [file.kind, file.container_sha256, file.member ?? ''].join('\n')
}

export function correctedKey(kind: string, { corrects }: Correction): string {
  return fileKey({ kind, ...corrects })
}

function unitKey({ kind, content }: Unit): string {
  return fileKey({ kind: kind.kind, container_sha256: content.file.sha256, member: content.member })
}

/** Returns the names of landed files that no source reads. */
export function unclaimed(
  sources: readonly SourceDefinition[],
  files: readonly LandedFile[],
  folders: ReadonlyMap<string, string>,
): string[] {
  return files
    .filter((file) => {
      if (file.correction !== null) return !sources.some((source) => isOwnCorrection(source, file))
      const mine = sources.filter((source) => mayBelong(source, file, folders))
      if (file.fault !== null) return !mine.some((source) => isClaimed(source, file, folders))
      return !contentsOf(file).some((content) =>
        mine.some((source) => source.files.some((kind) => matchFileName(kind, content.name) !== null)),
      )
    })
    .map((file) => file.name)
}

/** Returns false when the file lies in another source's landing folder. */
function mayBelong(
  source: SourceDefinition,
  file: LandedFile,
  folders: ReadonlyMap<string, string>,
): boolean {
  const owners = ownersOf(file, folders)
  return owners.length === 0 || owners.includes(source.id)
}

/** Returns true when a file that cannot be opened belongs to the source, by its folder or by its own name. */
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

function keyOf(file: FileRecord): string {
  return [file.kind, file.file_name, file.member ?? '', file.container_sha256].join('\n')
}

function contentKey(kind: string, { file, member }: Content): string {
  return [kind, file.name, member ?? '', file.sha256].join('\n')
}

/** Returns a hash of the parts of a definition that decide which raw rows and refused rows a file gives. */
function readingHash(source: SourceDefinition, kind: FileKind): string {
  const { rows: _rows, supersedes: _supersedes, limits: _limits, ...reading } = kind
  // The code tables affect reading only when a rule or the identity uses them.
  const codes = JSON.stringify([reading.refuse, reading.identity]).includes('odes"') ? source.codes : {}
  // Staging columns affect reading too: rows with a damaged identifier or an unlisted value are refused.
  return hashOf([READING_VERSION, reading, codes, refusals(source, kind)])
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
