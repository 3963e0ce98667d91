import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DataPaths } from '../config.ts'
import { AppError, messageOf } from '../errors.ts'
import { openStore } from '../store/open.ts'
import { download, objectUrl, type Store } from '../store/store.ts'
import {
  type Backup,
  bytesOf,
  MANIFEST,
  Manifest,
  NAME,
  nameOf,
  noteBackup,
  requireRoom,
  stampOf,
  STATE,
  stageBackup,
  verifyBackup,
} from './backups.ts'
import type { CommandIo } from './io.ts'

type Paths = Pick<DataPaths, 'state' | 'identities'>

const DAY_MS = 86_400_000
const MOST_MANIFEST_BYTES = 1 << 20
const MOST_OBJECTS = 100_000
/** Matches the names of the files of a backup: the state file and the files of the person ids. */
const FILE = /^(?:state\.sqlite|identities\/[\w-][\w.-]*\/[\w-][\w.-]*)$/
const STAGING = /^transfer-(\d{8}T\d{9}Z)$/

/**
 * Uploads a new backup and reads every object back. The manifest is uploaded last, so a killed upload never counts as a backup. Then
 * removes all but the newest `keep` backups, and the objects that killed uploads left more than a day ago.
 */
export async function uploadBackup(
  paths: Paths,
  store: Store,
  { now, keep }: { now: Date; keep: number },
): Promise<{ made: Backup; removed: string[] }> {
  const name = nameOf(now)
  const made = await withStaging(paths, now, async (staging) => {
    const staged = await stageBackup(paths, join(staging, name), now)
    for (const [file, { bytes, sha256 }] of Object.entries(staged.files)) {
      const key = `${name}/${file}`
      await store.putFile(key, join(staged.folder, file))
      await compare(store, key, { bytes, sha256 })
    }
    await store.putFile(`${name}/${MANIFEST}`, join(staged.folder, MANIFEST))
    return { ...staged, folder: objectUrl(store, name) }
  })
  await noteBackup(paths, made)
  return { made, removed: await removeOlder(store, { now, keep, made: made.folder }) }
}

/** Opens the store at `url`, runs `body` and closes the store. */
export async function withBackups<T>(
  url: string,
  { config: settings, signal }: CommandIo,
  body: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(url, { settings, signal })
  try {
    return await body(store)
  } finally {
    store.close()
  }
}

/** Divides the URL of a backup into the place of the backups and the name of the backup. A URL of a place has no name. */
export function backupAt(url: string): { place: string; name: string | null } {
  const [, place, name] = /^(.+)\/([^/]+)\/?$/.exec(url) ?? []
  return place !== undefined && name !== undefined && NAME.test(name)
    ? { place, name }
    : { place: url, name: null }
}

/**
 * Downloads the backup with the given name, or the newest one if `wanted` is null. Compares it with its manifest and calls `body`
 * with it.
 */
export async function withDownloadedBackup<T>(
  paths: Paths,
  store: Store,
  { wanted, now }: { wanted: string | null; now: Date },
  body: (backup: Backup) => Promise<T>,
): Promise<T> {
  const name = await chosenBackup(store, wanted)
  return withStaging(paths, now, async (staging) => {
    const folder = join(staging, name)
    await mkdir(folder, { mode: 0o700 })
    const url = objectUrl(store, name)
    await download(store, `${name}/${MANIFEST}`, join(folder, MANIFEST), {
      mostBytes: MOST_MANIFEST_BYTES,
      mode: 0o600,
    })
    const manifest = parsedManifest(await readFile(join(folder, MANIFEST), 'utf8'), url)
    const { files } = manifest
    // Twice the size: the download stays beside the state file until the copy of it has replaced the state file.
    await requireRoom(paths, 2 * bytesOf(manifest), url)
    for (const [file, { bytes }] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true, mode: 0o700 })
      await download(store, `${name}/${file}`, join(folder, file), { mostBytes: bytes, mode: 0o600 })
    }
    return body(await verifyBackup(folder, url, paths))
  })
}

function parsedManifest(text: string, url: string): Pick<Backup, 'files' | 'made_at'> {
  let reason = 'the state file is missing, or there are files that do not belong to a backup'
  try {
    const manifest = Manifest.parse(JSON.parse(text))
    const files = Object.keys(manifest.files)
    if (files.includes(STATE) && files.every((file) => FILE.test(file))) return manifest
  } catch (cause) {
    reason = messageOf(cause)
  }
  throw new AppError('bad_input', `the backup ${url} is damaged (${MANIFEST}: ${reason}): use another backup`)
}

async function chosenBackup(store: Store, wanted: string | null): Promise<string> {
  const whole = (await backupsIn(store)).filter(({ isWhole }) => isWhole).map(({ name }) => name)
  const name = wanted === null ? whole.at(-1) : whole.find((found) => found === wanted)
  if (name !== undefined) return name
  const place = wanted === null ? store.url : objectUrl(store, wanted)
  throw new AppError(
    'bad_input',
    `${place} contains no complete backup made by \`platbook backup\`: a stopped upload does not count`,
  )
}

interface Found {
  readonly name: string
  readonly keys: string[]
  /** Whether the manifest exists, which is uploaded last. */
  readonly isWhole: boolean
}

/** Returns the backups in a store, oldest first, unfinished ones included. */
async function backupsIn(store: Store): Promise<Found[]> {
  const found = new Map<string, string[]>()
  let count = 0
  for await (const { key } of store.list('platbook-')) {
    if (++count > MOST_OBJECTS)
      throw new AppError(
        'bad_input',
        `${store.url} has more than ${MOST_OBJECTS} objects whose names start with platbook-: use a separate prefix for backups`,
      )
    const [name = '', file] = key.split(/\/(.*)/s)
    if (NAME.test(name) && (file === MANIFEST || FILE.test(file ?? '')))
      found.set(name, [...(found.get(name) ?? []), key])
  }
  return [...found]
    .map(([name, keys]) => ({ name, keys, isWhole: keys.includes(`${name}/${MANIFEST}`) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function removeOlder(
  store: Store,
  { now, keep, made }: { now: Date; keep: number; made: string },
): Promise<string[]> {
  try {
    const found = await backupsIn(store)
    const older = found.filter(({ isWhole }) => isWhole).slice(0, -keep)
    const dayAgo = nameOf(new Date(now.getTime() - DAY_MS))
    const unfinished = found.filter(({ isWhole, name }) => !isWhole && name < dayAgo)
    for (const { name, keys } of [...older, ...unfinished]) {
      const manifest = `${name}/${MANIFEST}`
      // The manifest is removed first, so that a killed removal leaves no backup with missing files.
      for (const key of keys.toSorted((a, b) => Number(b === manifest) - Number(a === manifest)))
        await store.remove(key)
    }
    return older.map(({ name }) => objectUrl(store, name))
  } catch (cause) {
    throw new AppError(
      'output_unwritable',
      `${made} is uploaded and checked, but older backups could not be removed: ${messageOf(cause)}`,
      { cause },
    )
  }
}

async function compare(store: Store, key: string, made: { bytes: number; sha256: string }): Promise<void> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of store.read(key)) {
    hash.update(chunk)
    bytes += chunk.length
  }
  if (bytes === made.bytes && hash.digest('hex') === made.sha256) return
  throw new AppError(
    'output_unwritable',
    `${objectUrl(store, key)} differs from the uploaded file (${bytes} bytes read back, ${made.bytes} uploaded): run the backup again`,
  )
}

/**
 * Runs `body` with a new folder beside the state file and removes the folder afterwards. Also removes folders that killed processes left
 * more than a day ago.
 */
async function withStaging<T>({ state }: Paths, now: Date, body: (folder: string) => Promise<T>): Promise<T> {
  const beside = dirname(state)
  await mkdir(beside, { recursive: true, mode: 0o700 })
  for (const name of await readdir(beside)) {
    const [, stamp] = STAGING.exec(name) ?? []
    if (stamp !== undefined && stamp < stampOf(new Date(now.getTime() - DAY_MS)))
      await rm(join(beside, name), { recursive: true, force: true })
  }
  const folder = join(beside, `transfer-${stampOf(now)}`)
  await mkdir(folder, { mode: 0o700 })
  try {
    return await body(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
