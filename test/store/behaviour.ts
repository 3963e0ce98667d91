import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { download, type Store } from '../../src/store/store.ts'
import { withFolder } from '../support/folder.ts'

/** Tests that both implementations of a store must pass. `open` opens a store for one place; each test has a new place. */
export function testStore(newPlace: () => Promise<() => Promise<Store>>): void {
  test('files go into the store and come back byte for byte, empty ones and long ones too', async () => {
    await withFolder(async (folder) => {
      const store = await (await newPlace())()
      for (const bytes of [0, 1_000, 17 * (1 << 20)]) {
        const content = randomBytes(bytes)
        await writeFile(join(folder, 'given'), content)
        await store.putFile(`x/${bytes}.bin`, join(folder, 'given'))
        const copied = await download(store, `x/${bytes}.bin`, join(folder, 'deep', 'copied'), {
          mostBytes: bytes,
        })
        expect(copied).toEqual({ bytes, sha256: createHash('sha256').update(content).digest('hex') })
        expect(content.equals(await readFile(join(folder, 'deep', 'copied')))).toBe(true)
      }
      expect(await listed(store, '')).toEqual(['x/0.bin 0', 'x/1000.bin 1000', 'x/17825792.bin 17825792'])
      await writeFile(join(folder, 'given'), 'shorter')
      await store.putFile('x/1000.bin', join(folder, 'given'))
      expect(await listed(store, 'x/1')).toEqual(['x/1000.bin 7', 'x/17825792.bin 17825792'])
      await expect(download(store, 'x/1000.bin', join(folder, 'copied'), { mostBytes: 6 })).rejects.toThrow(
        `${store.url}/x/1000.bin is larger than the 6 bytes`,
      )
    })
  })

  test('a prefix finds the keys that start with it, in all folders', async () => {
    const store = await (await newPlace())()
    expect(await listed(store, '')).toEqual([])
    for (const key of ['a.x', 'a-b', 'a/b', 'a/c/c=1/d', 'ab/c', 'b']) await store.putTagged(key, key, null)
    expect(await listed(store, 'a')).toEqual(['a-b 3', 'a.x 3', 'a/b 3', 'a/c/c=1/d 9', 'ab/c 4'])
    expect(await listed(store, 'a/')).toEqual(['a/b 3', 'a/c/c=1/d 9'])
    expect(await listed(store, 'a/c/c=1/')).toEqual(['a/c/c=1/d 9'])
    expect(await listed(store, 'none/')).toEqual([])
    await store.remove('a/c/c=1/d')
    await store.remove('a/c/c=1/d')
    expect(await listed(store, 'a/')).toEqual(['a/b 3'])
  })

  test('a tagged object is replaced only by who knows its present tag', async () => {
    const open = await newPlace()
    const [store, other] = [await open(), await open()]
    expect(await store.readTagged('current')).toBeNull()
    const first = await store.putTagged('current', 'one', null)
    await expect(other.putTagged('current', 'two', null)).rejects.toMatchObject({ code: 'changed_in_store' })
    expect(await other.readTagged('current')).toEqual({ text: 'one', tag: first })
    expect(await other.readTagged('current', first)).toBe('same')
    const second = await other.putTagged('current', 'two', first)
    expect(second).not.toBe(first)
    await expect(store.putTagged('current', 'three', first)).rejects.toThrow(
      `${store.url}/current was changed by another process`,
    )
    expect(await store.readTagged('current', first)).toEqual({ text: 'two', tag: second })
    // A repetition of a request that was done, after its answer was lost.
    expect(await other.putTagged('current', 'two', second)).toBe(second)
    await store.remove('current')
    await expect(store.putTagged('current', 'four', second)).rejects.toMatchObject({
      code: 'changed_in_store',
    })
    expect(await store.readTagged('current')).toBeNull()
  })

  test('of many writers with the same tag one succeeds', async () => {
    const open = await newPlace()
    const stores = await Promise.all(Array.from({ length: 8 }, open))
    let tag: string | null = null
    for (let round = 0; round < 5; round += 1) {
      const ends = await Promise.allSettled(
        stores.map((store, writer) => store.putTagged('current', `${round} ${writer}`, tag)),
      )
      const winners = ends.flatMap((end, writer) => (end.status === 'fulfilled' ? [writer] : []))
      expect(winners).toHaveLength(1)
      const now = await stores[0]!.readTagged('current')
      expect(now).toMatchObject({ text: `${round} ${winners[0]}` })
      tag = now === null || now === 'same' ? null : now.tag
    }
  })

  test('an object that does not exist is named, and so is a key that leaves the place', async () => {
    const store = await (await newPlace())()
    await expect(all(store.read('no/such'))).rejects.toMatchObject({
      code: 'not_in_store',
      message: `${store.url}/no/such does not exist`,
    })
    for (const key of [
      '../up',
      'a/../../up',
      '/etc/passwd',
      '.hidden',
      'a//b',
      'a/',
      '',
      'a b',
      'x'.repeat(600),
    ])
      await expect(store.putTagged(key, 'x', null), key).rejects.toMatchObject({ code: 'bad_input' })
  })
}

async function listed(store: Store, prefix: string): Promise<string[]> {
  const found = await all(store.list(prefix))
  return found.map(({ key, bytes }) => `${key} ${bytes}`).sort()
}

export async function all<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of iterable) found.push(one)
  return found
}
