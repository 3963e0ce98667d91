import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DataPaths } from '../config.ts'
import { AppError, messageOf } from '../errors.ts'
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
import type { OpenPlace, S3Place } from './s3-place.ts'

type Paths = Pick<DataPaths, 'state' | 'identities'>

const DAY_MS = 86_400_000
const MOST_MANIFEST_BYTES = 1 << 20
/** Matches the names of the files of a backup: the state file and the files of the person ids. */
const FILE = /^(?:state\.sqlite|identities\/[\w-][\w.-]*\/[\w-][\w.-]*)$/
const STAGING = /^transfer-(\d{8}T\d{9}Z)$/

/**
 * Uploads a new backup and reads every object back. The manifest is uploaded last, so a killed upload never counts as a backup. Then
 * removes all but the newest `keep` backups, and the objects that killed uploads left more than a day ago.
 */
export async function uploadBackup(
  paths: Paths,
  place: OpenPlace,
  { now, keep }: { now: Date; keep: number },
): Promise<{ made: Backup; removed: string[] }> {
  const { objects, prefix } = place
  const name = nameOf(now)
  const made = await withStaging(paths, now, async (staging) => {
    const staged = await stageBackup(paths, join(staging, name), now)
    for (const [file, { bytes, sha256 }] of Object.entries(staged.files)) {
      const key = `${prefix}${name}/${file}`
      await objects.putFile(key, join(staged.folder, file), bytes)
      await compare(place, key, { bytes, sha256 })
    }
    const manifest = await readFile(join(staged.folder, MANIFEST), 'utf8')
    await objects.putText(`${prefix}${name}/${MANIFEST}`, manifest)
    return { ...staged, folder: urlOf(place, name) }
  })
  await noteBackup(paths, made)
  return { made, removed: await removeOlder(place, { now, keep, made: made.folder }) }
}

/**
 * Downloads a backup, compares it with its manifest, and calls `body` with it. The `prefix` of `given` is the name of a backup, or the
 * place of several backups, of which the newest is used.
 */
export async function withDownloadedBackup<T>(
  paths: Paths,
  given: OpenPlace,
  now: Date,
  body: (backup: Backup) => Promise<T>,
): Promise<T> {
  const { place, name } = await chosenBackup(given)
  return withStaging(paths, now, async (staging) => {
    const folder = join(staging, name)
    await mkdir(folder, { mode: 0o700 })
    const url = urlOf(place, name)
    const keyOf = (file: string): string => `${place.prefix}${name}/${file}`
    await download(place, keyOf(MANIFEST), join(folder, MANIFEST), MOST_MANIFEST_BYTES)
    const manifest = parsedManifest(await readFile(join(folder, MANIFEST), 'utf8'), url)
    const { files } = manifest
    // Twice the size: the download stays beside the state file until the copy of it has replaced the state file.
    await requireRoom(paths, 2 * bytesOf(manifest), url)
    for (const [file, { bytes }] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true, mode: 0o700 })
      await download(place, keyOf(file), join(folder, file), bytes)
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

async function chosenBackup(given: OpenPlace): Promise<{ place: OpenPlace; name: string }> {
  const parts = given.prefix.split('/').slice(0, -1)
  const last = parts.at(-1)
  const isNamed = last !== undefined && NAME.test(last)
  const place = isNamed ? { ...given, prefix: given.prefix.slice(0, -(last.length + 1)) } : given
  const whole = (await backupsAt(place)).filter(({ isWhole }) => isWhole).map(({ name }) => name)
  const name = isNamed ? whole.find((found) => found === last) : whole.at(-1)
  if (name !== undefined) return { place, name }
  throw new AppError(
    'bad_input',
    `${urlOf(given, '').replace(/\/$/, '')} contains no complete backup made by \`platbook backup\`: a stopped upload does not count`,
  )
}

interface Found {
  readonly name: string
  readonly keys: string[]
  /** Whether the manifest exists, which is uploaded last. */
  readonly isWhole: boolean
}

/** Returns the backups at a place, oldest first, unfinished ones included. */
async function backupsAt({ objects, prefix }: OpenPlace): Promise<Found[]> {
  const found = new Map<string, string[]>()
  for (const key of await objects.keys(`${prefix}platbook-`)) {
    const [name = '', file] = key.slice(prefix.length).split(/\/(.*)/s)
    if (NAME.test(name) && (file === MANIFEST || FILE.test(file ?? '')))
      found.set(name, [...(found.get(name) ?? []), key])
  }
  return [...found]
    .map(([name, keys]) => ({ name, keys, isWhole: keys.includes(`${prefix}${name}/${MANIFEST}`) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function removeOlder(
  place: OpenPlace,
  { now, keep, made }: { now: Date; keep: number; made: string },
): Promise<string[]> {
  const { objects, prefix } = place
  try {
    const found = await backupsAt(place)
    const older = found.filter(({ isWhole }) => isWhole).slice(0, -keep)
    const dayAgo = nameOf(new Date(now.getTime() - DAY_MS))
    const unfinished = found.filter(({ isWhole, name }) => !isWhole && name < dayAgo)
    for (const { name, keys } of [...older, ...unfinished]) {
      const manifest = `${prefix}${name}/${MANIFEST}`
      // The manifest is removed first, so that a killed removal leaves no backup with missing files.
      for (const key of keys.toSorted((a, b) => Number(b === manifest) - Number(a === manifest)))
        await objects.remove(key)
    }
    return older.map(({ name }) => urlOf(place, name))
  } catch (cause) {
    throw new AppError(
      'output_unwritable',
      `${made} is uploaded and checked, but older backups could not be removed: ${messageOf(cause)}`,
      { cause },
    )
  }
}

async function compare(
  place: OpenPlace,
  key: string,
  made: { bytes: number; sha256: string },
): Promise<void> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of place.objects.read(key)) {
    hash.update(chunk)
    bytes += chunk.length
  }
  if (bytes === made.bytes && hash.digest('hex') === made.sha256) return
  throw new AppError(
    'output_unwritable',
    `${urlOf(place, '', key)} differs from the uploaded file (${bytes} bytes read back, ${made.bytes} uploaded): run the backup again`,
  )
}

async function download(place: OpenPlace, key: string, path: string, most: number): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  let bytes = 0
  for await (const chunk of place.objects.read(key)) {
    bytes += chunk.length
    if (bytes > most)
      throw new AppError(
        'bad_input',
        `${urlOf(place, '', key)} is larger than the ${most} bytes that the backup recorded: use another backup`,
      )
    await file.writeFile(chunk)
  }
}

function urlOf({ bucket, prefix }: S3Place, name: string, key = `${prefix}${name}`): string {
  return `s3://${bucket}/${key}`
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
