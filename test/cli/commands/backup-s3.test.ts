import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { lastBackup } from '../../../src/cli/backups.ts'
import { run as backUp } from '../../../src/cli/commands/backup.ts'
import { run as restore } from '../../../src/cli/commands/restore.ts'
import type { CommandIo } from '../../../src/cli/io.ts'
import { loadConfig } from '../../../src/config.ts'
import { openState } from '../../../src/state/open.ts'
import { withFolder } from '../../support/folder.ts'
import { killedAtWrite } from '../../support/killed-at-write.ts'
import { MOTO_ENV, startMoto } from '../../support/moto.ts'

const MIB = 1 << 20

const moto = (await startMoto())!
afterAll(() => moto?.stop())

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

/** A data folder with a state file and person ids of 40 MiB, and a bucket. */
async function withData(body: (data: Data) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    let at = Date.now()
    const lines: string[] = []
    const env = { ...MOTO_ENV, AWS_ENDPOINT_URL_S3: moto.url }
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
    const bucket = await moto.newBucket()
    await body({
      io,
      lines,
      bucket,
      pass: (hours) => void (at += hours * 3_600_000),
      async addKey(key) {
        const state = await openState(paths.state)
        await state.keys.create({ name: key })
        await state.close()
      },
      async keyNames() {
        const state = await openState(paths.state)
        const names = (await state.keys.list()).map((key) => key.name)
        await state.close()
        return names.sort()
      },
      objects: () => moto.keys(bucket),
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

describe.skipIf(moto === null)('backups in a bucket', () => {
  test('a backup goes to a bucket in parts and comes back byte for byte, with files for the owner alone', async () => {
    await withData(async ({ io, lines, bucket, addKey, keyNames, objects, pass }) => {
      const { paths } = io.config
      await addKey('kept')
      const mentions = join(paths.identities, '00000004-0a1b2c3d', 'person_mentions.parquet')
      const before = await readFile(mentions)
      expect(await backUp(['--to', `${bucket}/one/two/`, '--json'], io)).toBe(0)
      const said = JSON.parse(lines.at(-1)!) as { folder: string; bytes: number }
      expect(said.folder).toMatch(/^s3:\/\/invented-\d+\/one\/two\/platbook-\d{8}T\d{9}Z$/)
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
      for (const key of other) await moto.put(`${bucket}/${key}`, 'not a backup')
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
      await expect(restore(['--from', made[0]!, '--force'], io)).rejects.toThrow(
        /contains no complete backup/,
      )
    })
  }, 600_000)

  test('damaged objects, and manifests that name other files, are refused and leave the state file as it was', async () => {
    await withData(async ({ io, lines, bucket, addKey, keyNames, pass }) => {
      await addKey('kept')
      await rm(io.config.paths.identities, { recursive: true })
      await backUp(['--to', bucket, '--json'], io)
      const { folder } = JSON.parse(lines.at(-1)!) as { folder: string }
      await addKey('after the backup')
      const state = await moto.get(`${folder}/state.sqlite`)
      const manifest = JSON.parse((await moto.get(`${folder}/manifest.json`)).toString()) as {
        files: Record<string, unknown>
      }
      const refused = async (reason: RegExp): Promise<void> => {
        pass(1)
        await expect(restore(['--from', bucket, '--force'], io)).rejects.toThrow(reason)
        expect(await keyNames()).toEqual(['after the backup', 'kept'])
      }
      const refusedManifest = async (files: Record<string, unknown>): Promise<void> => {
        await moto.put(`${folder}/manifest.json`, JSON.stringify({ ...manifest, files }))
        await refused(
          /is damaged \(manifest.json: the state file is missing, or there are files that do not belong to a backup\)/,
        )
      }
      // The download lies beside the state file until its copy is in place, so a restore needs twice the size.
      const { bavail, bsize } = await statfs(io.config.paths.state)
      const bytes = Math.floor((bavail * bsize) / 2) + 2 ** 30
      const long = { ...manifest, files: { 'state.sqlite': { bytes, sha256: 'a' } } }
      await moto.put(`${folder}/manifest.json`, JSON.stringify(long))
      await refused(
        /^restoring s3:\/\/\S+ needs about [\d,]+ MB on the disk of \S+state, and [\d,]+ MB are free: /,
      )
      await moto.put(`${folder}/manifest.json`, JSON.stringify(manifest))
      state[5_000]! ^= 1
      await moto.put(`${folder}/state.sqlite`, state)
      await refused(/s3:\/\/\S+ is damaged \(state.sqlite has changed since the backup\): use another backup/)
      await moto.put(`${folder}/state.sqlite`, Buffer.concat([state, Buffer.alloc(100)]))
      await refused(/is larger than the \d+ bytes that are expected/)
      for (const file of ['../../escaped', '/etc/escaped', 'identities/../../escaped', 'manifest.json'])
        await refusedManifest({ ...manifest.files, [file]: { bytes: 1, sha256: 'a' } })
      await refusedManifest({})
      await moto.put(`${folder}/manifest.json`, '{"made_at": ')
      await refused(/is damaged \(manifest.json: /)
      await moto.put(`${folder}/manifest.json`, ' '.repeat(2 * MIB))
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
      await expect(
        backUp(['--to', 's3://bucket/x'], { ...io, signal: stopped.signal }),
      ).rejects.toMatchObject({
        code: 'stopped',
      })
      expect(await lastBackup(io.config.paths)).toBeNull()
    })
  }, 600_000)
})

/** Runs a real `platbook backup` and kills it at its request number `kill` that writes. Returns whether it came so far. */
async function backUpUntil(io: CommandIo, place: string, kill: number): Promise<boolean> {
  return killedAtWrite(moto.url, kill, ['backup', '--to', place, '--data', io.config.paths.root])
}
