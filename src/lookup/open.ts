import { AppError, messageOf } from '../errors.ts'
import { packDate } from './format/birth.ts'
import { checkLengths, type Columns, loadColumns, readColumns } from './format/columns.ts'
import { type Manifest, readOurManifest } from './format/manifest.ts'
import { personId, writeDetails } from './format/person-document.ts'
import { personOfId } from './format/person-ids.ts'
import { propertyPeople, writePropertyDetails, writePropertyResult } from './format/property-document.ts'
import { shardFolders } from './format/shards.ts'
import { numberOfId } from './format/store.ts'
import type { Suppressed } from './format/suppressed.ts'
import { Identifier } from './identify/identify.ts'
import type { Lookup } from './lookup.ts'
import { PersonParts } from './person/person-parts.ts'
import { writePersonV1 } from './person/person-v1.ts'
import { phoneBody } from './phone/phone-body.ts'
import { findProperty, type Located, propertyAt } from './property/find-property.ts'
import { writePropertyV1 } from './property/property-v1.ts'
import { findPeople } from './search/find-people.ts'
import { listedDocument, occupantsOf, personDocument, propertyDocument } from './snapshot/documents.ts'
import { closeIndex } from './snapshot/snapshot-index.ts'
import {
  homeOf,
  numberOfOccupant,
  numberOfPerson,
  openSnapshot,
  type Snapshot,
  suppress,
} from './snapshot/snapshot.ts'
import { findSuppressed, type Suppression } from './suppress/find-suppressed.ts'

/** The columns of each shard of a snapshot. */
export type SnapshotColumns = readonly Columns[]

/** Reads the columns of a snapshot into memory that threads share. Pass them to `openLookup` in other threads. */
export function sharedColumns(snapshotFolder: string): SnapshotColumns {
  const { shards } = readOurManifest(snapshotFolder)
  try {
    return shardFolders(snapshotFolder, shards).map((folder) => readColumns(folder, true))
  } catch (cause) {
    throw notWhole(snapshotFolder, cause)
  }
}

/**
 * Opens one snapshot for reading. Checks the sizes of files and the lengths of columns, but not their
 * contents (verify/verifier.ts does). `columns` may come from another thread.
 * @throws `bad_snapshot` when a file is missing or has another size; `other_version` when another version of Platbook made the snapshot.
 */
export function openLookup(
  snapshotFolder: string,
  columns?: SnapshotColumns,
  suppressed: Suppressed | null = null,
): Lookup {
  const manifest = readOurManifest(snapshotFolder)
  const snapshot = openShards(snapshotFolder, columns, manifest)
  suppress(snapshot, suppressed)
  const { out, shards } = snapshot
  let identifier: Identifier | null = null
  return {
    version: manifest.version,
    recordedCounties: fipsCodes(shards.map(({ index }) => index.columns.recorded_counties)),
    eventCounties: fipsCodes(shards.map(({ index }) => index.columns.event_counties)),
    findPeople: (query, today, version = 2) => findPeople(snapshot, query, packDate(today), version),
    person(id, today, version = 2) {
      const found = documentOfId(snapshot, id)
      if (found === null) return null
      out.reset()
      if (version === 1) writePersonV1(out, snapshot, found.person, found.document, null)
      else writeDetails(out, found.document, packDate(today))
      return out.take()
    },
    findProperty(query, today, version = 2) {
      const match = findProperty(snapshot, query)
      if (match === null) return null
      const { shard } = match
      const document = propertyDocument(snapshot, shard, match.property)
      out.reset()
      writePropertyResult(out, document, match, occupantsOf(snapshot, shard, packDate(today)))
      const found = out.take()
      if (version === 2) return found
      writePropertyV1(out, found, propertyPeople(document), (occupant) =>
        writeFirstForm(snapshot, numberOfOccupant(snapshot, shard, occupant)),
      )
      return out.take()
    },
    property(id, today) {
      const found = propertyOf(snapshot, id)
      if (found === null) return null
      const document = propertyDocument(snapshot, found.shard, found.property)
      out.reset()
      writePropertyDetails(out, document, occupantsOf(snapshot, found.shard, packDate(today)))
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
    personParts: (person, today) => new PersonParts(listedDocument(snapshot, person), packDate(today)),
    personNumber: (id) => (id.startsWith('P') ? personOf(snapshot, id) : null),
    personCount: snapshot.personCount,
    get suppressed() {
      return snapshot.suppressed
    },
    mayBeSuppressed(id) {
      if (snapshot.suppressed === null) return false
      const person = id.startsWith('P') ? numberOfPerson(snapshot, id) : null
      return person === null || snapshot.suppressed.people[person] === 1
    },
    async suppress(list) {
      suppress(snapshot, await findSuppressed(snapshot, list))
      return snapshot.suppressed
    },
    close() {
      for (const { index } of shards) closeIndex(index)
    },
  }
}

function fipsCodes(counties: readonly Uint32Array[]): ReadonlySet<string> {
  return new Set(counties.flatMap((list) => Array.from(list, (fips) => String(fips).padStart(5, '0'))))
}

/**
 * Opens a snapshot like `openLookup`, but reads the columns without blocking the event loop, so a service can
 * go on answering.
 */
export async function loadLookup(snapshotFolder: string): Promise<Lookup> {
  const { shards } = readOurManifest(snapshotFolder)
  const columns: Columns[] = []
  for (const folder of shardFolders(snapshotFolder, shards)) {
    columns.push(
      await loadColumns(folder).catch((cause: unknown) => {
        throw notWhole(folder, cause)
      }),
    )
  }
  return openLookup(snapshotFolder, columns)
}

function openShards(
  snapshotFolder: string,
  given: SnapshotColumns | undefined,
  { rows, shards: count }: Manifest,
): Snapshot {
  const folders = shardFolders(snapshotFolder, count)
  try {
    const columns = given ?? folders.map((folder) => readColumns(folder))
    let people = 0
    for (const [number, one] of columns.entries()) {
      checkLengths(one, { number, count })
      people += one.person_birth.length
    }
    const wanted = rows['people'] ?? 0
    if (people !== wanted) throw new Error(`it has ${people} people, its manifest ${wanted}`)
    return openSnapshot(folders, columns)
  } catch (cause) {
    throw notWhole(snapshotFolder, cause)
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
  const person = numberOfPerson(snapshot, id)
  return person === null || snapshot.suppressed?.people[person] === 1 ? null : person
}

/**
 * Returns the document of a person by id, possibly one that was merged away; null for unknown and suppressed
 * people.
 */
function documentOfId(snapshot: Snapshot, id: string): { person: number; document: Buffer } | null {
  const { index, firstPerson, hidden } = homeOf(snapshot, id)
  const likely = personOfId(index.columns, id)
  if (likely >= 0 && hidden?.[likely] !== 1) {
    const person = firstPerson + likely
    const document = personDocument(snapshot, person)
    if (personId(document) === id) return { person, document }
  }
  const person = personOf(snapshot, id)
  return person === null ? null : { person, document: personDocument(snapshot, person) }
}

function propertyOf(snapshot: Snapshot, id: string): Located | null {
  if (id.startsWith('A')) return propertyAt(snapshot.shards, id)
  const shard = homeOf(snapshot, id)
  const property = numberOfId(shard.index.store, id)
  return property === null ? null : { shard, property }
}

function writeFirstForm(snapshot: Snapshot, person: number): void {
  writePersonV1(snapshot.out, snapshot, person, personDocument(snapshot, person), null)
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
