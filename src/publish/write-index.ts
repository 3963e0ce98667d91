import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type Columns, writeColumns } from '../lookup/format/columns.ts'
import { DocumentFile, documentPath, DOCUMENTS_FOLDER } from '../lookup/format/document-file.ts'
import { lockFile } from '../lmdb-file.ts'
import { shardFolders, type ShardPlace } from '../lookup/format/shards.ts'
import { createStore, INDEX_FILE, type Store } from '../lookup/format/store.ts'
import type { OnProgress } from '../progress.ts'
import { addressColumns } from './address-columns.ts'
import { readTexts, textsAsColumns } from './dictionaries.ts'
import { dropGuests, dropNumbered, dropRanked, numberRows, rankRows } from './number-rows.ts'
import { personColumns } from './person-columns.ts'
import { countOf, readLists, rowChunks } from './row-batches.ts'
import { writeNames } from './write-names.ts'
import { writePeople } from './write-people.ts'
import { writeEmails, writePhones } from './write-phones.ts'
import { writeProperties } from './write-properties.ts'

/**
 * Writes the lookup index of `published.*` into a snapshot's folder, which must not contain an index yet: one
 * shard after the other.
 */
export async function writeIndex(
  db: DuckDBConnection,
  snapshotFolder: string,
  shards: number,
  signal: AbortSignal,
  progress: OnProgress = () => undefined,
): Promise<void> {
  try {
    await timed(progress, 'ranks', () => rankRows(db, signal))
    for (const [number, folder] of shardFolders(snapshotFolder, shards).entries())
      await writeShard(db, folder, { number, count: shards }, signal, progress)
  } finally {
    await dropRanked(db)
  }
}

/**
 * Writes one shard of the lookup index into `folder`. Reads `published.*` and the tables of `rankRows`. These
 * may be complete, or have only the rows of the shard (decisions/002-rows-of-a-shard.md). So a shard can be
 * written where only its rows are.
 */
export async function writeShard(
  db: DuckDBConnection,
  folder: string,
  place: ShardPlace,
  signal: AbortSignal,
  progress: OnProgress = () => undefined,
): Promise<void> {
  mkdirSync(join(folder, DOCUMENTS_FOLDER), { recursive: true })
  const store = createStore(folder)
  try {
    await timed(progress, 'numbers', () => numberRows(db, signal, place))
    const counts = {
      people: await countOf(db, 'numbered_people where not is_guest'),
      properties: await countOf(db, 'numbered_properties where not is_guest'),
      addresses: await countOf(db, 'numbered_addresses where not is_guest'),
      places: await countOf(db, 'numbered_places'),
    }
    writeColumns(folder, await writeDocuments(db, folder, counts, signal, progress))
    if (place.count > 1) await dropGuests(db)
    const columns: Partial<Columns> = {
      shard: Uint32Array.of(place.number, place.count),
      recorded_counties: await fipsCodes(db, RECORDED_COUNTIES, signal),
      event_counties: await fipsCodes(db, EVENT_COUNTIES, signal),
      ...(await timed(progress, 'places', () => addressColumns(db, counts, signal, place), counts.addresses)),
      ...(await personColumns(db, counts.people, signal)),
      ...(await timed(progress, 'names', () => writeNames(db, store, counts.people, signal), counts.people)),
    }
    writeColumns(folder, columns)
    writeColumns(folder, await timed(progress, 'phones', () => writePhones(db, folder, place, signal)))
    await timed(progress, 'emails', () => writeEmails(db, store, signal))
    await timed(progress, 'ids', () => writeIds(db, store, signal))
  } finally {
    await store.root.close()
    await dropNumbered(db)
  }
  // Readers create a lock file of their own.
  await rm(lockFile(join(folder, INDEX_FILE)), { force: true })
}

/** Writes the documents of people and properties. Those of guests are removed after they were copied. */
async function writeDocuments(
  db: DuckDBConnection,
  folder: string,
  counts: { readonly people: number; readonly properties: number },
  signal: AbortSignal,
  progress: OnProgress,
): Promise<Partial<Columns>> {
  const writeOwn = () => writePeople(db, folder, { kind: 'people', first: 0, count: counts.people }, signal)
  const peopleStarts = await timed(progress, 'people', writeOwn, counts.people)
  const guestIds = await readTexts(db, GUESTS, signal)
  const first = counts.people
  const writeGuests = () => writePeople(db, folder, { kind: 'guests', first, count: guestIds.length }, signal)
  const guestStarts = await timed(progress, 'guests', writeGuests, guestIds.length)
  const people = new DocumentFile(folder, 'people', peopleStarts)
  const guests = new DocumentFile(folder, 'guests', guestStarts)
  try {
    const documentOf = (person: number) =>
      person < first ? people.read(person) : guests.read(person - first)
    const writeAll = () => writeProperties(db, folder, documentOf, counts.properties, signal)
    const propertyStarts = await timed(progress, 'properties', writeAll, counts.properties)
    const ids = textsAsColumns(guestIds)
    return {
      person_document_start: peopleStarts.start,
      person_document_turns: peopleStarts.turns,
      property_document_start: propertyStarts.start,
      property_document_turns: propertyStarts.turns,
      guest_start: ids.start,
      guest_text: ids.text,
    }
  } finally {
    people.close()
    guests.close()
    await rm(documentPath(folder, 'guests'))
  }
}

const GUESTS = 'select person_id from numbered_people where is_guest order by person_no'

/** Runs `work` and reports its duration, and how many rows it writes, as a detail of the step `publish`. */
export async function timed<T>(
  progress: OnProgress,
  detail: string,
  work: () => Promise<T>,
  rows = 0,
): Promise<T> {
  const started = performance.now()
  const result = await work()
  progress({ step: 'publish', detail, rows, seconds: (performance.now() - started) / 1000 })
  return result
}

const RECORDED_COUNTIES = `
  select distinct try_cast(county_fips as integer) as county from published.coverage
  where parcel_count > 0 or deed_count > 0`
const EVENT_COUNTIES = `select distinct try_cast(county_fips as integer) as county from published.deed_events`

async function fipsCodes(
  db: DuckDBConnection,
  counties: string,
  signal: AbortSignal,
): Promise<Uint32Array<ArrayBuffer>> {
  const select = `select 0, county from (${counties}) where county is not null order by county`
  return (await readLists(db, select, 1, signal)).items
}

async function writeIds(db: DuckDBConnection, store: Store, signal: AbortSignal): Promise<void> {
  const select = `
    select id, number
    from (
      select person_id as id, person_no as number from numbered_people
      union all
      select redirects.old_person_id, people.person_no
      from published.person_redirects as redirects
      join numbered_people as people on people.person_id = redirects.person_id
      where redirects.old_person_id not in (select person_id from numbered_people)
      union all
      select address_id, address_no from numbered_addresses
      union all
      select property_id, property_no from numbered_properties
    )
    order by id`
  const number = Buffer.alloc(4)
  for await (const rows of rowChunks(db, select, signal)) {
    store.root.transactionSync(() => {
      for (let row = 0; row < rows.count; row++) {
        number.writeUInt32LE(rows.integers(1, row))
        store.ids.putSync(Buffer.from(rows.text(0, row)!), number, { append: true })
      }
    })
  }
}
