import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { lastBackup } from '../../src/cli/backups.ts'
import { run as backUp } from '../../src/cli/commands/backup.ts'
import { run as restore } from '../../src/cli/commands/restore.ts'
import type { CommandIo } from '../../src/cli/io.ts'
import { loadConfig } from '../../src/config.ts'
import { openState } from '../../src/state/open.ts'
import { withCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'
import { type Moto, startMoto } from '../support/moto.ts'

const SECRETS = { AWS_ACCESS_KEY_ID: 'INVENTEDKEYID', AWS_SECRET_ACCESS_KEY: 'invented-secret-of-tests' }
const MIB = 1 << 20

// The server wants a key's name for existing objects; it checks no signatures.
const NAMED = {
  authorization: 'AWS4-HMAC-SHA256 Credential=INVENTEDKEYID/20260101/us-east-1/s3/aws4_request',
}

let moto: Moto
// The first run on a machine installs the server.
beforeAll(async () => void (moto = await startMoto()), 600_000)
afterAll(() => moto.stop())

interface Data {
  readonly io: CommandIo
  readonly lines: string[]
  /** The URL of a new bucket. */
  readonly bucket: string
  /** Lets time pass. */
  readonly pass: (hours: number) => void
  readonly addKey: (name: string) => Promise<void>
  readonly keyNames: () => Promise<string[]>
  /** Keys of the bucket's objects. */
  readonly objects: () => Promise<string[]>
}

let buckets = 0

/** A data folder with a state file and person ids of 40 MiB, and a bucket. */
async function withData(body: (data: Data) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    let at = Date.now()
    const lines: string[] = []
    const env = { ...SECRETS, AWS_ENDPOINT_URL_S3: moto.url }
    const config = loadConfig(env, { data: join(folder, 'data') })
    const { paths } = config
    const io: CommandIo = {
      config,
      out: (line) => void lines.push(line),
      err: (line) => void lines.push(line),
      isTerminal: false,
      now: () => new Date(at),
      signal: new AbortController().signal,
    }
    await keepInventedIds(paths.identities)
    const name = `backups-${++buckets}`
    expect((await fetch(`${moto.url}/${name}`, { method: 'PUT' })).status).toBe(200)
    await body({
      io,
      lines,
      bucket: `s3://${name}`,
      pass: (hours) => void (at += hours * 3_600_000),
      async addKey(key) {
        const state = openState(paths.state)
        state.keys.create({ name: key })
        await state.close()
      },
      async keyNames() {
        const state = openState(paths.state)
        const names = state.keys.list().map((key) => key.name)
        await state.close()
        return names.sort()
      },
      async objects() {
        const text = await (await fetch(`${moto.url}/${name}?list-type=2`)).text()
        return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key!)
      },
    })
  })
}

/** Person ids as the linker keeps them, as far as a backup reads them; one file needs three parts to upload. */
async function keepInventedIds(folder: string): Promise<void> {
  const run = join(folder, '00000004-0a1b2c3d')
  await mkdir(run, { recursive: true })
  const files = { 'people.parquet': randomBytes(1_000), 'person_mentions.parquet': randomBytes(40 * MIB) }
  const listed: Record<string, { bytes: number; sha256: string }> = {}
  for (const [file, bytes] of Object.entries(files)) {
    await writeFile(join(run, file), bytes)
    listed[file] = { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  }
  const manifest = { run_number: 4, linked_at: '2026-06-01', files: listed }
  await writeFile(join(run, 'manifest.json'), JSON.stringify(manifest))
}

test('a backup goes to a bucket in parts and comes back byte for byte, with files for the owner alone', async () => {
  await withData(async ({ io, lines, bucket, addKey, keyNames, objects, pass }) => {
    const { paths } = io.config
    await addKey('kept')
    const mentions = join(paths.identities, '00000004-0a1b2c3d', 'person_mentions.parquet')
    const before = await readFile(mentions)
    expect(await backUp(['--to', `${bucket}/one/two/`, '--json'], io)).toBe(0)
    const said = JSON.parse(lines.at(-1)!) as { folder: string; bytes: number }
    expect(said.folder).toMatch(/^s3:\/\/backups-\d+\/one\/two\/platbook-\d{8}T\d{9}Z$/)
    expect(await lastBackup(paths)).toMatchObject({ folder: said.folder })
    expect((await objects()).map((key) => key.split('/').slice(3).join('/'))).toEqual([
      'identities/00000004-0a1b2c3d/manifest.json',
      'identities/00000004-0a1b2c3d/people.parquet',
      'identities/00000004-0a1b2c3d/person_mentions.parquet',
      'manifest.json',
      'state.sqlite',
    ])
    const state = join(paths.state, '..')
    expect((await readdir(state)).filter((name) => name.startsWith('transfer-'))).toEqual([])

    await rm(state, { recursive: true })
    await rm(paths.identities, { recursive: true, force: true })
    pass(1)
    expect(await restore(['--from', `${bucket}/one/two`], io)).toBe(0)
    expect(await keyNames()).toEqual(['kept'])
    expect(before.equals(await readFile(mentions))).toBe(true)
    for (const path of [mentions, paths.state]) expect((await stat(path)).mode & 0o777, path).toBe(0o600)
    expect((await readdir(state)).filter((name) => name.startsWith('transfer-'))).toEqual([])
    expect(await restore(['--from', said.folder, '--force'], io)).toBe(0)
    expect(lines.join('\n')).not.toMatch(/INVENTEDKEYID|invented-secret/)
  })
}, 600_000)

test('an upload that is killed before any of its requests leaves nothing that restore accepts', async () => {
  await withData(async ({ io, bucket, addKey, keyNames, objects, pass }) => {
    await addKey('kept')
    let writes = 0
    for (let kill = 1; ; kill += 1) {
      const place = `${bucket}/kill-${kill}`
      const killed = await backUpUntil(io, place, kill)
      if (!killed) {
        writes = kill - 1
        expect(await restore(['--from', place, '--force'], io)).toBe(0)
        break
      }
      await expect(restore(['--from', place, '--force'], io), place).rejects.toThrow(
        /contains no complete backup/,
      )
    }
    // State file, the start, three parts and the end of one file of ids, two small files, the manifest.
    expect(writes).toBe(9)
    expect(await keyNames()).toEqual(['kept'])

    const leftBehind = (await objects()).filter((key) => key.startsWith('kill-9/'))
    expect(leftBehind).toHaveLength(4)
    pass(1)
    await backUp(['--to', `${bucket}/kill-9`], io)
    expect(await objects()).toEqual(expect.arrayContaining(leftBehind))
    pass(48)
    await backUp(['--to', `${bucket}/kill-9`], io)
    const staying = await objects()
    expect(leftBehind.filter((key) => staying.includes(key))).toEqual([])
    expect(await restore(['--from', `${bucket}/kill-9`, '--force'], io)).toBe(0)
  })
}, 900_000)

test('the newest backups stay, and nothing else in the bucket is touched', async () => {
  await withData(async ({ io, lines, bucket, addKey, objects, pass }) => {
    await addKey('kept')
    await rm(io.config.paths.identities, { recursive: true })
    const other = ['other/file', 'platbook-20200101T000000000Z/notes.txt', 'platbook-old/manifest.json']
    for (const key of other) await putObject(`${bucket}/${key}`, 'not a backup')
    const made: string[] = []
    for (let n = 0; n < 4; n += 1) {
      await backUp(['--to', bucket, '--keep', '2', '--json'], io)
      made.push((JSON.parse(lines.at(-1)!) as { folder: string }).folder)
      pass(24)
    }
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ removed: [made[1]] })
    const names = made.slice(2).map((folder) => folder.split('/').at(-1)!)
    expect((await objects()).sort()).toEqual(
      [...other, ...names.flatMap((name) => [`${name}/manifest.json`, `${name}/state.sqlite`])].sort(),
    )
    await expect(restore(['--from', made[0]!, '--force'], io)).rejects.toThrow(/contains no complete backup/)
  })
}, 600_000)

test('damaged objects, and manifests that name other files, are refused and leave the state file as it was', async () => {
  await withData(async ({ io, lines, bucket, addKey, keyNames, pass }) => {
    await addKey('kept')
    await rm(io.config.paths.identities, { recursive: true })
    await backUp(['--to', bucket, '--json'], io)
    const { folder } = JSON.parse(lines.at(-1)!) as { folder: string }
    await addKey('after the backup')
    const state = await getObject(`${folder}/state.sqlite`)
    const manifest = JSON.parse((await getObject(`${folder}/manifest.json`)).toString()) as {
      files: Record<string, unknown>
    }
    const refused = async (reason: RegExp): Promise<void> => {
      pass(1)
      await expect(restore(['--from', bucket, '--force'], io)).rejects.toThrow(reason)
      expect(await keyNames()).toEqual(['after the backup', 'kept'])
    }
    const refusedManifest = async (files: Record<string, unknown>): Promise<void> => {
      await putObject(`${folder}/manifest.json`, JSON.stringify({ ...manifest, files }))
      await refused(
        /is damaged \(manifest.json: the state file is missing, or there are files that do not belong to a backup\)/,
      )
    }
    // The download lies beside the state file until its copy is in place, so a restore needs twice the size.
    const { bavail, bsize } = await statfs(io.config.paths.state)
    const bytes = Math.floor((bavail * bsize) / 2) + 2 ** 30
    const long = { ...manifest, files: { 'state.sqlite': { bytes, sha256: 'a' } } }
    await putObject(`${folder}/manifest.json`, JSON.stringify(long))
    await refused(
      /^restoring s3:\/\/\S+ needs about [\d,]+ MB on the disk of \S+state, and [\d,]+ MB are free: /,
    )
    await putObject(`${folder}/manifest.json`, JSON.stringify(manifest))
    state[5_000]! ^= 1
    await putObject(`${folder}/state.sqlite`, state)
    await refused(/s3:\/\/\S+ is damaged \(state.sqlite has changed since the backup\): use another backup/)
    await putObject(`${folder}/state.sqlite`, Buffer.concat([state, Buffer.alloc(100)]))
    await refused(/is larger than the \d+ bytes that the backup recorded/)
    for (const file of ['../../escaped', '/etc/escaped', 'identities/../../escaped', 'manifest.json'])
      await refusedManifest({ ...manifest.files, [file]: { bytes: 1, sha256: 'a' } })
    await refusedManifest({})
    await putObject(`${folder}/manifest.json`, '{"made_at": ')
    await refused(/is damaged \(manifest.json: /)
    await putObject(`${folder}/manifest.json`, ' '.repeat(2 * MIB))
    await refused(/manifest.json is larger than the 1048576 bytes/)
    expect(await readdir(join(io.config.paths.root, '..'))).toEqual(['data'])
  })
}, 600_000)

test('a bucket that is missing, and a server that is, are named with the setting to check', async () => {
  await withData(async ({ io, addKey }) => {
    await addKey('kept')
    await rm(io.config.paths.identities, { recursive: true })
    const failing = backUp(['--to', 's3://no-such-bucket-here/x'], io)
    await expect(failing).rejects.toThrow(
      /^s3:\/\/no-such-bucket-here\/x\/platbook-\S+\/state.sqlite cannot be written \(NoSuchBucket.*create the bucket/,
    )
    const stopped = new AbortController()
    stopped.abort()
    await expect(backUp(['--to', 's3://bucket/x'], { ...io, signal: stopped.signal })).rejects.toMatchObject({
      code: 'stopped',
    })
    expect(await lastBackup(io.config.paths)).toBeNull()
  })
}, 600_000)

/** Runs a real `platbook backup`, and kills it when its request number `kill` that writes arrives. Gives whether it came so far. */
async function backUpUntil(io: CommandIo, place: string, kill: number): Promise<boolean> {
  let writes = 0
  let child: ChildProcess | undefined
  const proxy = createServer((incoming, outgoing) => {
    if (incoming.method !== 'GET' && ++writes === kill) {
      child?.kill('SIGKILL')
      return
    }
    const target = new URL(incoming.url ?? '/', moto.url)
    const { method, headers } = incoming
    const onward = request(target, { method, headers } as object, (answer: IncomingMessage) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void proxy.close())
  await new Promise((resolve) => proxy.once('listening', resolve))
  const { port } = proxy.address() as AddressInfo
  const env = { ...SECRETS, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` }
  const argv = ['backup', '--to', place, '--data', io.config.paths.root]
  const { code, stderr } = await withCommand(
    argv,
    async (running) => {
      child = running.process
      return running.ended
    },
    { env },
  )
  proxy.closeAllConnections()
  if (code !== null) expect(code, stderr).toBe(0)
  return code === null
}

function objectUrl(url: string): string {
  return url.replace('s3:/', moto.url)
}

async function getObject(url: string): Promise<Buffer<ArrayBuffer>> {
  const response = await fetch(objectUrl(url), { headers: NAMED })
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

async function putObject(url: string, body: string | Buffer<ArrayBuffer>): Promise<void> {
  expect((await fetch(objectUrl(url), { method: 'PUT', body, headers: NAMED })).status).toBe(200)
}
