import { execFile } from 'node:child_process'
import { cp, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { openEventArchive } from '../../src/events/archive.ts'
import { silentLog } from '../../src/log.ts'
import { readColumns } from '../../src/lookup/format/columns.ts'
import { readManifest } from '../../src/lookup/format/manifest.ts'
import { currentSnapshot, loadLookup, type Suppression } from '../../src/lookup/index.ts'
import { verifySnapshot } from '../../src/lookup/index.ts'
import { filesBelow } from '../../src/publish/manifest.ts'
import { publish } from '../../src/publish/publish.ts'
import { purgeSnapshots } from '../../src/publish/purge.ts'
import { PUBLISHED_TABLES } from '../../src/publish/tables.ts'
import { loadChecks } from '../../src/warehouse/models.ts'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { deedEvent, eventId, SEARCHING } from '../support/deed-events.ts'
import { withFolder } from '../support/folder.ts'
import { heldOpen } from '../support/held-open.ts'
import { inventedSnapshot } from '../support/invented-snapshot.ts'
import { inventedWorld } from '../support/invented-world.ts'
import {
  givenPublished,
  INVENTED,
  leavingOut,
  PUBLISHED_ON,
  type PublishedRows,
} from '../support/published.ts'
import { type Cell, rowsOf, withWarehouse } from '../support/warehouse.ts'

const run = promisify(execFile)

const ZENOBIA = 'P0000000900'
const OF_ZENOBIA = { phone: '15125550977', email: 'zenobia@quillfeather.example', address: 'A0000000900' }
/** Texts that only Zenobia has; one of her phones is her husband's too. */
const TRACES = [
  /zenobia/i,
  /quillfeather/i,
  /5125550977/,
  /\(512\) 555-0977/,
  /9001 quill/i,
  /P0000000900/,
  /P0000000999/,
]

const place = (address_id: string, house_number: string, street_name: string, line1: string) => ({
  address_id, full_address: `${line1}, Austin, TX 78745`, line1, city: 'Austin', state: 'TX', zip: '78745', house_number,
  street_name, street_suffix: 'LN', building_key: `${house_number} ${street_name} LN|78745`, county_fips: '48453',
  county_name: 'Travis',
}) // prettier-ignore

const parties = (...of: [role: string, name: string, person_id: string | null][]): string =>
  `[${of.map(([role, name, id]) => `{'role': '${role}', 'name': '${name}', 'type': 'individual', 'person_id': ${id === null ? 'NULL' : `'${id}'`}, 'full_address': NULL}`).join(', ')}]` // prettier-ignore

/** The invented world, and Zenobia in every table of it. */
function worldWithZenobia(): PublishedRows {
  const world = inventedWorld()
  const add = (name: keyof PublishedRows, ...rows: Record<string, Cell>[]): void => {
    world[name] = [...(world[name] ?? []), ...rows]
  }
  const person_id = ZENOBIA
  add('people', { person_id, name: 'Zenobia Quillfeather', first_name: 'ZENOBIA', last_name: 'QUILLFEATHER', aliases: ['Zenobia Jones'], date_of_birth: '1961-03-04', is_dead: false, completeness: 60, source_count: 1, mention_count: 1 }) // prettier-ignore
  add('person_names', { person_id, first_name: 'ZENOBIA', last_name: 'QUILLFEATHER', is_primary: true })
  add('addresses', place(OF_ZENOBIA.address, '9001', 'QUILL', '9001 Quill Ln'))
  add('person_addresses', { person_id, address_id: OF_ZENOBIA.address, is_current: true, score: 90, first_seen_on: '2020-01-01', last_seen_on: '2026-05-01' }) // prettier-ignore
  add('phones', { phone: OF_ZENOBIA.phone, national_format: '(512) 555-0977', line_type: 'mobile' })
  for (const phone of [OF_ZENOBIA.phone, INVENTED.sharedPhone])
    add('person_phones', { person_id, phone, line_type: 'mobile', score: 80, last_seen_on: '2026-05-01' })
  add('phone_names', {
    phone: OF_ZENOBIA.phone,
    name: 'Z Quillfeather',
    score: 30,
    last_seen_on: '2025-01-01',
  })
  add('person_emails', { person_id, email: OF_ZENOBIA.email, score: 80, last_seen_on: '2026-05-01' })
  add('relatives', { person_id, relative_id: INVENTED.john, reason: 'address', score: 70 }, { person_id: INVENTED.john, relative_id: person_id, reason: 'address', score: 70 }) // prettier-ignore
  add('residents', { property_id: INVENTED.house, person_id, score: 40 })
  add('property_owners', { property_id: INVENTED.lot, owner_sequence: 1, person_id, owner_name: 'QUILLFEATHER ZENOBIA', owner_type: 'individual' }, { property_id: INVENTED.lot, owner_sequence: 2, owner_name: 'Zenobia Quillfeather Trust', owner_type: 'trust' }, { property_id: INVENTED.lot, owner_sequence: 3, person_id: INVENTED.john, owner_name: 'SMITH JOHN', owner_type: 'individual' }) // prettier-ignore
  for (const property of world.properties ?? [])
    if (property['property_id'] === INVENTED.lot) property['mailing_address_id'] = OF_ZENOBIA.address
  add('mortgages', { property_id: INVENTED.lot, document_id: 'Z-1', lender_name: 'Zenobia Quillfeather', position: 1 }) // prettier-ignore
  add('person_redirects', {
    old_person_id: 'P0000000999',
    person_id,
    merged_on: '2026-05-01',
    reason: 'merged',
  })
  add('crosswalk', { mention_key: 'us/lists.contacts/contacts/zenobia|1', record_key: 'us/lists.contacts/contacts/zenobia', person_id, source_id: 'us/lists.contacts', file_id: 1, line_number: 2, mention_kind: 'contact' }, { mention_key: 'us/lists.contacts/contacts/2', record_key: 'us/lists.contacts/contacts/2', person_id: INVENTED.john, source_id: 'us/lists.contacts', file_id: 1, line_number: 3, mention_kind: 'contact' }) // prettier-ignore
  add('deed_events', deedEvent(1, { county_fips: '48453', parties: parties(['grantor', 'Zenobia Quillfeather', ZENOBIA], ['grantee', 'John Q Smith', INVENTED.john]) }), deedEvent(2, { county_fips: '48453', parties: parties(['grantor', 'Zenobia Quillfeather', null]) })) // prettier-ignore
  return world
}

const BY: [string, Suppression[]][] = [
  ['person id', [{ kind: 'person', value: ZENOBIA, marks: [] }]],
  ['e-mail', [{ kind: 'email', value: OF_ZENOBIA.email, marks: [] }]],
  ['phone', [{ kind: 'phone', value: OF_ZENOBIA.phone, marks: [] }]],
  ['address', [{ kind: 'address', value: '9001 Quill Ln|Austin|TX|78745', marks: [] }]],
  ['name, birth date and ZIP', [{ kind: 'name', value: 'ZENOBIA|QUILLFEATHER|1961-03-04|78745', marks: [] }]],
]

const SOURCES = [{ source_id: 'us/lists.contacts', files: 1 }]

const options = (db: DuckDBConnection, snapshots: string, suppressions: Suppression[] = []) => ({
  db, snapshots, now: () => new Date('2026-06-02T04:30:00Z'), log: silentLog, signal: new AbortController().signal, keep: 9,
  checks: null, sources: SOURCES, suppression: suppressions.length === 0 ? undefined : leavingOut(suppressions),
}) // prettier-ignore

/** Everything that a snapshot's files hold: their bytes, the rows of each table, and the events as they are served. */
async function contentOf(folder: string): Promise<string> {
  const parts: string[] = []
  for (const file of await filesBelow(folder)) parts.push(await readFile(file, 'latin1'))
  await withWarehouse(async (db) => {
    for (const name of Object.keys(PUBLISHED_TABLES))
      parts.push(JSON.stringify(await rowsOf(db, `select * from '${folder}/tables/${name}.parquet'`)))
  })
  const archive = openEventArchive(folder, SEARCHING)
  for (const n of [1, 2]) parts.push(archive.event(eventId(n))?.toString() ?? '')
  archive.close()
  return parts.join('\n')
}

async function expectNoTrace(folder: string): Promise<void> {
  const content = await contentOf(folder)
  for (const trace of TRACES) expect(trace.exec(content)?.[0], String(trace)).toBeUndefined()
}

/** Fails when one of the checks of a publication that read nothing but published tables finds rows in the snapshot. */
async function expectConsistent(folder: string): Promise<void> {
  expect(await verifySnapshot(folder)).toEqual([])
  const checks = (await loadChecks()).filter(
    ({ select }) => !/\b(?:ledger|normal|link|staging)\./.test(select),
  )
  expect(checks.length).toBeGreaterThan(8)
  await withWarehouse(async (db) => {
    for (const name of Object.keys(PUBLISHED_TABLES))
      await db.run(`create view published.${name} as select * from '${folder}/tables/${name}.parquet'`)
    for (const { name, select } of checks) expect([name, await rowsOf(db, select)]).toEqual([name, []])
  })
}

describe('a publication', () => {
  // One warehouse for all: a publication that changed it would show in the last test.
  const linked = heldOpen<DuckDBConnection>((body) =>
    withWarehouse(async (db) => {
      await givenPublished(db, worldWithZenobia())
      await body(db)
    }),
  )

  test.each(BY)('leaves out of every file whoever is suppressed by %s', async (_by, suppressions) => {
    await withFolder(async (snapshots) => {
      const { version, rows } = await publish(options(linked(), snapshots, suppressions))
      const folder = join(snapshots, version)
      await expectNoTrace(folder)
      await expectConsistent(folder)
      expect(rows).toMatchObject({ people: 69, crosswalk: 1, deed_events: 2, person_redirects: 1 })
      expect(await rowsOf(linked(), `select owner_sequence, person_id, owner_name, owner_type from '${folder}/tables/property_owners.parquet' where property_id = '${INVENTED.lot}' order by 1`)).toEqual([
        { owner_sequence: 1, person_id: null, owner_name: null, owner_type: 'unknown' },
        { owner_sequence: 2, person_id: null, owner_name: null, owner_type: 'unknown' },
        { owner_sequence: 3, person_id: INVENTED.john, owner_name: 'SMITH JOHN', owner_type: 'individual' },
      ]) // prettier-ignore
      const lookup = await loadLookup(folder)
      // The number that she shares stays her husband's.
      expect(lookup.phone(INVENTED.sharedPhone, PUBLISHED_ON).toString()).toContain(INVENTED.john)
      expect(lookup.property(INVENTED.lot, PUBLISHED_ON)?.toString()).toContain(INVENTED.john)
      lookup.close()
    })
  })

  test('has whoever was suppressed again once the suppression is removed', async () => {
    await withFolder(async (snapshots) => {
      await publish(options(linked(), snapshots, BY[0]![1]))
      const after = await publish({
        ...options(linked(), snapshots),
        now: () => new Date('2026-06-03T04:30:00Z'),
      })
      expect(after.rows).toMatchObject({ people: 70, crosswalk: 2, deed_events: 2, person_redirects: 2 })
      const again = await loadLookup(join(snapshots, after.version))
      expect(again.person(ZENOBIA, PUBLISHED_ON)?.toString()).toContain('Quillfeather')
      again.close()
    })
  })

  test('counts the words of names without the suppressed people', async () => {
    const world = worldWithZenobia()
    // A second person has her names, so that the words stay and only their counts change.
    const namesake = { person_id: 'P0000000901', name: 'Zenobia Quillfeather' }
    world.people?.push({ ...world.people.at(-1), ...namesake, date_of_birth: '1990-01-01' })
    world.person_names?.push({ ...world.person_names.at(-1), person_id: namesake.person_id })
    const counts: number[][] = []
    for (const suppressions of [[], BY[0]![1]]) {
      await withWarehouse(async (db) => {
        await withFolder(async (snapshots) => {
          await givenPublished(db, world)
          const { version } = await publish(options(db, snapshots, suppressions))
          counts.push([...readColumns(join(snapshots, version, 'lookup')).word_people])
        })
      })
    }
    const [all = [], without = []] = counts
    expect(without.length).toBe(all.length)
    const fewer = all.map((count, word) => count - without[word]!).filter((count) => count !== 0)
    expect(fewer).toEqual([1, 1])
  })

  test('keeps names of deed parties by the policy public_record, without ids, and the warehouse file as it is', async () => {
    await withFolder(async (folder) => {
      const snapshots = join(folder, 'snapshots')
      const warehouse = await openWarehouse(join(folder, 'warehouse.duckdb'), {
        memoryLimit: '1GB',
        threads: 1,
      })
      const { db } = warehouse
      try {
        await givenPublished(db, worldWithZenobia())
        const suppression = leavingOut(BY[0]![1], 'public_record')
        const { version } = await publish({ ...options(db, snapshots), suppression })
        const archive = openEventArchive(join(snapshots, version), SEARCHING)
        const event = archive.event(eventId(1))?.toString() ?? ''
        archive.close()
        expect(event).toContain('"name":"Zenobia Quillfeather","type":"individual","person_id":null')
        expect(event).not.toContain(ZENOBIA)
        expect(
          await rowsOf(
            db,
            `select current_database() as name, count(*)::integer as people from published.people`,
          ),
        ).toEqual([{ name: 'warehouse', people: 70 }])
      } finally {
        await warehouse.close()
      }
    })
  })
})

/** Fails unless a purge synced every file of the rewritten snapshot and its folders before it gave the folder its name. */
async function expectSynced(stdout: string, snapshots: string): Promise<void> {
  const notes = stdout.trim().split('\n')
  const named = notes.findIndex((note) => /^rename \S+\.partial \S+$/.test(note))
  const folder = notes[named]!.split(' ')[2]!
  const files = (await filesBelow(folder)).map((file) => relative(folder, file))
  expect(files.length).toBeGreaterThan(20)
  for (const name of [...files, ...new Set(files.map((file) => dirname(file)))])
    expect(notes.slice(0, named)).toContain(`sync ${join(`${folder}.partial`, name)}`)
  expect(notes.slice(named)).toContain(`sync ${snapshots}`)
}

describe('a purge of kept snapshots', () => {
  test('rewrites those that name somebody suppressed, leaves the others, and points at the rewritten one', async () => {
    await withWarehouse(async (db) => {
      await withFolder(async (snapshots) => {
        await givenPublished(db, inventedWorld())
        const without = await publish({
          ...options(db, snapshots),
          now: () => new Date('2026-06-01T04:30:00Z'),
        })
        for (const name of Object.keys(PUBLISHED_TABLES)) await db.run(`drop table published.${name}`)
        await givenPublished(db, worldWithZenobia())
        const old = await publish(options(db, snapshots))
        const before = await contentOf(join(snapshots, old.version))
        for (const trace of TRACES) expect(before).toMatch(trace)
        const purge = { db, snapshots, log: silentLog, signal: new AbortController().signal, suppression: leavingOut(BY[1]![1]) } // prettier-ignore
        const purged = await purgeSnapshots(purge)
        expect(purged).toMatchObject([
          { version: without.version, outcome: 'clean' },
          { version: old.version, outcome: 'rewritten', people: 1 },
        ])
        const current = await currentSnapshot(snapshots)
        expect(current?.version).toBe(purged[1]!.replaced_by)
        expect((await readdir(snapshots)).sort()).toEqual(
          [without.version, current!.version, 'current'].sort(),
        )
        // The rewritten snapshot is made of the same sources at the same time.
        expect(readManifest(current!.folder)).toMatchObject({
          made_at: '2026-06-02T04:30:00.000Z',
          sources: SOURCES,
        })
        await expectNoTrace(current!.folder)
        await expectConsistent(current!.folder)
        expect(await purgeSnapshots(purge)).toMatchObject([{ outcome: 'clean' }, { outcome: 'clean' }])
      })
    })
  })

  test('that is killed behind any step leaves a whole snapshot to serve, and the next purge ends the work', async () => {
    await withFolder(async (snapshots) => {
      const notes = new URL('note-syncs.ts', import.meta.url).href
      const child = ['--import', notes, fileURLToPath(new URL('purge-killed.ts', import.meta.url))]
      await inventedSnapshot(snapshots)
      for (const step of ['events', 'manifest', 'snapshot', 'pointer']) {
        const killed: unknown = await run(process.execPath, [...child, snapshots, INVENTED.jane, step]).catch((error: unknown) => error) // prettier-ignore
        expect(killed, step).toMatchObject({ signal: 'SIGKILL' })
        const { folder } = (await currentSnapshot(snapshots))!
        if (step === 'snapshot') await expectSynced((killed as { stdout: string }).stdout, snapshots)
        expect(await verifySnapshot(folder)).toEqual([])
        const lookup = await loadLookup(folder)
        const jane = lookup.person(INVENTED.jane, PUBLISHED_ON)
        lookup.close()
        if (step === 'pointer') expect(jane).toBeNull()
        else expect(jane, step).not.toBeNull()
      }
      await run(process.execPath, [...child, snapshots, INVENTED.jane])
      const { version } = (await currentSnapshot(snapshots))!
      expect((await readdir(snapshots)).sort()).toEqual([version, 'current'].sort())
    })
  }, 120_000)

  test('that is aborted while it writes leaves the old snapshot and nothing of the new one', async () => {
    await withWarehouse(async (db) => {
      await withFolder(async (snapshots) => {
        const version = await inventedSnapshot(snapshots)
        const aborting = new AbortController()
        const purging = purgeSnapshots({
          db,
          snapshots,
          log: silentLog,
          signal: aborting.signal,
          suppression: leavingOut([{ kind: 'person', value: INVENTED.jane, marks: [] }]),
          progress: ({ detail }) => {
            if (detail === 'names') aborting.abort()
          },
        })
        await expect(purging).rejects.toThrow(/abort/i)
        expect((await readdir(snapshots)).sort()).toEqual([version, 'current'])
      })
    })
  })

  test('removes a snapshot that it cannot read, unless it is the current one', async () => {
    await withWarehouse(async (db) => {
      await withFolder(async (snapshots) => {
        const version = await inventedSnapshot(snapshots)
        const older = '20260101T000000000Z-00000000'
        await cp(join(snapshots, version), join(snapshots, older), { recursive: true })
        for (const name of [older, version])
          await rm(join(snapshots, name, 'lookup', 'columns'), { recursive: true })
        const suppressions: Suppression[] = [{ kind: 'person', value: INVENTED.jane, marks: [] }]
        const purge = { db, snapshots, log: silentLog, signal: new AbortController().signal, suppression: leavingOut(suppressions) } // prettier-ignore
        expect(await purgeSnapshots(purge)).toMatchObject([
          { version: older, outcome: 'removed' },
          { version, outcome: 'failed', reason: expect.stringContaining('damaged') as string },
        ])
        expect((await readdir(snapshots)).sort()).toEqual([version, 'current'])
      })
    })
  })
})
