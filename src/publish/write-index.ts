import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type Columns, writeColumns } from '../lookup/format/columns.ts'
import { DocumentFile, DOCUMENTS_FOLDER } from '../lookup/format/document-file.ts'
import { lockFile } from '../lmdb-file.ts'
import { createStore, INDEX_FILE, type Store } from '../lookup/format/store.ts'
import type { OnProgress } from '../progress.ts'
import { addressColumns } from './address-columns.ts'
import { dropNumbered, numberRows } from './number-rows.ts'
import { personColumns } from './person-columns.ts'
import { countOf, readLists, rowChunks } from './row-batches.ts'
import { writeNames } from './write-names.ts'
import { writePeople } from './write-people.ts'
import { writeEmails, writePhones } from './write-phones.ts'
import { writeProperties } from './write-properties.ts'

/** Writes the lookup index of `published.*` into `folder`, which must not contain an index yet. */
export async function writeIndex(
  db: DuckDBConnection,
  folder: string,
  signal: AbortSignal,
  progress: OnProgress = () => undefined,
): Promise<void> {
  mkdirSync(join(folder, DOCUMENTS_FOLDER), { recursive: true })
  const store = createStore(folder)
  try {
    await timed(progress, 'numbers', () => numberRows(db, signal))
    const counts = {
      people: await countOf(db, 'numbered_people'),
      addresses: await countOf(db, 'numbered_addresses'),
      places: await countOf(db, 'numbered_places'),
      properties: await countOf(db, 'numbered_properties'),
    }
    const columns: Partial<Columns> = {
      recorded_counties: await fipsCodes(db, RECORDED_COUNTIES, signal),
      event_counties: await fipsCodes(db, EVENT_COUNTIES, signal),
      ...(await timed(progress, 'places', () => addressColumns(db, counts, signal), counts.addresses)),
      ...(await personColumns(db, counts.people, signal)),
      ...(await timed(progress, 'names', () => writeNames(db, store, counts.people, signal), counts.people)),
    }
    writeColumns(folder, columns)
    const writeDocuments = () => writePeople(db, folder, counts.people, signal)
    const documents = await timed(progress, 'people', writeDocuments, counts.people)
    writeColumns(folder, {
      person_document_start: documents.start,
      person_document_turns: documents.turns,
    })
    const people = new DocumentFile(folder, 'people', documents)
    try {
      const writeAll = () => writeProperties(db, folder, people, counts.properties, signal)
      const { start, turns } = await timed(progress, 'properties', writeAll, counts.properties)
      writeColumns(folder, { property_document_start: start, property_document_turns: turns })
    } finally {
      people.close()
    }
    writeColumns(folder, await timed(progress, 'phones', () => writePhones(db, folder, signal)))
    await timed(progress, 'emails', () => writeEmails(db, store, signal))
    await timed(progress, 'ids', () => writeIds(db, store, signal))
  } finally {
    await store.root.close()
    await dropNumbered(db)
  }
  // Readers create a lock file of their own.
  await rm(lockFile(join(folder, INDEX_FILE)), { force: true })
}

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
