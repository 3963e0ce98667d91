import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { currentSnapshot } from '../../src/lookup/format/current.ts'
import { type Api, withApi } from '../api/support.ts'
import { runCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'

const SOURCES = fileURLToPath(new URL('../fixtures/sources', import.meta.url))
const DEEDS = `RECEPTION,TYPE,RECORDED,GRANTEE
4001,WD,2026-01-05,MARCHBANKS LENA
4002,QCD,2026-01-06,INVENTED HOLDINGS LLC
`
const BOULDER = '/v1/events/deed?region=county:co.boulder'

interface States {
  results: { state_code: string; supported_webhook_events: string[] }[]
}

/** The answers of a service that is configured by `env` about the regions with events. */
async function withRegions(
  snapshots: string,
  env: Record<string, string>,
  body: (asked: {
    readonly search: ReturnType<Api['get']>
    readonly subscribe: ReturnType<Api['send']>
    readonly supporting: string[]
  }) => Promise<void>,
): Promise<void> {
  await withApi(
    async ({ get, send, newKey }) => {
      const key = await newKey({ invitations: ['events', 'webhooks'] })
      const states = (await get('/v1/regions/states')).json<States>().results
      await body({
        search: get(BOULDER, { 'x-api-key': key }),
        // The endpoint refuses connections: a region that is accepted is followed by a refusal of the url.
        subscribe: send(
          'POST',
          '/v1/webhooks/',
          { url: 'https://127.0.0.1:1/hook', event_type: 'deed.*', region: 'state:co' },
          key,
        ),
        supporting: states
          .filter((state) => state.supported_webhook_events.length > 0)
          .map((state) => state.state_code),
      })
    },
    { snapshots, env: { WEBHOOK_TEST_HOSTS: '127.0.0.1:1', ...env } },
  )
}

/** The next nightly run finds no new file, but somebody suppressed: it publishes a snapshot without them, once. */
async function expectSuppressed(data: string, name: string): Promise<void> {
  const tables = async () => join((await currentSnapshot(join(data, 'snapshots')))!.folder, 'tables')
  const people = async () =>
    withWarehouse(async (db) => rowsOf(db, `select person_id, name from '${await tables()}/people.parquet'`))
  const [person] = await people()
  expect(person).toMatchObject({ name })
  await runCommand(['suppress', 'add', '--person', String(person!['person_id']), '--data', data])
  const nightly = ['nightly', '--data', data, '--sources', SOURCES]
  expect(await runCommand(nightly)).toMatchObject({ code: 0 })
  expect(await people()).toEqual([])
  const published = await tables()
  expect(await runCommand(nightly)).toMatchObject({ code: 0 })
  expect(await tables()).toBe(published)
}

test('the deeds of a county of Colorado that was added as data are reached by EVENT_STATES everywhere or nowhere', async () => {
  await withFolder(async (data) => {
    const landing = join(data, 'landing', 'us-co-boulder-deeds')
    await mkdir(landing, { recursive: true })
    await writeFile(join(landing, 'boulder_deeds_20260107.csv'), DEEDS)
    const night = await runCommand(['nightly', '--data', data, '--sources', SOURCES])
    expect(night).toMatchObject({ code: 0 })
    for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      expect([path, (await stat(path)).mode & 0o7777]).toEqual([path, entry.isDirectory() ? 0o700 : 0o600])
    }

    const doctor = ['doctor', '--data', data, '--sources', SOURCES]
    const missing = await runCommand(doctor)
    expect(missing.stdout).toContain(
      '2 deed events of CO are published but cannot be searched: add CO to EVENT_STATES, or set EVENT_STATES=loaded',
    )
    const widened = await runCommand(doctor, { env: { EVENT_STATES: 'loaded' } })
    expect(widened.stdout).not.toContain('cannot be searched')

    const snapshots = join(data, 'snapshots')
    let newest = ''
    await withRegions(snapshots, {}, async ({ search, subscribe, supporting }) => {
      expect((await search).json()).toMatchObject({ error: { code: 'unknown_region' } })
      expect((await subscribe).json()).toMatchObject({ error: { meta: { field: 'region' } } })
      expect(supporting).toEqual(['FL', 'NY', 'TX'])
    })
    for (const [EVENT_STATES, states] of [
      ['loaded', ['CO']],
      ['tx, co', ['CO', 'TX']],
    ] as const) {
      await withRegions(snapshots, { EVENT_STATES }, async ({ search, subscribe, supporting }) => {
        const { results } = (await search).json<{ results: { id: string; event_type: string }[] }>()
        newest = results[0]?.id ?? ''
        expect(results.map(({ event_type }) => event_type)).toEqual(['deed.quitclaim', 'deed.transfer'])
        expect((await subscribe).json()).toMatchObject({ error: { meta: { field: 'url' } } })
        expect(supporting).toEqual(states)
      })
    }

    const explained = await runCommand(['explain', newest, '--data', data, '--raw'])
    expect(explained).toMatchObject({ code: 0 })
    expect(explained.stdout).toMatch(/date {7}2026-01-06\n/)
    expect(explained.stdout).toMatch(
      /reported {3}by the recorder: \S*boulder_deeds_20260107\.csv:3 \(us\/co\/boulder\.deeds\)/,
    )
    expect(explained.stdout).toContain('RECEPTION: 4002')
    await expectSuppressed(data, 'Lena Marchbanks')
    const unknown = await runCommand(['explain', '00000000-0000-5000-8000-000000000000', '--data', data])
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('has no event') as string })
  })
}, 180_000)

test.each([
  ['TX,Texas', /EVENT_STATES is set to "TX,Texas": takes two-letter state codes/],
  ['', /EVENT_STATES is set to "": takes two-letter state codes/],
])('EVENT_STATES=%j is refused with the values that it takes', async (EVENT_STATES, message) => {
  const { code, stderr } = await runCommand(['doctor'], { env: { EVENT_STATES } })
  expect(code).toBe(1)
  expect(stderr).toMatch(message)
})

test('a service refuses an EVENT_STATES that names a state that does not exist', async () => {
  await expect(withApi(async () => undefined, { env: { EVENT_STATES: 'TX,ZZ' } })).rejects.toThrow(
    /EVENT_STATES has unknown codes: ZZ/,
  )
})
