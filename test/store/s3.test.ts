import { afterAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { MOTO_ENV, startMoto } from '../support/moto.ts'
import { all, testStore } from './behaviour.ts'

const moto = await startMoto()
afterAll(() => moto?.stop())

const open = async (place: string, signal = new AbortController().signal): Promise<Store> =>
  openStore(place, { settings: loadConfig({ ...MOTO_ENV, AWS_ENDPOINT_URL_S3: moto!.url }), signal })

describe.skipIf(moto === null)('a store in an S3 bucket', () => {
  describe.each(['', '/one/two/'])('with the prefix %j', (prefix) => {
    testStore(async () => {
      const bucket = await moto!.newBucket()
      return async () => open(`${bucket}${prefix}`)
    })
  })

  test('more keys than a page of the protocol are listed', async () => {
    const bucket = await moto!.newBucket()
    for (let from = 0; from < 1_005; from += 67)
      await Promise.all(Array.from({ length: 67 }, (_, at) => moto!.put(`${bucket}/p/${from + at}`, 'x')))
    const store = await open(`${bucket}/p`)
    expect((await all(store.list(''))).map(({ key }) => Number(key)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 1_005 }, (_, at) => at),
    )
  })

  test('errors name the object and what to check, and no credentials', async () => {
    const missing = await open('s3://no-such-bucket-here/x')
    await expect(missing.putTagged('a', 'x', null)).rejects.toThrow(
      /^s3:\/\/no-such-bucket-here\/x\/a cannot be written \(NoSuchBucket.*create the bucket/,
    )
    await expect(missing.readTagged('a')).rejects.toThrow(/NoSuchBucket.*create the bucket/)
    await expect(all(missing.list(''))).rejects.toThrow(/^objects in s3:\/\/no-such-bucket-here\/x /)
    const stopped = await open(await moto!.newBucket(), AbortSignal.abort())
    await expect(stopped.remove('a')).rejects.toMatchObject({ code: 'stopped' })
    for (const store of [missing, stopped])
      await store.readTagged('a').catch((error: unknown) => {
        expect(String((error as Error).stack)).not.toMatch(/INVENTEDKEYID|invented-secret/)
      })
    expect.assertions(6)
  })

  test('a large object is not read as a small one', async () => {
    const bucket = await moto!.newBucket()
    await moto!.put(`${bucket}/current`, 'x'.repeat(2 << 20))
    await expect((await open(bucket)).readTagged('current')).rejects.toThrow(/at most 1048576 are read/)
  })
})
