import { execFile } from 'node:child_process'
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { DuckDBConnection } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../../src/log.ts'
import { currentSnapshot, openLookup } from '../../src/lookup/index.ts'
import { readColumns, TOKEN } from '../../src/lookup/format/columns.ts'
import { readManifest } from '../../src/lookup/format/manifest.ts'
import { personOfId } from '../../src/lookup/format/person-ids.ts'
import { openStore } from '../../src/lookup/format/store.ts'
import { verifySnapshot } from '../../src/lookup/index.ts'
import { peopleWithBoth } from '../../src/lookup/snapshot/word-pairs.ts'
import { publish, type PublishOptions } from '../../src/publish/publish.ts'
import { PUBLISHED_TABLES } from '../../src/publish/tables.ts'
import { withFolder } from '../support/folder.ts'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { inventedSnapshot } from '../support/invented-snapshot.ts'
import { givenPublished, INVENTED, PUBLISHED_ON, publishedSnapshot } from '../support/published.ts'
import { type Cell, rowsOf, withWarehouse } from '../support/warehouse.ts'

const run = promisify(execFile)

function options(db: DuckDBConnection, snapshots: string): PublishOptions {
  return {
    db,
    snapshots,
    now: () => new Date('2026-06-02T04:30:00Z'),
    log: silentLog,
    signal: new AbortController().signal,
    keep: 3,
    checks: null,
    sources: [{ source_id: 'us/lists.contacts', newest_on: '2026-05-31' }],
  }
}

/** Asks the snapshot that `current` points at for somebody who is in every invented world. */
async function serves(snapshots: string): Promise<string | null> {
  const current = await currentSnapshot(snapshots)
  if (current === null) return null
  const lookup = openLookup(current.folder)
  try {
    return lookup.person(INVENTED.jane, PUBLISHED_ON) === null ? null : current.version
  } finally {
    lookup.close()
  }
}

async function writeCheck(folder: string, name: string, select: string): Promise<void> {
  await mkdir(join(folder, 'checks'), { recursive: true })
  const header = '-- what it means: a person has no name\n-- what to do: look at link.people\n'
  await writeFile(join(folder, 'checks', `${name}.sql`), header + select)
}

describe('a publication', () => {
  test('makes Parquet tables, an index and a manifest that names every file', async () => {
    await withWarehouse(async (db) => {
      await withFolder(async (snapshots) => {
        await givenPublished(db)
        const { version, rows } = await publish(options(db, snapshots))
        const folder = join(snapshots, version)
        expect(version).toMatch(/^20260602T043000000Z-[0-9a-f]{8}$/)
        expect(rows['people']).toBe(69)
        const manifest = readManifest(folder)
        expect(manifest).toMatchObject({
          version,
          made_at: '2026-06-02T04:30:00.000Z',
          rows,
          sources: [{ source_id: 'us/lists.contacts' }],
        })
        const tables = Object.keys(manifest.files).filter((file) => file.startsWith('tables/'))
        expect(tables).toEqual(
          Object.keys(PUBLISHED_TABLES)
            .sort()
            .map((name) => `tables/${name}.parquet`),
        )
        expect(
          await rowsOf(db, `select count(*)::integer as n from '${folder}/tables/people.parquet'`),
        ).toEqual([{ n: 69 }])
        expect(await verifySnapshot(folder)).toEqual([])
        expect(await rowsOf(db, `select table_name from duckdb_tables() where temporary`)).toEqual([])
      })
    })
  })

  test('sorts the rows of a table by its key', async () => {
    await withFolder(async (snapshots) => {
      const links = [['P2', 'b'], ['P1', 'b'], ['P1', 'a']] as const // prettier-ignore
      const person_phones = links.map(([person_id, phone]) => ({ person_id, phone }))
      const { version } = await publishedSnapshot(snapshots, { person_phones })
      const file = join(snapshots, version, 'tables', 'person_phones.parquet')
      const rows = await withWarehouse((db) => rowsOf(db, `select person_id, phone from '${file}'`))
      expect(rows).toEqual(person_phones.toReversed())
    })
  })

  test('verification finds what was changed or lost', async () => {
    await withFolder(async (snapshots) => {
      const version = await inventedSnapshot(snapshots)
      await appendFile(join(snapshots, version, 'tables/people.parquet'), 'x')
      await rm(join(snapshots, version, 'lookup/columns/person_birth'))
      const people = await readFile(join(snapshots, version, 'lookup/documents/people.bin'))
      people[people.length >> 1]! ^= 1
      await writeFile(join(snapshots, version, 'lookup/documents/people.bin'), people)
      expect(await verifySnapshot(join(snapshots, version))).toEqual([
        { file: 'lookup/columns/person_birth', problem: 'missing' },
        // The size stays the same.
        { file: 'lookup/documents/people.bin', problem: 'changed' },
        { file: 'tables/people.parquet', problem: 'changed' },
      ])
    })
  })

  test('makes every file and folder last before the snapshot gets its name, and that before the pointer', async () => {
    await withFolder(async (snapshots) => {
      const { stdout } = await run(process.execPath, [
        '--import',
        new URL('note-syncs.ts', import.meta.url).href,
        fileURLToPath(new URL('publish-killed.ts', import.meta.url)),
        snapshots,
        'never',
      ])
      const notes = stdout.trim().split('\n')
      const { version, folder } = (await currentSnapshot(snapshots))!
      const named = notes.indexOf(`rename ${folder}.partial ${folder}`)
      const pointed = notes.findIndex(
        (note) => note.startsWith('rename ') && note.endsWith(` ${join(snapshots, 'current')}`),
      )
      const [, pointer] = notes[pointed]!.split(' ')
      const files = [...Object.keys(readManifest(folder).files), 'manifest.json']
      const folders = new Set(files.map((file) => dirname(file)))
      expect(files.length).toBeGreaterThan(20)
      for (const name of [...files, ...folders]) {
        expect(notes.slice(0, named)).toContain(`sync ${join(`${folder}.partial`, name)}`)
      }
      expect(notes.slice(named, pointed)).toContain(`sync ${snapshots}`)
      expect(notes.slice(named, pointed)).toContain(`sync ${pointer}`)
      expect(notes.slice(pointed)).toContain(`sync ${snapshots}`)
      expect(version).toMatch(/^20260602/)
    })
  })

  test('of the same tables gives the same documents', async () => {
    await withFolder(async (snapshots) => {
      const documents = async (now: Date): Promise<string[]> => {
        const { version } = await publishedSnapshot(snapshots, undefined, now)
        const store = openStore(join(snapshots, version, 'lookup'))
        const trees = [store.emails, store.words, store.ids]
        const all = trees.flatMap((tree) =>
          [...tree.getRange()].map(({ value }) => Buffer.from(value).toString('base64')),
        )
        await store.root.close()
        for (const kind of ['people', 'properties', 'phones']) {
          const file = join(snapshots, version, `lookup/documents/${kind}.bin`)
          all.push((await readFile(file)).toString('base64'))
        }
        return all
      }
      const first = await documents(new Date('2026-06-01T00:00:00Z'))
      expect(first.length).toBeGreaterThan(190)
      expect(await documents(new Date('2026-06-02T00:00:00Z'))).toEqual(first)
    })
  })

  test('leads from the id of a person to the number of the person without a search of the tree', async () => {
    await withFolder(async (snapshots) => {
      const lookup = join(snapshots, await inventedSnapshot(snapshots), 'lookup')
      const columns = readColumns(lookup)
      const store = openStore(lookup)
      for (const id of [INVENTED.jane, INVENTED.jonathan]) {
        expect(personOfId(columns, id)).toBe(store.ids.getBinary(Buffer.from(id))?.readUInt32LE(0))
      }
      await store.root.close()
    })
  })

  test('leads from every two words of a name to exactly the people who have both in one name', async () => {
    await withFolder(async (snapshots) => {
      const columns = readColumns(join(snapshots, await inventedSnapshot(snapshots), 'lookup'))
      const { person_name_start, name_tokens, partner_people } = columns
      const expected = new Map<string, Set<number>>()
      for (let person = 0; person + 1 < person_name_start.length; person++) {
        let name: number[] = []
        for (const token of name_tokens.subarray(person_name_start[person], person_name_start[person + 1])) {
          if (token >= TOKEN.NEW_NAME) name = []
          const word = token % (TOKEN.WORD + 1)
          for (const before of name) {
            const pair = [before, word].sort((left, right) => left - right).join(' ')
            expected.set(pair, (expected.get(pair) ?? new Set()).add(person))
          }
          name.push(word)
        }
      }
      expect(expected.size).toBeGreaterThan(50)
      for (const [pair, people] of expected) {
        const [one, other] = pair.split(' ').map(Number)
        const sorted = [...people].sort((left, right) => left - right)
        expect([pair, ...peopleWithBoth(columns, one!, other!)]).toEqual([pair, ...sorted])
      }
      expect(partner_people).toHaveLength([...expected.values()].reduce((sum, { size }) => sum + size, 0))
    })
  })

  test('on two connections makes the same files, byte for byte', async () => {
    await withFolder(async (snapshots) => {
      const alone = await publishedSnapshot(snapshots)
      const warehouse = await openWarehouse(':memory:', { memoryLimit: '1GB', threads: 2 })
      await givenPublished(warehouse.db)
      const extraConnection = await warehouse.connect()
      const both = await publish({ ...options(warehouse.db, snapshots), extraConnection })
      await warehouse.close()
      const filesOf = ({ version }: { version: string }) => readManifest(join(snapshots, version)).files
      expect(filesOf(both)).toEqual(filesOf(alone))
    })
  })

  test('keeps as many snapshots as are asked for, and the current one always', async () => {
    await withFolder(async (snapshots) => {
      const versions: string[] = []
      for (const day of ['01', '02', '03', '04', '05']) {
        versions.push(
          (await publishedSnapshot(snapshots, undefined, new Date(`2026-06-${day}T00:00:00Z`))).version,
        )
      }
      expect((await readdir(snapshots)).sort()).toEqual([...versions.slice(2), 'current'])
      // A clock that went back: the newest snapshot has the oldest name.
      const { version } = await publishedSnapshot(snapshots, undefined, new Date('2020-01-01T00:00:00Z'))
      expect(await readdir(snapshots)).toContain(version)
      expect(await serves(snapshots)).toBe(version)
    })
  })

  test('serves a person whose document is larger than those before it', async () => {
    await withFolder(async (snapshots) => {
      const aliases = Array.from({ length: 9_000 }, (_, index) => `Jane Alias${index}`)
      const person = (person_id: string, last_name: string): Record<string, Cell> => ({
        person_id,
        name: `Jane ${last_name}`,
        first_name: 'JANE',
        last_name,
        aliases: last_name === 'BETA' ? aliases : [],
        is_dead: false,
        completeness: 10,
        source_count: 1,
        mention_count: 1,
      })
      const people = [
        person('P0000000001', 'ALPHA'),
        person('P0000000002', 'BETA'),
        person('P0000000003', 'GAMMA'),
      ]
      const { version } = await publishedSnapshot(snapshots, { people })
      const lookup = openLookup(join(snapshots, version))
      const served = (id: string): unknown => JSON.parse(lookup.person(id, PUBLISHED_ON)!.toString())
      expect(served('P0000000002')).toMatchObject({ name: 'Jane BETA', aliases })
      expect(served('P0000000003')).toMatchObject({ name: 'Jane GAMMA', aliases: [] })
      lookup.close()
    })
  })

  test('of nothing at all can be opened and asked', async () => {
    await withFolder(async (snapshots) => {
      const { version } = await publishedSnapshot(snapshots, {})
      const lookup = openLookup(join(snapshots, version))
      expect(lookup.person(INVENTED.jane, PUBLISHED_ON)).toBeNull()
      expect(
        lookup.findProperty({ street: '1 Main St', city: 'Austin', strict_match: false }, PUBLISHED_ON),
      ).toBeNull()
      lookup.close()
    })
  })
})

describe('checks', () => {
  test('one that finds rows stops the publication, names itself and three of them, and leaves the old snapshot serving', async () => {
    await withWarehouse(async (db) => {
      await withFolder(async (snapshots) => {
        const version = await inventedSnapshot(snapshots)
        await givenPublished(db)
        await writeCheck(
          snapshots,
          'a_passing_one',
          'select person_id from published.people where person_id is null',
        )
        await writeCheck(
          snapshots,
          'nameless_people',
          'select person_id from published.people order by person_id',
        )
        const published = publish({ ...options(db, snapshots), checks: snapshots })
        await expect(published).rejects.toMatchObject({
          code: 'check_failed',
          message: expect.stringMatching(
            /nameless_people.*a person has no name.*P0000000001, P0000000002, P0000000003, ….*\. Look at link\.people\. The snapshot published before/,
          ) as unknown,
        })
        expect(await serves(snapshots)).toBe(version)
      })
    })
  })
})

test('a check that finds rows while the index is written ends both, and nothing half is left', async () => {
  await withFolder(async (snapshots) => {
    await writeCheck(snapshots, 'nameless_people', 'select person_id from published.people')
    const warehouse = await openWarehouse(':memory:', { memoryLimit: '1GB', threads: 2 })
    await givenPublished(warehouse.db)
    const extraConnection = await warehouse.connect()
    const published = publish({ ...options(warehouse.db, snapshots), extraConnection, checks: snapshots })
    await expect(published).rejects.toMatchObject({ code: 'check_failed' })
    expect(await readdir(snapshots)).toEqual(['checks'])
    await warehouse.close()
  })
})

describe('killed', () => {
  const STEPS = ['tables', 'numbers', 'names', 'people', 'phones', 'ids', 'manifest', 'snapshot', 'pointer']

  test('anywhere, the old snapshot serves or the new one, whole, and the next run clears up', async () => {
    await withFolder(async (snapshots) => {
      const version = await inventedSnapshot(snapshots)
      for (const step of STEPS) {
        const child = fileURLToPath(new URL('publish-killed.ts', import.meta.url))
        await expect(run(process.execPath, [child, snapshots, step]), step).rejects.toMatchObject({
          signal: 'SIGKILL',
        })
        const serving = await serves(snapshots)
        if (step === 'pointer') expect(serving).toMatch(/^20260602/)
        else expect(serving, step).toBe(version)
        // What a run killed between the rename and the pointer left is a whole snapshot that the next run's name replaces.
        for (const name of await readdir(snapshots)) {
          if (name.startsWith('20260602') && !name.endsWith('.partial')) {
            expect(await verifySnapshot(join(snapshots, name))).toEqual([])
            if (step === 'snapshot') await rm(join(snapshots, name), { recursive: true })
          }
        }
      }
      const next = await publishedSnapshot(snapshots, undefined, new Date('2026-06-03T04:30:00Z'))
      expect(await serves(snapshots)).toBe(next.version)
      expect((await readdir(snapshots)).filter((name) => /partial|current\./.test(name))).toEqual([])
      expect((await readFile(join(snapshots, 'current'), 'utf8')).trim()).toBe(next.version)
    })
  }, 180_000)

  test('an aborted publication leaves nothing of itself', async () => {
    await withWarehouse(async (db) => {
      await withFolder(async (snapshots) => {
        const version = await inventedSnapshot(snapshots)
        await givenPublished(db)
        const aborting = new AbortController()
        const published = publish({
          ...options(db, snapshots),
          signal: aborting.signal,
          progress: ({ detail }) => {
            if (detail === 'names') aborting.abort()
          },
        })
        await expect(published).rejects.toThrow(/abort/i)
        expect(await serves(snapshots)).toBe(version)
        expect((await readdir(snapshots)).sort()).toEqual([version, 'current'])
      })
    })
  })
})
