import { afterAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/log.ts'
import { type UploadOptions, uploadCurrent } from '../../src/replicate/upload.ts'
import type { Store } from '../../src/store/store.ts'
import { withFolder } from '../support/folder.ts'
import { startMoto } from '../support/moto.ts'
import { bucketPlace, folderPlace, type Place } from './places.ts'
import { FILE_COUNT, givenSnapshot, versionOn } from './snapshots.ts'

const moto = await startMoto()
afterAll(() => moto?.stop())

const upload = (store: Store, snapshots: string, more: Partial<UploadOptions> = {}) =>
  uploadCurrent({ store, snapshots, keep: 3, log: silentLog, signal: new AbortController().signal, ...more })

/** Returns the versions of complete uploads, and those of unfinished ones with a question mark. */
async function versionsAt(place: Place): Promise<string[]> {
  const keys = await place.keys()
  const names = [...new Set(keys.map((key) => key.split('/')[0]!))].filter((name) => name.startsWith('2026'))
  return names
    .map((name) => {
      const isComplete = keys.filter((key) => key.startsWith(`${name}/`)).length === FILE_COUNT + 1
      return `${name.slice(0, 28)}${isComplete ? '' : '?'}`
    })
    .sort()
}

async function currentAt(place: Place): Promise<string | null> {
  const text = await place.get('current').catch(() => null)
  return text === null ? null : text.toString().slice(0, 28)
}

/** A store whose process is killed before its write number `kill`: that write and all later calls fail. */
function dyingStore(store: Store, kill: number): { store: Store; hasDied: () => boolean } {
  let writes = 0
  const dying = async <T>(isWrite: boolean, call: () => Promise<T>): Promise<T> => {
    if (isWrite) writes += 1
    if (writes >= kill) throw new Error('killed')
    return call()
  }
  return {
    hasDied: () => writes >= kill,
    store: {
      ...store,
      putFile: (...given) => dying(true, () => store.putFile(...given)),
      putTagged: (...given) => dying(true, () => store.putTagged(...given)),
      remove: (...given) => dying(true, () => store.remove(...given)),
      readTagged: (...given) => dying(false, () => store.readTagged(...given)),
    },
  }
}

describe.each([
  ['a folder', folderPlace],
  ['a bucket', async () => bucketPlace(moto!)],
] as const)('snapshots in %s', (kind, newPlace) => {
  const runs = kind === 'a bucket' && moto === null ? test.skip : test

  runs('the files of the manifest come first, then the manifest, then the name of the upload', async () => {
    await withFolder(async (snapshots) => {
      const place = await newPlace()
      const store = await place.open()
      expect(await upload(store, snapshots)).toBeNull()
      await givenSnapshot(snapshots, versionOn(1))
      const calls: string[] = []
      const noted: Store = {
        ...store,
        putFile: async (key, path) => {
          await store.putFile(key, path)
          calls.push(key.slice(38))
        },
        putTagged: async (key, text, tag) => {
          calls.push(key)
          return store.putTagged(key, text, tag)
        },
      }
      expect(await upload(noted, snapshots)).toMatchObject({
        version: versionOn(1),
        isNew: true,
        file_count: 4,
      })
      expect(calls.slice(0, -2).sort()).toEqual(
        [
          'lookup/shard=03/columns/words',
          'lookup/shard=03/index.mdb',
          'tables/people.parquet',
          'x.bin',
        ].sort(),
      )
      expect(calls.slice(-2)).toEqual(['manifest.json', 'current'])
      calls.length = 0
      expect(await upload(noted, snapshots)).toMatchObject({ version: versionOn(1), isNew: false })
      expect(calls).toEqual([])
    })
  })

  runs('of two publishers at once one is refused, and the other snapshot is whole', async () => {
    await withFolder(async (folder) => {
      const place = await newPlace()
      await givenSnapshot(`${folder}/a`, versionOn(2, 1))
      await givenSnapshot(`${folder}/b`, versionOn(3, 2))
      const both = Promise.withResolvers<void>()
      let arrived = 0
      const publishing = ['a', 'b'].map(async (name) => {
        const store = await place.open()
        let isFirst = true
        const putFile: Store['putFile'] = async (key, path) => {
          if (isFirst && ++arrived === 2) both.resolve()
          isFirst = false
          await both.promise
          await store.putFile(key, path)
        }
        return upload({ ...store, putFile }, `${folder}/${name}`)
      })
      const ends = await Promise.allSettled(publishing)
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : []))
      expect(refused).toMatchObject([{ code: 'other_publisher' }])
      expect(refused[0]?.message).toMatch(
        /current was replaced while .* was uploaded: another installation publishes there/,
      )
      const winner = ends[0]?.status === 'fulfilled' ? versionOn(2, 1) : versionOn(3, 2)
      expect(await currentAt(place)).toBe(winner)
      expect(await versionsAt(place)).toEqual([winner])
    })
  })

  runs(
    'a publisher with an older snapshot than the store is refused before it uploads anything',
    async () => {
      await withFolder(async (folder) => {
        const place = await newPlace()
        await givenSnapshot(`${folder}/a`, versionOn(5))
        await givenSnapshot(`${folder}/b`, versionOn(4))
        await upload(await place.open(), `${folder}/a`)
        const before = await place.keys()
        await expect(upload(await place.open(), `${folder}/b`)).rejects.toMatchObject({
          code: 'other_publisher',
          message: expect.stringContaining(`names ${versionOn(5)}, which is newer`) as string,
        })
        expect(await place.keys()).toEqual(before)
      })
    },
  )

  runs('the newest versions stay, and objects of others are left alone', async () => {
    await withFolder(async (snapshots) => {
      const place = await newPlace()
      const store = await place.open()
      await store.putTagged('20260601T043000000Z-notes/manifest.json', 'of somebody else', null)
      for (const day of [1, 2, 3, 4]) {
        await givenSnapshot(snapshots, versionOn(day))
        await upload(store, snapshots, { keep: 2 })
        expect(await currentAt(place)).toBe(versionOn(day))
      }
      const others = ['20260601T043000000Z-notes?']
      expect(await versionsAt(place)).toEqual([...others, versionOn(3), versionOn(4)].map((name) => name))
      // As a purge does when it has rewritten the snapshot under another version of the same time.
      await givenSnapshot(snapshots, versionOn(4, 7))
      await upload(store, snapshots, { keep: 3 })
      expect(await versionsAt(place)).toEqual([...others, versionOn(3), versionOn(4, 7)])
      expect(await upload(store, snapshots, { keep: 1 })).toMatchObject({ isNew: false })
      expect(await versionsAt(place)).toEqual([...others, versionOn(4, 7)])
    })
  })

  runs(
    'a publisher that is killed before any of its writes changes nothing for readers, and the next one removes its remains',
    async () => {
      await withFolder(async (snapshots) => {
        const place = await newPlace()
        const store = await place.open()
        await givenSnapshot(snapshots, versionOn(1))
        await upload(store, snapshots)
        await givenSnapshot(snapshots, versionOn(2))
        // The files, the manifest, `current`; the last one is reached by nobody.
        for (let kill = 1; kill <= FILE_COUNT + 2; kill += 1) {
          const dying = dyingStore(store, kill)
          await expect(upload(dying.store, snapshots)).rejects.toThrow('killed')
          expect(await currentAt(place)).toBe(versionOn(1))
        }
        expect((await versionsAt(place)).filter((name) => name.startsWith(versionOn(2)))).toHaveLength(
          FILE_COUNT + 1,
        )
        expect(await upload(store, snapshots)).toMatchObject({ version: versionOn(2), isNew: true })
        expect(await versionsAt(place)).toEqual([versionOn(1), versionOn(2)])
      })
    },
  )

  runs('a publisher that is killed while it removes old versions has published', async () => {
    await withFolder(async (snapshots) => {
      const place = await newPlace()
      const store = await place.open()
      for (const day of [1, 2]) {
        await givenSnapshot(snapshots, versionOn(day))
        await upload(store, snapshots)
      }
      await givenSnapshot(snapshots, versionOn(3))
      const dying = dyingStore(store, FILE_COUNT + 4)
      expect(await upload(dying.store, snapshots, { keep: 1 })).toMatchObject({ version: versionOn(3) })
      expect(dying.hasDied()).toBe(true)
      expect(await currentAt(place)).toBe(versionOn(3))
      await givenSnapshot(snapshots, versionOn(4))
      await upload(store, snapshots, { keep: 1 })
      expect(await versionsAt(place)).toEqual([versionOn(4)])
    })
  })

  runs('an upload that lost a file is not published', async () => {
    await withFolder(async (snapshots) => {
      const place = await newPlace()
      const store = await place.open()
      await givenSnapshot(snapshots, versionOn(1))
      const putFile: Store['putFile'] = async (key, path) => {
        await store.putFile(key, path)
        if (key.endsWith('x.bin')) await store.remove(key)
      }
      await expect(upload({ ...store, putFile }, snapshots)).rejects.toThrow(
        /x\.bin has no bytes, and \d+ were uploaded/,
      )
      expect(await currentAt(place)).toBeNull()
    })
  })
})
