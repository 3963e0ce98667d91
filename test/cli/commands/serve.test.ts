import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { loadConfig } from '../../../src/config.ts'
import * as keys from '../../../src/cli/commands/keys.ts'
import * as serve from '../../../src/cli/commands/serve.ts'
import type { CommandIo } from '../../../src/cli/io.ts'
import { withCommand } from '../../support/command.ts'
import { withFolder } from '../../support/folder.ts'
import { inventedSnapshot } from '../../support/invented-snapshot.ts'
import { withReceiver } from '../../webhooks/receiver.ts'

interface Desk {
  readonly io: CommandIo
  readonly out: string[]
  readonly err: string[]
  readonly stop: () => void
  readonly keys: (...argv: string[]) => Promise<string>
}

async function withDesk(body: (desk: Desk) => Promise<void>, env: NodeJS.ProcessEnv = {}): Promise<void> {
  await withFolder(async (folder) => {
    const out: string[] = []
    const err: string[] = []
    const stop = new AbortController()
    const io: CommandIo = {
      config: loadConfig({ PLATBOOK_DATA: folder, LOG_LEVEL: 'silent', ...env }),
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
      isTerminal: false,
      now: systemClock,
      signal: stop.signal,
    }
    const runKeys = async (...argv: string[]): Promise<string> => {
      const from = out.length
      expect(await keys.run(argv, io)).toBe(0)
      return out.slice(from).join('\n')
    }
    await body({ io, out, err, stop: () => stop.abort(), keys: runKeys })
  })
}

describe('platbook serve', () => {
  test('prints its address, answers, and ends with 0 when it is told to stop', async () => {
    await withDesk(async ({ io, out, stop, keys: runKeys }) => {
      const key = await runKeys('create', '--name', 'desk')
      const ended = serve.run(['--port', '0'], io)
      await expect
        .poll(() => out.at(-1), { timeout: 20_000 })
        .toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/)
      const address = out.at(-1)?.replace('listening on ', '') ?? ''
      expect((await fetch(`${address}/health`)).status).toBe(200)
      expect((await fetch(`${address}/ready`)).status).toBe(503)
      expect((await fetch(`${address}/v2/person/P1`, { headers: { 'x-api-key': key } })).status).toBe(400)
      stop()
      expect(await ended).toBe(0)
      await expect(fetch(`${address}/health`)).rejects.toThrow()
      expect(JSON.parse(await runKeys('list', '--json'))).toHaveLength(1)
    })
  })

  test('links in notifications name the port of --port', async () => {
    await withReceiver(async (receiver) => {
      await withDesk(
        async ({ io, out, stop, keys: runKeys }) => {
          const key = await runKeys('create', '--name', 'desk', '--invite', 'webhooks')
          const port = await freePort()
          const ended = serve.run(['--port', String(port)], io)
          await expect.poll(() => out.at(-1), { timeout: 20_000 }).toMatch(/^listening on/)
          const created = await fetch(`http://127.0.0.1:${port}/v1/webhooks/`, {
            method: 'POST',
            headers: { 'x-api-key': key, 'content-type': 'application/json' },
            body: JSON.stringify({ url: receiver.url, event_type: 'deed.*', region: 'state:tx' }),
          })
          expect(created.status).toBe(201)
          expect(receiver.received[0]?.body).toContain(`"http://localhost:${port}/v1/events/`)
          stop()
          expect(await ended).toBe(0)
        },
        { WEBHOOK_TEST_HOSTS: '127.0.0.1' },
      )
    })
  })

  test('refuses a key that is revoked beside it', async () => {
    await withDesk(async ({ io, out, stop, keys: runKeys }) => {
      const created = JSON.parse(await runKeys('create', '--name', 'desk', '--json')) as {
        key: string
        api_key_id: string
      }
      const ended = serve.run(['--port', '0'], io)
      await expect.poll(() => out.at(-1), { timeout: 20_000 }).toMatch(/^listening on/)
      const address = out.at(-1)?.replace('listening on ', '') ?? ''
      await runKeys('revoke', created.api_key_id)
      const status = async (): Promise<number> =>
        (await fetch(`${address}/v2/person/P1`, { headers: { 'x-api-key': created.key } })).status
      await expect.poll(status, { timeout: 5_000 }).toBe(403)
      stop()
      expect(await ended).toBe(0)
    })
  })

  test('says which port is taken', async () => {
    await withDesk(async ({ io, out, stop }) => {
      const ended = serve.run(['--port', '0'], io)
      await expect.poll(() => out.at(-1), { timeout: 20_000 }).toMatch(/^listening on/)
      const port = out.at(-1)?.split(':').at(-1) ?? ''
      await expect(serve.run(['--port', port], io)).rejects.toThrow(`cannot listen on 127.0.0.1 port ${port}`)
      stop()
      await ended
    })
  })

  test.each(['70000', 'http', '-1', ''])('refuses the port %j', async (port) => {
    await withDesk(async ({ io }) => {
      await expect(serve.run([`--port=${port}`], io)).rejects.toMatchObject({ code: 'bad_usage' })
    })
  })
})

test('serve says that a snapshot is of an older version, in its log and in its answers', async () => {
  await withFolder(async (data) => {
    const { paths } = loadConfig({ PLATBOOK_DATA: data })
    const version = await inventedSnapshot(paths.snapshots)
    const manifest = join(paths.snapshots, version, 'manifest.json')
    const text = await readFile(manifest, 'utf8')
    await writeFile(manifest, text.replace(/"schema_version": *\d+/, '"schema_version": 1'))
    await withCommand(['serve', '--data', data, '--port', '0'], async (running) => {
      const [address = ''] = /http:\S+/.exec(await running.waitFor(/listening on/)) ?? []
      const answer = await fetch(`${address}/ready`)
      expect(answer.status).toBe(503)
      expect(await answer.text()).toMatch(/made by an older version of Platbook\. Run `platbook nightly`/)
      running.process.kill('SIGTERM')
      const { stdout, stderr } = await running.ended
      expect(`${stdout}${stderr}`).toMatch(
        /made by an older version of Platbook \(schema 1, .*platbook nightly/,
      )
    })
  })
})

describe('platbook keys', () => {
  test('prints a new key alone on the answer, so that a script can take it', async () => {
    await withDesk(async ({ out, err, keys: runKeys }) => {
      await runKeys('create', '--name', 'Partner', '--plan', 'gold', '--cap', '1000', '--rate', '5', '--test')
      expect(out).toEqual([expect.stringMatching(/^pk_[0-9A-Za-z]{32}$/)])
      expect(err.join()).toContain('shown only once')
    })
  })

  test('lists what there is, never a key', async () => {
    await withDesk(async ({ keys: runKeys }) => {
      const secret = await runKeys(
        'create',
        '--name',
        'Partner',
        '--plan',
        'gold',
        '--cap',
        '1000',
        '--invite',
        'webhooks',
      )
      const table = await runKeys('list')
      expect(table).toMatch(/key_\w{16}\s+Partner\s+acct_\w{16}\s+gold\s+0\s+1000/)
      expect(table).not.toContain(secret)
      expect(JSON.parse(await runKeys('list', '--json'))).toEqual([
        expect.objectContaining({
          name: 'Partner',
          monthly_cap: 1000,
          invitations: ['webhooks'],
          billable_this_month: 0,
        }),
      ])
    })
  })

  test('shows a revoked key as such', async () => {
    await withDesk(async ({ keys: runKeys }) => {
      const { api_key_id } = JSON.parse(await runKeys('create', '--name', 'Partner', '--json')) as {
        api_key_id: string
      }
      await runKeys('revoke', api_key_id)
      expect(await runKeys('list')).toMatch(/revoked \d{4}-\d\d-\d\d/)
    })
  })

  test.each([
    [[], /name an action/],
    [['destroy'], /no action 'keys destroy'/],
    [['create'], /needs a --name/],
    [['create', '--name', 'x', '--cap', 'many'], /--cap takes a whole number from 0, or none, not 'many'/],
    [['create', '--name', 'x', '--rate', '0'], /--rate takes a whole number from 1/],
    [
      ['create', '--name', 'x', '--invite', 'parties'],
      /--invite takes webhooks, events, or none, not 'parties'/,
    ],
    [['revoke'], /name a key/],
    [['list', 'more'], /too many arguments/],
  ])('%j is a wrong use', async (argv, reason) => {
    await withDesk(async ({ io }) => {
      await expect(keys.run(argv, io)).rejects.toMatchObject({
        code: 'bad_usage',
        message: expect.stringMatching(reason),
      })
    })
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
