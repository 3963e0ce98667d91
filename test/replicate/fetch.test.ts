import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Log, silentLog } from '../../src/log.ts'
import { SnapshotFetcher } from '../../src/replicate/fetch.ts'
import { fetchStatus, requireNotFetched, withheldVersion } from '../../src/replicate/status.ts'
import { uploadCurrent } from '../../src/replicate/upload.ts'
import type { Store } from '../../src/store/store.ts'
import { withFolder } from '../support/folder.ts'
import { startMoto } from '../support/moto.ts'
import { mountDisk } from '../support/small-disk.ts'
import { bucketPlace, folderPlace, type Place } from './places.ts'
import { FILE_COUNT, givenSnapshot, servedVersion, versionOn } from './snapshots.ts'

const moto = await startMoto()
afterAll(() => moto?.stop())

const { signal } = new AbortController()

interface Follower {
  readonly place: Place
  /** The folder of snapshots that fetched versions come to. */
  readonly snapshots: string
  readonly fetcher: SnapshotFetcher
  readonly errors: { reason: string }[]
  /** Keys that were read with their content, and tags that were asked for. */
  readonly reads: string[]
  /** Publishes a snapshot and uploads it. */
  readonly publish: (version: string, options?: { keep?: number }) => Promise<void>
  /** A fetcher for the same folder, as after a restart. `over` replaces calls of its store. */
  readonly another: (over?: (store: Store) => Partial<Store>) => SnapshotFetcher
  readonly pass: (seconds: number) => void
}

async function withFollower(
  newPlace: () => Promise<Place>,
  body: (follower: Follower) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const place = await newPlace()
    const store = await place.open()
    const snapshots = join(folder, 'replica')
    const errors: { reason: string }[] = []
    const reads: string[] = []
    let at = Date.parse('2026-06-09T00:00:00Z')
    const log: Log = { ...silentLog, error: (fields) => void errors.push(fields as { reason: string }) }
    const noted: Store = {
      ...store,
      read: (key) => {
        reads.push(key.slice(38))
        return store.read(key)
      },
    }
    const another: Follower['another'] = (over = () => ({})) =>
      new SnapshotFetcher({
        store: { ...noted, ...over(noted) },
        snapshots,
        keep: 3,
        now: () => new Date(at),
        log,
        signal,
      })
    await body({
      place,
      snapshots,
      errors,
      reads,
      fetcher: another(),
      another,
      pass: (seconds) => void (at += seconds * 1_000),
      async publish(version, { keep = 3 } = {}) {
        await givenSnapshot(join(folder, 'publisher'), version)
        await uploadCurrent({ store, snapshots: join(folder, 'publisher'), keep, log: silentLog, signal })
      },
    })
  })
}

type Bytes = Buffer<ArrayBuffer>
const changed = (bytes: Bytes): Bytes => Buffer.from(bytes.map((byte, at) => (at === 7 ? byte ^ 1 : byte)))
const cut = (bytes: Bytes): Bytes => bytes.subarray(0, -1)
const longer = (bytes: Bytes): Bytes => Buffer.concat([bytes, Buffer.from('x')])

/** Returns the key of a stored file of the current upload. */
async function keyOf(place: Place, file: string): Promise<string> {
  const [upload] = (await place.get('current')).toString().split(' ')
  return `${upload}/${file}`
}

describe.each([
  ['a folder', folderPlace],
  ['a bucket', async () => bucketPlace(moto!)],
] as const)('snapshots from %s', (kind, newPlace) => {
  const runs = kind === 'a bucket' && moto === null ? test.skip : test

  runs('each new version comes once, and nothing is read while nothing changes', async () => {
    await withFollower(newPlace, async ({ fetcher, snapshots, publish, reads, errors, another }) => {
      await fetcher.check()
      expect(errors).toMatchObject([{ reason: expect.stringContaining('has no snapshot') as string }])
      await publish(versionOn(1))
      await fetcher.check()
      expect(await servedVersion(snapshots)).toBe(versionOn(1))
      expect(reads).toHaveLength(FILE_COUNT + 1)
      await fetcher.check()
      await another().check()
      expect(reads).toHaveLength(FILE_COUNT + 1)
      for (const day of [2, 3, 4, 5]) {
        await publish(versionOn(day))
        await fetcher.check()
        expect(await servedVersion(snapshots)).toBe(versionOn(day))
      }
      expect((await readdir(snapshots)).sort()).toEqual([
        versionOn(3),
        versionOn(4),
        versionOn(5),
        'current',
        'fetched.json',
      ])
      expect(errors).toHaveLength(1)
      expect(await fetchStatus(snapshots)).toMatchObject({ fault: null })
    })
  })

  runs(
    'a version with a changed, cut, longer or missing object is never served, and comes when it is repaired',
    async () => {
      await withFollower(newPlace, async ({ fetcher, place, snapshots, publish, errors, pass, reads }) => {
        await publish(versionOn(1))
        await fetcher.check()
        let day = 1
        for (const file of ['x.bin', 'lookup/shard=03/index.mdb', 'manifest.json']) {
          for (const damage of [changed, cut, longer, null]) {
            const before = await servedVersion(snapshots)
            day += 1
            await publish(versionOn(day))
            const key = await keyOf(place, file)
            const bytes = await place.get(key)
            if (damage === null) await place.remove(key)
            else await place.put(key, damage(bytes))
            errors.length = 0
            for (let poll = 0; poll < 5; poll += 1) {
              await fetcher.check()
              pass(60)
            }
            expect(await servedVersion(snapshots)).toBe(before)
            expect(await withheldVersion(snapshots)).toBe(versionOn(day))
            expect(errors).toMatchObject([
              { version: versionOn(day), reason: expect.stringContaining(file) as string },
            ])
            await place.put(key, bytes)
            reads.length = 0
            pass(600)
            await fetcher.check()
            expect(await servedVersion(snapshots)).toBe(versionOn(day))
            expect(await withheldVersion(snapshots)).toBeNull()
            // Files that came undamaged are not read again.
            expect(reads.length).toBeLessThanOrEqual(file === 'manifest.json' ? FILE_COUNT + 1 : 4)
          }
        }
      })
    },
  )

  runs('a pointer that names nothing usable is reported', async () => {
    await withFollower(newPlace, async ({ fetcher, place, snapshots, publish, errors, reads }) => {
      await publish(versionOn(1))
      await fetcher.check()
      const good = await place.get('current')
      for (const text of [
        '',
        '../../etc/passwd',
        `${versionOn(2)}-0000000g ${'a'.repeat(64)}`,
        'x'.repeat(5_000),
      ]) {
        await place.put('current', text)
        await fetcher.check()
        expect(await servedVersion(snapshots)).toBe(versionOn(1))
      }
      expect(errors).toMatchObject([
        { version: null, reason: expect.stringContaining('does not name a snapshot') as string },
      ])
      reads.length = 0
      await place.put('current', good)
      await fetcher.check()
      expect(reads).toEqual([])
      expect(await fetchStatus(snapshots)).toMatchObject({ fault: null })
    })
  })

  runs('a store that cannot be reached is reported once, and the fault ends when it answers', async () => {
    await withFollower(newPlace, async ({ another, publish, snapshots, errors }) => {
      await publish(versionOn(1))
      let isDown = true
      const fetcher = another((store) => ({
        readTagged: async (...given) => {
          if (isDown) throw new Error('connect ECONNREFUSED')
          return store.readTagged(...given)
        },
      }))
      for (let poll = 0; poll < 3; poll += 1) await fetcher.check()
      expect(errors).toMatchObject([{ version: null, reason: 'connect ECONNREFUSED' }])
      isDown = false
      await fetcher.check()
      isDown = true
      await fetcher.check()
      expect(await servedVersion(snapshots)).toBe(versionOn(1))
      expect(await fetchStatus(snapshots)).toMatchObject({ fault: { reason: 'connect ECONNREFUSED' } })
      isDown = false
      await fetcher.check()
      expect(await fetchStatus(snapshots)).toMatchObject({ fault: null })
      expect(errors).toHaveLength(2)
    })
  })

  runs('a fetch that is killed goes on after a restart with the files that are missing', async () => {
    await withFollower(newPlace, async ({ another, publish, snapshots, reads }) => {
      await publish(versionOn(1))
      await another().check()
      await publish(versionOn(2))
      await mkdir(join(snapshots, `${versionOn(9)}.partial`))
      // A read that does not end during the test, in place of a killed process.
      const killed = Promise.withResolvers<void>()
      const end = Promise.withResolvers<void>()
      const stuck = another((store) => ({
        async *read(key) {
          if (key.endsWith('x.bin')) {
            yield Buffer.from('2')
            killed.resolve()
            await end.promise
          }
          yield* store.read(key)
        },
      }))
      const ended = stuck.check()
      await killed.promise
      await expect
        .poll(() => readdir(join(snapshots, `${versionOn(2)}.partial`, 'lookup', 'shard=03', 'columns')))
        .toEqual(['words'])
      expect(await servedVersion(snapshots)).toBe(versionOn(1))
      reads.length = 0
      await another().check()
      expect(await servedVersion(snapshots)).toBe(versionOn(2))
      expect(reads).toContain('x.bin')
      expect((await readdir(snapshots)).sort()).toEqual([
        versionOn(1),
        versionOn(2),
        'current',
        'fetched.json',
      ])
      end.reject(new Error('killed'))
      await ended
    })
  })

  runs('versions that the store no longer has are removed here too', async () => {
    await withFollower(newPlace, async ({ fetcher, publish, snapshots }) => {
      for (const day of [1, 2]) {
        await publish(versionOn(day))
        await fetcher.check()
      }
      await publish(versionOn(2, 5), { keep: 1 })
      await fetcher.check()
      expect(await servedVersion(snapshots)).toBe(versionOn(2, 5))
      expect((await readdir(snapshots)).sort()).toEqual([versionOn(2, 5), 'current', 'fetched.json'])
    })
  })

  runs('files that are damaged on the local disk are fetched again', async () => {
    await withFollower(newPlace, async ({ fetcher, publish, snapshots }) => {
      await publish(versionOn(1))
      await fetcher.check()
      const file = join(snapshots, versionOn(1), 'x.bin')
      const bytes = await readFile(file)
      await writeFile(file, Buffer.from(bytes.map((byte, at) => (at === 5 ? byte ^ 1 : byte))))
      await fetcher.check()
      await expect(servedVersion(snapshots)).rejects.toThrow('x.bin has changed')
      fetcher.suspect(versionOn(1))
      await fetcher.check()
      expect(await servedVersion(snapshots)).toBe(versionOn(1))
      expect((await readdir(snapshots)).sort()).toEqual([versionOn(1), 'current', 'fetched.json'])
      await rm(file)
      fetcher.suspect(versionOn(1))
      await fetcher.check()
      expect(await servedVersion(snapshots)).toBe(versionOn(1))
    })
  })
})

test('a version of another schema is refused before its files are fetched', async () => {
  await withFollower(folderPlace, async ({ fetcher, place, snapshots, publish, errors, reads }) => {
    await publish(versionOn(1))
    await fetcher.check()
    await publish(versionOn(2))
    const key = await keyOf(place, 'manifest.json')
    const manifest = (await place.get(key)).toString().replace(/"schema_version":\d+/, '"schema_version":1')
    await place.put(key, manifest)
    const sha256 = createHash('sha256').update(manifest).digest('hex')
    await place.put('current', `${key.split('/')[0]} ${sha256}\n`)
    reads.length = 0
    await fetcher.check()
    expect(await servedVersion(snapshots)).toBe(versionOn(1))
    expect(reads).toEqual(['manifest.json'])
    expect(errors).toMatchObject([
      { version: versionOn(2), reason: expect.stringMatching(/made by an older version/) as string },
    ])
  })
})

test('a manifest that names files outside the snapshot is refused', async () => {
  await withFollower(folderPlace, async ({ fetcher, place, snapshots, publish, errors }) => {
    await publish(versionOn(1))
    const key = await keyOf(place, 'manifest.json')
    const manifest = (await place.get(key)).toString().replace('"x.bin"', '"../../escaped"')
    await place.put(key, manifest)
    const sha256 = createHash('sha256').update(manifest).digest('hex')
    await place.put('current', `${key.split('/')[0]} ${sha256}\n`)
    await fetcher.check()
    expect(await servedVersion(snapshots)).toBeNull()
    expect(errors).toMatchObject([{ reason: expect.stringContaining('it names "../../escaped"') as string }])
    expect(await readdir(join(snapshots, '..'))).not.toContain('escaped')
  })
})

test('a full disk keeps the old version, is reported, and the new one comes when there is space', async (context) => {
  await withFolder(async (folder) => {
    const disk = mountDisk(folder, 80 * 1_024)
    if (disk === null) {
      context.skip()
      return
    }
    try {
      await withFollower(folderPlace, async (follower) => {
        const { place, publish } = follower
        const snapshots = join(folder, 'snapshots')
        const store = await place.open()
        let isFilledAtRead = false
        let pausedAt = 0
        const fetcher = new SnapshotFetcher({
          store: {
            ...store,
            async *read(key) {
              if (isFilledAtRead && key.endsWith('x.bin')) await disk.fill()
              yield* store.read(key)
            },
          },
          snapshots,
          keep: 3,
          now: () => new Date(pausedAt),
          log: silentLog,
          signal,
        })
        await publish(versionOn(1))
        await fetcher.check()
        expect(await servedVersion(snapshots)).toBe(versionOn(1))

        await publish(versionOn(2))
        isFilledAtRead = true
        await fetcher.check()
        expect(await servedVersion(snapshots)).toBe(versionOn(1))
        expect((await readdir(snapshots)).filter((name) => name.endsWith('.partial'))).toEqual([])
        isFilledAtRead = false
        pausedAt += 3_600_000
        await fetcher.check()
        expect(await servedVersion(snapshots)).toBe(versionOn(1))
        expect(await fetchStatus(snapshots)).toMatchObject({
          fault: {
            version: versionOn(2),
            reason: expect.stringMatching(/needs .* on the disk of .*free space/) as string,
          },
        })

        await disk.free()
        pausedAt += 3_600_000
        await fetcher.check()
        expect(await servedVersion(snapshots)).toBe(versionOn(2))
        expect(await fetchStatus(snapshots)).toMatchObject({ fault: null })
      })
    } finally {
      disk.unmount()
    }
  })
})

test('nothing is published into a folder that snapshots are fetched to', async () => {
  await withFollower(folderPlace, async ({ fetcher, publish, snapshots }) => {
    await requireNotFetched(snapshots)
    await publish(versionOn(1))
    await fetcher.check()
    await expect(requireNotFetched(snapshots)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/serve --snapshots` fetches from .*platbook-store/) as string,
    })
  })
})
