import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { z } from 'zod'
import type { DataPaths } from '../config.ts'
import { AppError, messageOf } from '../errors.ts'
import { hashOfFile } from '../hash.ts'
import { type KeptRun, keptRun, verifyKept } from '../link/ids/kept-identities.ts'
import { checkStateFile, copyState } from '../state/back-up.ts'
import { syncFile, syncFolder } from '../sync-files.ts'
import { requireFree } from './free-space.ts'

export const MANIFEST = 'manifest.json'
export const STATE = 'state.sqlite'
const IDENTITIES = 'identities'
const PARTIAL = '.partial'
export const NAME = /^platbook-\d{8}T\d{9}Z$/

export const Manifest = z.object({
  made_at: z.string(),
  files: z.record(z.string(), z.object({ bytes: z.int(), sha256: z.string() })),
})

export interface Backup extends z.output<typeof Manifest> {
  readonly folder: string
}

type Paths = Pick<DataPaths, 'state' | 'identities'>

/**
 * Makes a backup: copies the state file and the person ids into a new folder in `to`. A failed backup leaves no folder. Removes older
 * backups in `to`, so that the newest `keep` remain.
 */
export async function makeBackup(
  paths: Paths,
  to: string,
  { now, keep }: { now: Date; keep: number },
): Promise<{ made: Backup; removed: string[] }> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  const name = nameOf(now)
  const partial = join(to, name + PARTIAL)
  await rm(partial, { recursive: true, force: true })
  try {
    const made = { ...(await stageBackup(paths, partial, now)), folder: join(to, name) }
    await rename(partial, made.folder)
    await syncFolder(to)
    await noteBackup(paths, made)
    const older = (await backupsIn(to)).slice(0, -keep)
    for (const folder of older) await rm(folder, { recursive: true })
    return { made, removed: older }
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

/** Copies the state file and the person ids into `folder`, which must not exist yet, and writes a manifest of sizes and SHA-256. */
export async function stageBackup(paths: Paths, folder: string, now: Date): Promise<Backup> {
  if (!existsSync(paths.state))
    throw new AppError('state_missing', `there is no state file ${paths.state} to back up`)
  await mkdir(folder, { mode: 0o700 })
  await copyState(paths.state, join(folder, STATE))
  await copyIdentities(paths.identities, join(folder, IDENTITIES))
  const files: Backup['files'] = {}
  for (const path of await filesBelow(folder)) {
    await syncFile(path)
    files[relative(folder, path)] = { bytes: (await stat(path)).size, sha256: await hashOfFile(path) }
  }
  const manifest = { made_at: now.toISOString(), files }
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  await writeFile(join(folder, MANIFEST), text, { mode: 0o600, flush: true })
  await syncFolder(folder)
  return { ...manifest, folder }
}

/** Returns the name of a backup made at `now`. Sorted names are in the order of time. */
export function nameOf(now: Date): string {
  return `platbook-${stampOf(now)}`
}

/** Returns an instant as a part of file names: `20260604T120000000Z`. */
export function stampOf(at: Date): string {
  return at.toISOString().replace(/[-:.]/g, '')
}

/**
 * Returns the backup in `folder`, or the newest of the backups below `folder`, after comparing its files with its manifest.
 * @throws `bad_input` for a damaged backup; `disk_full` when the disk of the state file is too full to restore it
 */
export async function wholeBackup(folder: string, paths: Paths): Promise<Backup> {
  const chosen = existsSync(join(folder, MANIFEST)) ? folder : (await backupsIn(folder)).at(-1)
  if (chosen === undefined)
    throw new AppError('bad_input', `${folder} contains no backup made by \`platbook backup\``)
  return verifyBackup(chosen, chosen, paths)
}

/**
 * Compares every file of the backup in the folder `chosen` with the manifest of the backup. Error messages name the backup `place`:
 * a folder, or the `s3://` URL from which the folder was downloaded.
 * @throws `bad_input` for a damaged backup; `disk_full` when the disk of the state file is too full to restore it
 */
export async function verifyBackup(chosen: string, place: string, paths: Paths): Promise<Backup> {
  try {
    const manifest = Manifest.parse(JSON.parse(await readFile(join(chosen, MANIFEST), 'utf8')))
    for (const [file, { bytes }] of Object.entries(manifest.files))
      if ((await stat(join(chosen, file))).size !== bytes)
        throw new Error(`${file} has changed since the backup`)
    await requireRoom(paths, bytesOf(manifest), place)
    for (const [file, { sha256 }] of Object.entries(manifest.files))
      if ((await hashOfFile(join(chosen, file))) !== sha256)
        throw new Error(`${file} has changed since the backup`)
    await checkStateFile(join(chosen, STATE))
    return { ...manifest, folder: chosen }
  } catch (cause) {
    if (cause instanceof AppError && cause.code === 'disk_full') throw cause
    throw new AppError(
      'bad_input',
      `the backup ${place} is damaged (${messageOf(cause)}): use another backup`,
      {
        cause,
      },
    )
  }
}

export function bytesOf({ files }: Pick<Backup, 'files'>): number {
  return Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0)
}

/**
 * Checks that the disk of the state file has `bytes` free, before the backup `place` is restored.
 * @throws `disk_full`
 */
export async function requireRoom({ state }: Paths, bytes: number, place: string): Promise<void> {
  await mkdir(dirname(state), { recursive: true, mode: 0o700 })
  await requireFree(dirname(state), bytes, `restoring ${place}`)
}

/**
 * Replaces the state file by the one of a backup. Returns the folder to which the old state file was moved, or null when there was none.
 * Existing person ids stay if their files are undamaged, because they are at least as new as those of the backup.
 */
export async function putBack({ folder }: Backup, paths: Paths, now: Date): Promise<string | null> {
  const state = dirname(paths.state)
  await mkdir(state, { recursive: true, mode: 0o700 })
  const aside = await moveStateAside(paths, now)
  const kept = await keptRun(paths.identities).catch(() => null)
  const backedUp = join(folder, IDENTITIES)
  if (kept === null && existsSync(backedUp)) {
    if (existsSync(paths.identities))
      await rename(paths.identities, join(aside ?? (await asideIn(state, now)), IDENTITIES))
    await copyIdentities(backedUp, paths.identities)
  }
  const partial = `${paths.state}${PARTIAL}`
  await copyFile(join(folder, STATE), partial)
  await chmod(partial, 0o600)
  await syncFile(partial)
  await rename(partial, paths.state)
  await syncFolder(state)
  return aside
}

/** Moves the state file and SQLite's files beside it into a new folder. Returns the folder, or null when there was no state file. */
async function moveStateAside({ state }: Paths, now: Date): Promise<string | null> {
  const there = [state, `${state}-wal`, `${state}-shm`].filter((path) => existsSync(path))
  if (there.length === 0) return null
  const aside = await asideIn(dirname(state), now)
  for (const path of there) await rename(path, join(aside, basename(path)))
  return aside
}

/** Creates a folder in `folder` for files that are moved out of the way. */
export async function asideIn(folder: string, now: Date): Promise<string> {
  const aside = join(folder, `aside-${stampOf(now)}`)
  await mkdir(aside, { recursive: true, mode: 0o700 })
  return aside
}

const Noted = z.object({ made_at: z.string(), folder: z.string() })
/** The record of the last backup; `folder` is a folder or an `s3://` URL. */
export type NotedBackup = z.output<typeof Noted>

/** Returns the record of the last backup; null when there was none or the record cannot be read. */
export async function lastBackup(paths: Paths): Promise<NotedBackup | null> {
  const text = await readFile(noteOf(paths), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    return Noted.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Records the last backup in a file beside the state file, from which `doctor` reads its age. */
export async function noteBackup(paths: Paths, { made_at, folder }: NotedBackup): Promise<void> {
  const note = noteOf(paths)
  await writeFile(`${note}${PARTIAL}`, `${JSON.stringify({ made_at, folder })}\n`, {
    mode: 0o600,
    flush: true,
  })
  await rename(`${note}${PARTIAL}`, note)
}

function noteOf({ state }: Paths): string {
  return join(dirname(state), 'last-backup.json')
}

async function copyIdentities(from: string, to: string): Promise<void> {
  const kept = await keptRun(from)
  if (kept === null) return
  const into = join(to, basename(kept.folder))
  await mkdir(into, { recursive: true, mode: 0o700 })
  for (const file of [...Object.keys(kept.files), MANIFEST]) {
    await copyFile(join(kept.folder, file), join(into, file))
    await chmod(join(into, file), 0o600)
    await syncFile(join(into, file))
  }
  await syncFolder(into)
  const copied: KeptRun = { ...kept, folder: into }
  await verifyKept(copied)
}

/** Returns the folders of the backups in `folder`, oldest first. */
async function backupsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new AppError('bad_input', `${folder} cannot be read: ${messageOf(cause)}`, { cause })
  })
  return names
    .filter((name) => NAME.test(name))
    .sort()
    .map((name) => join(folder, name))
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
