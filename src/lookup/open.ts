import { join } from 'node:path'
import { AppError, messageOf } from '../errors.ts'
import { packDate } from './format/birth.ts'
import { checkLengths, type Columns, loadColumns, readColumns } from './format/columns.ts'
import { type Manifest, readOurManifest } from './format/manifest.ts'
import { personId, writeDetails } from './format/person-document.ts'
import { personOfId } from './format/person-ids.ts'
import { propertyPeople, writePropertyDetails, writePropertyResult } from './format/property-document.ts'
import { numberOfId } from './format/store.ts'
import type { Suppressed } from './format/suppressed.ts'
import { Identifier } from './identify/identify.ts'
import type { Lookup } from './lookup.ts'
import { PersonParts } from './person/person-parts.ts'
import { writePersonV1 } from './person/person-v1.ts'
import { phoneBody } from './phone/phone-body.ts'
import { findProperty } from './property/find-property.ts'
import { writePropertyV1 } from './property/property-v1.ts'
import { findPeople } from './search/find-people.ts'
import { listedDocument, occupantsOf, personDocument, propertyDocument } from './snapshot/documents.ts'
import { closeIndex, type Index } from './snapshot/snapshot-index.ts'
import { openSnapshot, type Snapshot } from './snapshot/snapshot.ts'
import { findSuppressed, type Suppression } from './suppress/find-suppressed.ts'

/** Reads the columns of a snapshot into memory that threads share. Pass them to `openLookup` in other threads. */
export function sharedColumns(snapshotFolder: string): Columns {
  readOurManifest(snapshotFolder)
  const folder = join(snapshotFolder, 'lookup')
  try {
    return readColumns(folder, true)
  } catch (cause) {
    throw notWhole(folder, cause)
  }
}

/**
 * Opens one snapshot for reading. Checks the sizes of files and the lengths of columns, but not their
 * contents (verify/verifier.ts does). `columns` may come from another thread.
 * @throws `bad_snapshot` when a file is missing or has another size; `other_version` when another version of Platbook made the snapshot.
 */
export function openLookup(
  snapshotFolder: string,
  columns?: Columns,
  suppressed: Suppressed | null = null,
): Lookup {
  const manifest = readOurManifest(snapshotFolder)
  const snapshot = openFolder(join(snapshotFolder, 'lookup'), columns, manifest)
  snapshot.suppressed = suppressed
  const { index, workspace } = snapshot
  const { out } = workspace
  let identifier: Identifier | null = null
  return {
    version: manifest.version,
    recordedCounties: fipsCodes(index.columns.recorded_counties),
    eventCounties: fipsCodes(index.columns.event_counties),
    findPeople: (query, today, version = 2) => findPeople(snapshot, query, packDate(today), version),
    person(id, today, version = 2) {
      const found = documentOfId(snapshot, id)
      if (found === null) return null
      out.reset()
      if (version === 1) writePersonV1(out, index, found.person, found.document, null)
      else writeDetails(out, found.document, packDate(today))
      return out.take()
    },
    findProperty(query, today, version = 2) {
      const match = findProperty(index, workspace, query)
      if (match === null) return null
      const document = propertyDocument(snapshot, match.property)
      out.reset()
      writePropertyResult(out, document, match, occupantsOf(snapshot, packDate(today)))
      const found = out.take()
      if (version === 2) return found
      writePropertyV1(out, found, propertyPeople(document), (person) => writeFirstForm(snapshot, person))
      return out.take()
    },
    property(id, today) {
      const property = propertyOf(index, id)
      if (property === null) return null
      const document = propertyDocument(snapshot, property)
      out.reset()
      writePropertyDetails(out, document, occupantsOf(snapshot, packDate(today)))
      return out.take()
    },
    phone: (phone, today) => phoneBody(snapshot, phone, packDate(today)),
    readClues(rows, today, weighsSuppressed) {
      identifier ??= new Identifier(snapshot)
      return identifier.read(rows, today, weighsSuppressed)
    },
    identify(read, today) {
      identifier ??= new Identifier(snapshot)
      return identifier.identify(read, today)
    },
    personParts: (person, today) => new PersonParts(listedDocument(index, person), packDate(today)),
    personNumber: (id) => (id.startsWith('P') ? personOf(snapshot, id) : null),
    personCount: index.personCount,
    get suppressed() {
      return snapshot.suppressed
    },
    mayBeSuppressed(id) {
      if (snapshot.suppressed === null) return false
      const person = id.startsWith('P') ? numberOfId(index.store, id) : null
      return person === null || snapshot.suppressed.people[person] === 1
    },
    async suppress(list) {
      snapshot.suppressed = await findSuppressed(index, workspace, list)
      return snapshot.suppressed
    },
    close() {
      closeIndex(index)
    },
  }
}

function fipsCodes(counties: Uint32Array): ReadonlySet<string> {
  return new Set(Array.from(counties, (fips) => String(fips).padStart(5, '0')))
}

/**
 * Opens a snapshot like `openLookup`, but reads the columns without blocking the event loop, so a service can
 * go on answering.
 */
export async function loadLookup(snapshotFolder: string): Promise<Lookup> {
  readOurManifest(snapshotFolder)
  const folder = join(snapshotFolder, 'lookup')
  const columns = await loadColumns(folder).catch((cause: unknown) => {
    throw notWhole(folder, cause)
  })
  return openLookup(snapshotFolder, columns)
}

function openFolder(folder: string, given: Columns | undefined, { rows }: Manifest): Snapshot {
  try {
    const columns = given ?? readColumns(folder)
    checkLengths(columns, rows['people'] ?? 0)
    return openSnapshot(folder, columns)
  } catch (cause) {
    throw notWhole(folder, cause)
  }
}

function notWhole(folder: string, cause: unknown): AppError {
  return new AppError(
    'bad_snapshot',
    `${folder} can't be opened (${messageOf(cause)}): run \`platbook nightly\`, which publishes it anew`,
    { cause },
  )
}

function personOf(snapshot: Snapshot, id: string): number | null {
  const person = numberOfId(snapshot.index.store, id)
  return person === null || snapshot.suppressed?.people[person] === 1 ? null : person
}

/**
 * Returns the document of a person by id, possibly one that was merged away; null for unknown and suppressed
 * people.
 */
function documentOfId(snapshot: Snapshot, id: string): { person: number; document: Buffer } | null {
  const likely = personOfId(snapshot.index.columns, id)
  if (likely >= 0 && snapshot.suppressed?.people[likely] !== 1) {
    const document = personDocument(snapshot, likely)
    if (personId(document) === id) return { person: likely, document }
  }
  const person = personOf(snapshot, id)
  return person === null ? null : { person, document: personDocument(snapshot, person) }
}

function propertyOf(index: Index, id: string): number | null {
  const number = numberOfId(index.store, id)
  if (number === null || !id.startsWith('A')) return number
  const property = index.columns.address_property[number]!
  return property === 0 ? null : property - 1
}

function writeFirstForm(snapshot: Snapshot, person: number): void {
  writePersonV1(snapshot.workspace.out, snapshot.index, person, personDocument(snapshot, person), null)
}

/**
 * Returns the people of a snapshot whom `list` suppresses; null when there are none. Opens the snapshot for
 * this and closes it again.
 */
export async function suppressedIn(
  snapshotFolder: string,
  list: readonly Suppression[],
): Promise<Suppressed | null> {
  const lookup = await loadLookup(snapshotFolder)
  try {
    const found = await lookup.suppress(list)
    return found === null || (found.ids.size === 0 && found.phones.size === 0) ? null : found
  } finally {
    lookup.close()
  }
}
