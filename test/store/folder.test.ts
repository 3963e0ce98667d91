import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { openStore } from '../../src/store/open.ts'
import { all, testStore } from './behaviour.ts'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platbook-store-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'store')
}

const open = async (place: string) =>
  openStore(place, { settings: loadConfig({}), signal: new AbortController().signal })

testStore(async () => {
  const folder = await newFolder()
  return async () => open(folder)
})

test('a failed write leaves nothing beside the objects', async () => {
  const folder = await newFolder()
  const store = await open(folder)
  await store.putTagged('a', 'one', null)
  await expect(store.putFile('b', join(folder, 'no-such-file'))).rejects.toMatchObject({
    code: 'store_failed',
  })
  await expect(store.putTagged('a', 'two', 'another tag')).rejects.toThrow()
  await writeFile(join(folder, '.a.left-by-a-killed-process'), 'x')
  expect(await all(store.list(''))).toEqual([{ key: 'a', bytes: 3 }])
  expect((await readdir(folder)).sort()).toEqual(['.a.left-by-a-killed-process', '.lock', 'a'])
})

test('a read ends with the signal', async () => {
  const stop = new AbortController()
  const store = await openStore(await newFolder(), { settings: loadConfig({}), signal: stop.signal })
  await store.putTagged('a', 'one', null)
  stop.abort()
  await expect(all(store.read('a'))).rejects.toMatchObject({ code: 'stopped' })
})

test.each(['https://example.com/x', 'S3://bucket', 's3://', 's3://b/../c', 's3://Upper/x', ''])(
  'the place %j is refused',
  async (place) => {
    await expect(open(place)).rejects.toMatchObject({ code: 'bad_usage' })
  },
)

test('credentials in a URL are not repeated', async () => {
  await expect(open('s3://INVENTEDKEYID:invented-secret@bucket/x')).rejects.toThrow(
    /^'s3:\/\/bucket\/x' cannot be used as a store/,
  )
})
