import { cp, mkdir, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, get as httpGet } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Snapshots } from '../../src/api/snapshots.ts'
import type { EventArchive } from '../../src/events/archive.ts'
import { type Log, silentLog } from '../../src/log.ts'
import type { Lookup } from '../../src/lookup/index.ts'
import { currentSnapshot, openLookup } from '../../src/lookup/index.ts'
import { SnapshotVerifier } from '../../src/lookup/index.ts'
import { movePointer } from '../../src/publish/pointer.ts'
import { withFolder } from '../support/folder.ts'
import { INVENTED } from '../support/published.ts'
import { openArchive, publishInvented, withApi } from './support.ts'

let published: string
let first: string
let second: string
beforeAll(async () => {
  published = await mkdtemp(join(tmpdir(), 'platbook-'))
  first = await publishInvented(published)
  second = await publishInvented(published)
  await rm(join(published, 'current'))
})
afterAll(() => rm(published, { recursive: true }))

interface Watched {
  readonly snapshots: Snapshots
  readonly folder: string
  readonly closed: string[]
  /** Returns the number of open event archives. */
  readonly openArchives: () => number
  readonly errors: object[]
  /** Adds a person to the suppression list, or makes the list unreadable. */
  readonly suppress: (id: string | Error) => void
}

/** Snapshots of a fresh folder, with two in it and no pointer, that tells which versions were closed and what was logged as an error. */
async function withSnapshots(body: (watched: Watched) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await cp(published, folder, { recursive: true })
    const closed: string[] = []
    const errors: object[] = []
    const suppressed: (string | Error)[] = []
    const log: Log = { ...silentLog, error: (fields) => void errors.push(fields) }
    const open = (path: string): Lookup => {
      const lookup = openLookup(path)
      const { version } = lookup
      const close = lookup.close.bind(lookup)
      lookup.close = () => {
        closed.push(version)
        close()
      }
      return lookup
    }
    let openArchives = 0
    const openEvents = (path: string): EventArchive => {
      const archive = openArchive(path)
      openArchives += 1
      const close = archive.close.bind(archive)
      archive.close = () => {
        openArchives -= 1
        close()
      }
      return archive
    }
    const verifier = new SnapshotVerifier({ againAfterMs: 3_600_000 })
    const snapshots = await Snapshots.open({
      folder,
      open,
      openEvents,
      current: currentSnapshot,
      suppressions: {
        changeCount: async () => suppressed.length,
        list: async () =>
          suppressed.map((value) => {
            if (value instanceof Error) throw value
            return { kind: 'person', value, marks: [] }
          }),
      },
      verify: async (path) => verifier.verify(path),
      verifyWithinMs: 120_000,
      log,
    })
    try {
      await body({
        snapshots,
        folder,
        closed,
        openArchives: () => openArchives,
        errors,
        suppress: (id) => void suppressed.push(id),
      })
    } finally {
      await snapshots.close()
      await verifier.close()
    }
  })
}

/** Flips a bit in the middle of a file, as a failing disk might. The size stays the same. */
async function flipBit(path: string): Promise<void> {
  const bytes = await readFile(path)
  const middle = bytes.length >>> 1
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle)
  await writeFile(path, bytes)
}

const PEOPLE = 'lookup/documents/people.bin'
const refusal = (message: RegExp): unknown =>
  expect.objectContaining({ code: 'no_snapshot', message: expect.stringMatching(message) as unknown })

const nameOfJane = (snapshots: Snapshots): unknown =>
  snapshots.use((lookup) => JSON.parse(String(lookup.person(INVENTED.jane, '2026-06-01'))).name)

function failing(): never {
  throw new Error('no')
}

const isThere = (snapshots: Snapshots, id: string): boolean =>
  snapshots.use((lookup) => lookup.person(id, '2026-06-01') !== null)

describe('people who are suppressed', () => {
  test('are gone from what is served, and from every snapshot that follows', async () => {
    await withSnapshots(async ({ snapshots, folder, suppress }) => {
      await movePointer(folder, first)
      await snapshots.check()
      expect(isThere(snapshots, INVENTED.jane)).toBe(true)
      suppress(INVENTED.jane)
      await snapshots.check()
      expect([snapshots.version, isThere(snapshots, INVENTED.jane)]).toEqual([first, false])
      await movePointer(folder, second)
      await snapshots.check()
      expect([snapshots.version, isThere(snapshots, INVENTED.jane)]).toEqual([second, false])
      expect(isThere(snapshots, INVENTED.john)).toBe(true)
    })
  })

  test('stay gone while their list cannot be read, which is logged once; no other snapshot is served meanwhile', async () => {
    await withSnapshots(async ({ snapshots, folder, closed, openArchives, errors, suppress }) => {
      suppress(INVENTED.jane)
      await movePointer(folder, first)
      await snapshots.check()
      suppress(new Error('the disk is gone'))
      // The first check writes the log line. Later checks do not repeat it.
      for (let check = 0; check < 3; check++) {
        await snapshots.check()
        expect(errors).toEqual([{ reason: 'the disk is gone' }])
      }
      await movePointer(folder, second)
      await snapshots.check()
      expect([snapshots.version, isThere(snapshots, INVENTED.jane)]).toEqual([first, false])
      expect([closed, openArchives()]).toEqual([[second], 1])
    })
  })
})

describe('the snapshot that is served', () => {
  test('is none until the first is published, then that one, without being told', async () => {
    await withSnapshots(async ({ snapshots, folder }) => {
      expect(snapshots.version).toBeNull()
      expect(() => nameOfJane(snapshots)).toThrow(expect.objectContaining({ code: 'no_snapshot' }))
      await movePointer(folder, first)
      await expect.poll(() => snapshots.version, { timeout: 60_000 }).toBe(first)
      expect(nameOfJane(snapshots)).toBe('Jane Ann Smith')
    })
  })

  test('is the next one once the pointer names it; the old one is closed', async () => {
    await withSnapshots(async ({ snapshots, folder, closed }) => {
      await movePointer(folder, first)
      await snapshots.check()
      await movePointer(folder, second)
      await snapshots.check()
      expect(snapshots.version).toBe(second)
      expect(closed).toEqual([first])
      expect(nameOfJane(snapshots)).toBe('Jane Ann Smith')
    })
  })

  test('may be an older one again', async () => {
    await withSnapshots(async ({ snapshots, folder }) => {
      await movePointer(folder, first)
      await movePointer(folder, second)
      await snapshots.check()
      await movePointer(folder, first)
      await snapshots.check()
      expect(snapshots.version).toBe(first)
    })
  })

  test('stays open, though it is not the newest any more, until the last that reads it has ended', async () => {
    await withSnapshots(async ({ snapshots, folder, closed }) => {
      await movePointer(folder, first)
      await snapshots.check()
      const gate = Promise.withResolvers<void>()
      const reading = snapshots.use(async (lookup) => {
        await gate.promise
        return lookup.person(INVENTED.jane, '2026-06-01')
      })
      await movePointer(folder, second)
      await snapshots.check()
      expect(closed).toEqual([])
      gate.resolve()
      expect(String(await reading)).toContain('Jane Ann Smith')
      expect(closed).toEqual([first])
    })
  })

  test('is given back also by a reader that fails', async () => {
    await withSnapshots(async ({ snapshots, folder, closed }) => {
      await movePointer(folder, first)
      await snapshots.check()
      expect(() => snapshots.use(failing)).toThrow('no')
      await expect(snapshots.use(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
      await movePointer(folder, second)
      await snapshots.check()
      expect(closed).toHaveLength(1)
    })
  })

  test('goes on being served when the next one is broken, which is logged once; a good one takes over', async () => {
    await withSnapshots(async ({ snapshots, folder, errors }) => {
      await movePointer(folder, first)
      await snapshots.check()
      const broken = '20991231T000000000Z-00000000'
      await mkdir(join(folder, broken, 'lookup'), { recursive: true })
      await writeFile(join(folder, broken, 'manifest.json'), '{"version": ')
      await movePointer(folder, broken)
      await snapshots.check()
      await snapshots.check()
      expect(snapshots.version).toBe(first)
      expect(nameOfJane(snapshots)).toBe('Jane Ann Smith')
      expect(errors).toEqual([expect.objectContaining({ serving: first })])
      await movePointer(folder, second)
      await snapshots.check()
      expect(snapshots.version).toBe(second)
    })
  })

  test('goes on being served when the pointer is unreadable or gone', async () => {
    await withSnapshots(async ({ snapshots, folder, errors }) => {
      await movePointer(folder, first)
      await snapshots.check()
      // Replace the pointer by renaming. If it were written in place, the watcher could read it while it is empty.
      await writeFile(join(folder, 'current.new'), '../../etc')
      await rename(join(folder, 'current.new'), join(folder, 'current'))
      await snapshots.check()
      await snapshots.check()
      expect(errors).toEqual([expect.objectContaining({ serving: first })])
      await rm(join(folder, 'current'))
      await snapshots.check()
      expect(snapshots.version).toBe(first)
      expect(nameOfJane(snapshots)).toBe('Jane Ann Smith')
    })
  })
})

describe('a damaged snapshot', () => {
  test.each([PEOPLE, 'lookup/columns/person_birth', 'lookup/index.mdb', 'events/documents.mdb'])(
    'with other bytes in %s is not served: the one before is, until a whole one is published',
    async (file) => {
      await withSnapshots(async ({ snapshots, folder, errors }) => {
        await flipBit(join(folder, second, file))
        await movePointer(folder, second)
        await snapshots.check()
        expect([snapshots.version, snapshots.withheld]).toEqual([first, second])
        expect(nameOfJane(snapshots)).toBe('Jane Ann Smith')
        expect(errors).toContainEqual(expect.objectContaining({ snapshot: second }))
        const third = '20991231T000000000Z-00000000'
        await cp(join(folder, first), join(folder, third), { recursive: true })
        const manifest = join(folder, third, 'manifest.json')
        await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(first, third))
        await movePointer(folder, third)
        await snapshots.check()
        expect([snapshots.version, snapshots.withheld]).toEqual([third, null])
      })
    },
  )

  test('that is damaged while it is served is given up for the one before', async () => {
    await withSnapshots(async ({ snapshots, folder, closed }) => {
      await movePointer(folder, second)
      await snapshots.check()
      expect([snapshots.version, snapshots.withheld]).toEqual([second, null])
      await flipBit(join(folder, second, PEOPLE))
      await snapshots.verify()
      expect([snapshots.version, snapshots.withheld]).toEqual([first, second])
      expect(closed).toEqual([second])
    })
  })

  test('and no whole one before it: requests are refused, and say why', async () => {
    await withSnapshots(async ({ snapshots, folder, errors }) => {
      await movePointer(folder, second)
      await snapshots.check()
      await truncate(join(folder, second, 'lookup/columns/person_birth'), 8)
      await flipBit(join(folder, first, PEOPLE))
      await snapshots.verify()
      await snapshots.check()
      expect(() => nameOfJane(snapshots)).toThrow(refusal(/damaged.*platbook nightly/))
      const told = errors.filter((fields) => 'damaged' in fields)
      expect(told).toEqual([{ damaged: second, reason: expect.stringContaining(second) as string }])
    })
  })

  test('does not take over from a whole one', async () => {
    await withSnapshots(async ({ snapshots, folder }) => {
      await movePointer(folder, first)
      await snapshots.check()
      await flipBit(join(folder, second, PEOPLE))
      await movePointer(folder, second)
      await snapshots.check()
      expect([snapshots.version, snapshots.withheld]).toEqual([first, second])
    })
  })

  test('in a table for analysts, which no answer is made of, is served and logged', async () => {
    await withSnapshots(async ({ snapshots, folder, errors }) => {
      await flipBit(join(folder, second, 'tables/people.parquet'))
      await movePointer(folder, second)
      await snapshots.check()
      await snapshots.verify()
      expect([snapshots.version, snapshots.withheld]).toEqual([second, null])
      const reason: unknown = expect.stringContaining('tables/people.parquet has changed')
      expect(errors).toEqual([expect.objectContaining({ reason })])
    })
  })

  test('made by an older version is not called damaged, nor missing', async () => {
    await withSnapshots(async ({ snapshots, folder }) => {
      const manifest = join(folder, second, 'manifest.json')
      const text = await readFile(manifest, 'utf8')
      await writeFile(manifest, text.replace(/"schema_version": *\d+/, '"schema_version": 1'))
      await movePointer(folder, second)
      await snapshots.check()
      expect(snapshots.version).toBeNull()
      expect(() => nameOfJane(snapshots)).toThrow(refusal(/older version.*platbook nightly/))
    })
  })
})

test('while snapshots change under load, every request is answered', async () => {
  await withFolder(async (snapshots) => {
    await cp(published, snapshots, { recursive: true })
    await movePointer(snapshots, first)
    await withApi(
      async ({ app, key }) => {
        const address = await app.listen({ port: 0, host: '127.0.0.1' })
        const agent = new Agent({ keepAlive: true, maxSockets: 8 })
        const paths = [
          `/v2/person/${INVENTED.jane}`,
          '/v2/person/?name=Smith&state_code=TX',
          `/v2/phone/${INVENTED.sharedPhone}`,
        ]
        const statuses = new Map<number, number>()
        const done = new AbortController()
        const ask = (path: string): Promise<{ status: number; body: string }> =>
          new Promise((resolve, reject) => {
            httpGet(`${address}${path}`, { agent, headers: { 'x-api-key': key } }, (reply) => {
              let body = ''
              reply.setEncoding('utf8').on('data', (text: string) => (body += text))
              reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body }))
            }).on('error', reject)
          })
        const client = async (start: number): Promise<void> => {
          for (let n = start; !done.signal.aborted; n += 1) {
            const { status, body } = await ask(paths[n % paths.length] ?? '')
            expect(body).toContain('Smith')
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
          }
        }
        const clients = Array.from({ length: 8 }, (_, start) => client(start))
        for (let swap = 0; swap < 8; swap += 1) {
          const version = swap % 2 === 0 ? second : first
          await movePointer(snapshots, version)
          await expect
            .poll(async () => (JSON.parse((await ask('/ready')).body) as { snapshot: string }).snapshot)
            .toBe(version)
        }
        done.abort()
        await Promise.all(clients)
        agent.destroy()
        expect([...statuses.keys()]).toEqual([200])
        expect(statuses.get(200)).toBeGreaterThan(100)
      },
      { snapshots },
    )
  })
})
