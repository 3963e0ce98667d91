import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { run as backUp } from '../../../src/cli/commands/backup.ts'
import { run as restore } from '../../../src/cli/commands/restore.ts'
import type { CommandIo } from '../../../src/cli/io.ts'
import { lastBackup } from '../../../src/cli/backups.ts'
import { withStateFile } from '../../../src/cli/doctor/state.ts'
import { checkBackup } from '../../../src/cli/doctor/backup.ts'
import type { Finding } from '../../../src/cli/doctor/check.ts'
import { loadConfig } from '../../../src/config.ts'
import { filesBelow } from '../../../src/publish/manifest.ts'
import { openState } from '../../../src/state/open.ts'
import { runCommand } from '../../support/command.ts'
import { withFolder } from '../../support/folder.ts'
import { inventedSnapshot } from '../../support/invented-snapshot.ts'

interface Data {
  readonly io: CommandIo
  readonly lines: string[]
  readonly to: string
  /** Lets time pass. */
  readonly pass: (hours: number) => void
  readonly keyNames: () => Promise<string[]>
  readonly addKey: (name: string) => Promise<void>
  readonly doctor: () => Promise<Finding>
}

/** A data folder with a snapshot and a state file. */
async function withData(body: (data: Data) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    let at = Date.parse('2026-06-01T12:00:00Z')
    const lines: string[] = []
    const config = loadConfig({}, { data: join(folder, 'data') })
    const { paths } = config
    const now = (): Date => new Date(at)
    const io: CommandIo = {
      config,
      out: (line) => void lines.push(line),
      err: (line) => void lines.push(line),
      isTerminal: false,
      now,
      signal: new AbortController().signal,
    }
    await inventedSnapshot(paths.snapshots)
    await body({
      io,
      lines,
      to: join(folder, 'backups'),
      pass: (hours) => void (at += hours * 3_600_000),
      async keyNames() {
        const state = await openState(paths.state, { snapshots: paths.snapshots })
        const names = (await state.keys.list()).map(({ name }) => name)
        await state.close()
        return names.sort()
      },
      async addKey(name) {
        const state = await openState(paths.state, { now, snapshots: paths.snapshots })
        await state.keys.create({ name })
        await state.close()
      },
      doctor: () =>
        withStateFile(config, now, async (state) =>
          checkBackup({
            config,
            now: now(),
            state,
            definitions: [],
            badDefinitions: [],
            warehouse: { db: null, problem: '', isInUse: false },
          }),
        ),
    })
  })
}

test('a backup that is made while the file is written has all that was committed, in files for the owner alone', async () => {
  await withData(async ({ io, to, lines, keyNames, addKey, pass }) => {
    const { paths } = io.config
    const open = await openState(paths.state)
    onTestFinished(() => open.close())
    // In the WAL, and nowhere else.
    await open.keys.create({ name: 'in the WAL' })
    expect(await backUp(['--to', to], io)).toBe(0)
    expect(lines.join('\n')).toMatch(/platbook-20260601T120000000Z: [\d,]+ bytes, checked/)
    for (const path of await filesBelow(to)) expect((await stat(path)).mode & 0o777, path).toBe(0o600)
    await open.close()
    await addKey('after the backup')
    expect(await lastBackup(paths)).toMatchObject({ made_at: '2026-06-01T12:00:00.000Z' })

    await expect(restore(['--from', to], io)).rejects.toThrow(
      /exists: --force moves it aside and restores the backup/,
    )
    pass(1)
    expect(await restore(['--from', to, '--force'], io)).toBe(0)
    expect(await keyNames()).toEqual(['in the WAL'])
    const aside = (await readdir(join(paths.state, '..'))).filter((name) => name.startsWith('aside-'))
    expect(aside).toEqual(['aside-20260601T130000000Z'])
  })
})

test('a lost state file beside a snapshot stops every command, until it is restored or given up by name', async () => {
  await withData(async ({ io, to, keyNames, addKey }) => {
    const { paths } = io.config
    await addKey('kept')
    await backUp(['--to', to], io)
    await rm(paths.state)
    await expect(keyNames()).rejects.toMatchObject({ code: 'state_missing' })
    await expect(keyNames()).rejects.toThrow(/state.sqlite is missing.*restore --from DIR.*restore --empty/)
    await withStateFile(io.config, io.now, async ({ problem }) => expect(problem).toMatch(/missing.*restore/))
    expect(await restore(['--from', to], io)).toBe(0)
    expect(await keyNames()).toEqual(['kept'])
    await rm(paths.state)
    expect(await restore(['--empty'], io)).toBe(0)
    expect(await keyNames()).toEqual([])
    await expect(restore(['--empty'], io)).rejects.toMatchObject({ code: 'conflict' })
  })
})

test('person ids go with the backup, and come back where there are none', async () => {
  await withData(async ({ io, to }) => {
    const { identities } = io.config.paths
    const run = join(identities, '00000004-0a1b2c3d')
    await mkdir(run, { recursive: true })
    await writeFile(join(run, 'people.parquet'), 'ids')
    const sha256 = '66e0ab8a2ae0cf8b2ca0b1ff2bbfd0d5d0f1c0e3d8ea0d9a3d8e7c7f3f5b1a10'
    const manifest = {
      run_number: 4,
      linked_at: '2026-06-01',
      files: { 'people.parquet': { bytes: 3, sha256 } },
    }
    await writeFile(join(run, 'manifest.json'), JSON.stringify(manifest))
    await expect(backUp(['--to', to], io)).rejects.toMatchObject({ code: 'state_damaged' })
    expect(await readdir(to)).toEqual([])
    const right = createHash('sha256').update('ids').digest('hex')
    await writeFile(join(run, 'manifest.json'), JSON.stringify(manifest).replace(sha256, right))
    expect(await backUp(['--to', to], io)).toBe(0)
    await rm(identities, { recursive: true })
    expect(await restore(['--from', to, '--force'], io)).toBe(0)
    expect(await readFile(join(run, 'people.parquet'), 'utf8')).toBe('ids')
  })
})

test('the newest backups are kept, and a damaged one is refused', async () => {
  await withData(async ({ io, to, pass }) => {
    for (let n = 0; n < 4; n += 1) {
      await backUp(['--to', to, '--keep', '3'], io)
      pass(24)
    }
    const names = await readdir(to)
    expect(names).toHaveLength(3)
    expect(names.sort()[0]).toBe('platbook-20260602T120000000Z')
    const newest = join(to, 'platbook-20260604T120000000Z')
    await truncate(join(newest, 'state.sqlite'), 4096)
    const restoring = restore(['--from', to, '--force'], io)
    await expect(restoring).rejects.toThrow(/platbook-20260604T120000000Z is damaged.*state.sqlite/)
    expect(await restore(['--from', join(to, names[0]!), '--force'], io)).toBe(0)
  })
})

test('a damaged state file is not backed up, and doctor names the command that restores it', async () => {
  await withData(async ({ io, to, addKey }) => {
    const { state } = io.config.paths
    for (let n = 0; n < 40; n += 1) await addKey(`key ${n}`)
    const bytes = await readFile(state)
    await writeFile(state, bytes.fill(0xff, 8192, bytes.length - 8192))
    await expect(backUp(['--to', to], io)).rejects.toMatchObject({ code: 'state_damaged' })
    await withStateFile(io.config, io.now, async ({ problem }) =>
      expect(problem).toMatch(/restore --from DIR\|s3:\/\/BUCKET\/PREFIX --force/),
    )
    expect(await readdir(to)).toEqual([])
  })
})

test('a backup that the disk has no room for is refused before anything is moved', async () => {
  await withData(async ({ io, to, keyNames, addKey, pass }) => {
    await addKey('kept')
    await backUp(['--to', to], io)
    const folder = join(to, 'platbook-20260601T120000000Z')
    const path = join(folder, 'manifest.json')
    const manifest = JSON.parse(await readFile(path, 'utf8')) as { files: Record<string, { bytes: number }> }
    const { bavail, bsize } = await statfs(to)
    const bytes = bavail * bsize + 2 ** 30
    // A sparse file: it has this size and takes no space.
    await truncate(join(folder, 'state.sqlite'), bytes)
    manifest.files['state.sqlite']!.bytes = bytes
    await writeFile(path, JSON.stringify(manifest))
    pass(1)
    const restoring = restore(['--from', to, '--force'], io)
    await expect(restoring).rejects.toMatchObject({ code: 'disk_full' })
    await expect(restoring).rejects.toThrow(
      /^restoring \S+platbook-20260601T120000000Z needs about [\d,]+ MB on the disk of \S+state, and [\d,]+ MB are free: /,
    )
    expect(await keyNames()).toEqual(['kept'])
    expect(await readdir(join(io.config.paths.state, '..'))).not.toContainEqual(
      expect.stringMatching(/^aside-/),
    )
  })
})

test('a bucket that cannot be reached is named as it was given', async () => {
  await withData(async ({ io }) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const keys = { AWS_ACCESS_KEY_ID: 'invented', AWS_SECRET_ACCESS_KEY: 'invented' }
    const config = loadConfig(
      { ...keys, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` },
      { data: io.config.paths.root },
    )
    await expect(restore(['--from', 's3://bucket/x', '--force'], { ...io, config })).rejects.toThrow(
      /^objects in s3:\/\/bucket\/x cannot be listed \(.*ECONNREFUSED.*check AWS_ENDPOINT_URL_S3/,
    )
  })
})

test('a file that a process has open is not replaced', async () => {
  await withData(async ({ io, to }) => {
    await backUp(['--to', to], io)
    const open = await openState(io.config.paths.state)
    onTestFinished(() => open.close())
    await expect(restore(['--from', to, '--force'], io)).rejects.toThrow(/in use: stop `platbook serve`/)
  })
})

test('doctor asks for a backup where there is more than a demo key, and when the last one is old', async () => {
  await withData(async ({ io, to, addKey, pass, doctor }) => {
    await addKey('demo')
    expect((await doctor()).complaints).toEqual([])
    await addKey('a customer')
    expect((await doctor()).complaints).toEqual([
      expect.stringMatching(/never backed up.*platbook backup --to DIR\|s3:\/\/BUCKET\/PREFIX/),
    ])
    await backUp(['--to', to], io)
    expect((await doctor()).complaints).toEqual([])
    pass(49)
    expect((await doctor()).complaints).toEqual([
      expect.stringMatching(/last backup is 49 hours old; BACKUP_WITHIN_HOURS is 48/),
    ])
  })
})

test('places that hold no backup, and those that cannot, are named', async () => {
  await withData(async ({ io, to }) => {
    await expect(backUp(['--to', 'https://store.example/platbook'], io)).rejects.toThrow(
      /--to takes a folder or s3:\/\/BUCKET\/PREFIX, not 'https:/,
    )
    await expect(backUp([], io)).rejects.toMatchObject({ code: 'bad_usage' })
    await mkdir(to)
    await expect(restore(['--from', to, '--force'], io)).rejects.toThrow(/contains no backup/)
    await expect(restore(['--from', join(to, 'nowhere'), '--force'], io)).rejects.toThrow(
      /nowhere cannot be read/,
    )
  })
})

test('an s3:// URL without a usable bucket or prefix is refused before anything is copied', async () => {
  await withData(async ({ io, addKey }) => {
    await addKey('kept')
    for (const url of [
      's3://',
      's3://B/x',
      's3://UPPER-case/x',
      's3://bucket//x',
      's3://bucket/../x',
      's3://bucket/x\ny',
      's3://bucket/x?y',
      `s3://bucket/${'x'.repeat(600)}`,
    ]) {
      await expect(backUp(['--to', url], io), url).rejects.toThrow(/cannot be used as a store: give s3:/)
      await expect(restore(['--from', url, '--force'], io), url).rejects.toMatchObject({ code: 'bad_usage' })
    }
    expect(await lastBackup(io.config.paths)).toBeNull()
  })
})

test('only an s3:// URL needs the package of the S3 client, and its absence is named', async () => {
  await withData(async ({ io, to, addKey }) => {
    await addKey('kept')
    const hooks = `import { registerHooks } from 'node:module'
      registerHooks({ resolve(specifier, context, next) {
        if (!specifier.startsWith('@aws-sdk/')) return next(specifier, context)
        throw Object.assign(new Error('no such package'), { code: 'ERR_MODULE_NOT_FOUND' })
      } })`
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hooks)}` }
    const argv = ['backup', '--data', io.config.paths.root, '--to']
    expect(await runCommand([...argv, to], { env })).toMatchObject({ code: 0 })
    const failed = await runCommand([...argv, 's3://bucket/platbook'], { env })
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toMatch(
      /s3:\/\/ needs the package @aws-sdk\/client-s3, which is not installed: run `npm ci` without --omit=optional/,
    )
  })
})
