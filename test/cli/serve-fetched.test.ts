import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { silentLog } from '../../src/log.ts'
import { readManifest } from '../../src/lookup/format/manifest.ts'
import { uploadCurrent } from '../../src/replicate/upload.ts'
import { openStore } from '../../src/store/open.ts'
import { type Ended, runCommand, withCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'
import { inventedSnapshot } from '../support/invented-snapshot.ts'
import { killedAtWrite } from '../support/killed-at-write.ts'
import { MOTO_ENV, startMoto } from '../support/moto.ts'
import { INVENTED, publishedSnapshot } from '../support/published.ts'

const moto = (await startMoto())!
afterAll(() => moto?.stop())

interface Installations {
  /** The `s3://` URL of the snapshots. */
  readonly place: string
  /** The data folder that publishes, with a snapshot of the invented world. */
  readonly publisher: string
  readonly replica: string
  /** The version of that snapshot. */
  readonly version: string
  /** Runs a command in a data folder. */
  readonly platbook: (data: string, ...argv: string[]) => Promise<Ended>
  /** Publishes the invented world once more and uploads it. Returns the version. */
  readonly publishAgain: (now: string) => Promise<string>
  /** Returns the key of an object of the current upload. */
  readonly keyOf: (file: string) => Promise<string>
}

async function withInstallations(body: (installations: Installations) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const place = `${await moto.newBucket()}/platbook`
    const publisher = join(folder, 'publisher')
    const replica = join(folder, 'replica')
    const env = { ...MOTO_ENV, AWS_ENDPOINT_URL_S3: moto.url }
    const snapshots = join(publisher, 'snapshots')
    await body({
      place,
      publisher,
      replica,
      version: await inventedSnapshot(snapshots),
      platbook: (data, ...argv) =>
        runCommand([...argv, '--data', data], { env: { ...env, SNAPSHOT_STORE: place } }),
      async publishAgain(now) {
        const { version } = await publishedSnapshot(snapshots, undefined, new Date(now))
        const { signal } = new AbortController()
        const store = await openStore(place, { settings: loadConfig(env), signal })
        await uploadCurrent({ store, snapshots, keep: 3, log: silentLog, signal })
        store.close()
        return version
      },
      async keyOf(file) {
        const [upload] = (await moto.get(`${place}/current`)).toString().split(' ')
        return `${place}/${upload}/${file}`
      },
    })
  })
}

describe.skipIf(moto === null)('serve --snapshots', () => {
  test.each([{ workers: [] }, { workers: ['--workers', '2'] }])(
    'fetches what is published, swaps under requests, and never serves a damaged version with $workers',
    async ({ workers }) => {
      await withInstallations(
        async ({ place, publisher, replica, version, platbook, publishAgain, keyOf }) => {
          const limits = ['--rate', '1000000', '--burst', '1000000']
          const { stdout } = await platbook(replica, 'keys', 'create', '--name', 'replica', ...limits)
          const key = /\bpk_\S+|\S{24,}/.exec(stdout)?.[0] ?? ''
          const suppressed = await platbook(replica, 'suppress', 'add', '--person', INVENTED.jane)
          expect(suppressed.code, suppressed.stderr).toBe(0)
          const argv = ['serve', '--data', replica, '--port', '0', '--snapshots', place, ...workers]
          const env = { ...MOTO_ENV, AWS_ENDPOINT_URL_S3: moto.url }
          await withCommand(
            argv,
            async (running) => {
              const [address = ''] = /http:\S+/.exec(await running.waitFor(/listening on/)) ?? []
              const ask = async (path: string): Promise<{ status: number; body: string }> => {
                const response = await fetch(`${address}${path}`, { headers: { 'x-api-key': key } })
                return { status: response.status, body: await response.text() }
              }
              const served = async (): Promise<unknown> => {
                const { body } = await ask('/health')
                return (JSON.parse(body) as { snapshot: string | null }).snapshot
              }
              const nothing = await ask('/ready')
              expect(nothing).toMatchObject({
                status: 503,
                body: expect.stringContaining('no snapshot has been fetched') as string,
              })

              const published = await platbook(publisher, 'suppress', 'purge')
              expect(published.stdout, published.stderr).toContain(
                `${place} has ${version} and no older snapshot`,
              )
              await expect.poll(served, { timeout: 60_000 }).toBe(version)
              expect(await ask(`/v2/person/${INVENTED.john}`)).toMatchObject({ status: 200 })
              // The list of suppressed people is that of the serving installation.
              expect(await ask(`/v2/person/${INVENTED.jane}`)).toMatchObject({ status: 404 })

              const statuses = new Set<number>()
              const stop = new AbortController()
              const asking = (async () => {
                while (!stop.signal.aborted) {
                  statuses.add((await ask(`/v2/person/${INVENTED.john}`)).status)
                  statuses.add((await ask(`/v2/person/${INVENTED.jane}`)).status + 1_000)
                }
              })()
              const second = await publishAgain('2026-06-03T04:30:00Z')
              await expect.poll(served, { timeout: 60_000 }).toBe(second)

              const third = await publishAgain('2026-06-04T04:30:00Z')
              const damaged = await keyOf('tables/people.parquet')
              const bytes = await moto.get(damaged)
              bytes[bytes.length >> 1]! ^= 1
              await moto.put(damaged, bytes)
              await expect
                .poll(async () => (await ask('/ready')).body, { timeout: 60_000 })
                .toBe(JSON.stringify({ status: 'ready', snapshot: second, withheld: third }))
              stop.abort()
              await asking
              expect([...statuses].sort((a, b) => a - b)).toEqual([200, 1_404])
              const doctor = await platbook(replica, 'doctor')
              expect(doctor.code).toBe(1)
              expect(doctor.stdout).toMatch(
                new RegExp(`snapshot ${third} cannot be fetched since .*/tables/people.parquet is damaged`),
              )
              expect(doctor.stdout).toMatch(`store      ${place}, ${third} is not here yet`)

              const fourth = await publishAgain('2026-06-05T04:30:00Z')
              await expect.poll(served, { timeout: 60_000 }).toBe(fourth)
              await expect.poll(async () => (await ask('/ready')).body).toContain('"withheld":null')
              running.process.kill('SIGTERM')
              const { code, stderr } = await running.ended
              expect(code, stderr).toBe(0)
              expect(stderr).not.toMatch(/INVENTEDKEYID|invented-secret/)
            },
            { env },
          )
        },
      )
    },
    300_000,
  )

  test('a publisher that is killed before any of its requests leaves the old version to readers', async () => {
    await withInstallations(async ({ place, publisher, version, platbook, publishAgain }) => {
      expect((await platbook(publisher, 'suppress', 'purge')).code).toBe(0)
      const snapshots = join(publisher, 'snapshots')
      const next = (await publishedSnapshot(snapshots, undefined, new Date('2026-06-03T04:30:00Z'))).version
      const files = Object.keys(readManifest(join(snapshots, next)).files).length
      const current = async (): Promise<string> =>
        (await moto.get(`${place}/current`)).toString().slice(0, 28)
      // The first file, one in the middle, the manifest, and `current`.
      for (const kill of [1, files >> 1, files + 1, files + 2]) {
        const argv = ['suppress', 'purge', '--data', publisher]
        expect(await killedAtWrite(moto.url, kill, argv, { SNAPSHOT_STORE: place })).toBe(true)
        expect(await current()).toBe(version)
      }
      const bucket = place.slice(0, place.lastIndexOf('/'))
      const uploads = async (): Promise<number> =>
        new Set((await moto.keys(bucket)).map((key) => key.split('/')[1])).size - 1
      expect(await uploads()).toBeGreaterThanOrEqual(4)
      const last = await publishAgain('2026-06-04T04:30:00Z')
      expect(await current()).toBe(last)
      expect(await uploads()).toBe(2)
    })
  }, 180_000)

  test('refuses a place that is no store, and a data folder that publishes itself', async () => {
    await withFolder(async (folder) => {
      const serve = (place: string) =>
        runCommand(['serve', '--data', folder, '--port', '0', '--snapshots', place])
      expect(await serve('gs://bucket')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('give a folder or s3://') as string,
      })
      await mkdir(join(folder, 'warehouse'))
      await writeFile(join(folder, 'warehouse', 'warehouse.duckdb'), '')
      expect(await serve(join(folder, 'store'))).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--snapshots needs a data folder of its own') as string,
      })
    })
  })
})
