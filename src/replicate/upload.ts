import { join } from 'node:path'
import { AppError, messageOf } from '../errors.ts'
import { hashOfFile } from '../hash.ts'
import type { Log } from '../log.ts'
import { currentSnapshot } from '../lookup/format/current.ts'
import { type Manifest, MANIFEST_FILE, readOurManifest } from '../lookup/format/manifest.ts'
import { objectUrl, type Store } from '../store/store.ts'
import { eachOf } from './each-of.ts'
import { CURRENT_KEY, formatCurrent, manifestKey, newUploadName, parseCurrent, uploadsIn } from './layout.ts'

export interface UploadOptions {
  readonly store: Store
  /** The folder of snapshots, whose current snapshot is uploaded. */
  readonly snapshots: string
  /** How many versions stay in the store, including the uploaded one. */
  readonly keep: number
  readonly log: Log
  readonly signal: AbortSignal
}

export interface Uploaded {
  readonly version: string
  /** Whether the version was uploaded; false when the store had it. */
  readonly isNew: boolean
  readonly file_count: number
  readonly bytes: number
}

/** Each file that is being uploaded takes up to 16 MiB of memory. */
const FILES_AT_ONCE = 4
const REMOVALS_AT_ONCE = 8

/**
 * Makes the current local snapshot the current one of the store: uploads its files, then its manifest, then replaces `current` if
 * nobody else has replaced it. Removes older versions and what killed uploads left. Returns null when there is no local snapshot.
 * @throws `other_publisher` when the store has a newer snapshot, or gets another one meanwhile. Readers see nothing of this upload then.
 */
export async function uploadCurrent(options: UploadOptions): Promise<Uploaded | null> {
  const { store, snapshots, log, signal } = options
  const started = performance.now()
  const local = await currentSnapshot(snapshots)
  if (local === null) return null
  const { version, folder } = local
  const tagged = await store.readTagged(CURRENT_KEY)
  const before =
    tagged === null || tagged === 'same' ? null : { ...parseCurrent(store, tagged.text), tag: tagged.tag }
  if (before?.version === version) {
    // Without a new `current`, the uploads of other publishers may still succeed. So only versions that were current are removed.
    await removeWithWarning(options, pastUploads(await uploadsIn(store), before.upload).slice(options.keep))
    return { version, isNew: false, file_count: 0, bytes: 0 }
  }
  if (before !== null && isOlder(version, before.version))
    throw new AppError(
      'other_publisher',
      `${objectUrl(store, CURRENT_KEY)} names ${before.version}, which is newer than the local snapshot ${version}: another installation publishes there. Name another place in SNAPSHOT_STORE, or let one installation publish`,
    )
  const manifest = readOurManifest(folder)
  // Listed before `current` is replaced: every publisher of these uploads has read the old tag, so none of them can still succeed.
  const old = await uploadsIn(store)
  const upload = newUploadName(version)
  await eachOf(Object.keys(manifest.files), FILES_AT_ONCE, async (file) => {
    signal.throwIfAborted()
    await store.putFile(`${upload}/${file}`, join(folder, file))
  })
  await store.putFile(manifestKey(upload), join(folder, MANIFEST_FILE))
  await compareSizes(store, upload, manifest)
  const manifestSha256 = await hashOfFile(join(folder, MANIFEST_FILE))
  await store
    .putTagged(CURRENT_KEY, formatCurrent({ upload, manifestSha256 }), before?.tag ?? null)
    .catch(async (cause: unknown) => {
      if (!(cause instanceof AppError) || cause.code !== 'changed_in_store') throw cause
      await removeUploads(store, new Map([[upload, keysOf(upload, manifest)]]), [upload]).catch(
        () => undefined,
      )
      throw new AppError(
        'other_publisher',
        `${objectUrl(store, CURRENT_KEY)} was replaced while ${version} was uploaded: another installation publishes there, and its snapshot stays. Name another place in SNAPSHOT_STORE, or let one installation publish`,
        { cause },
      )
    })
  const past = before === null ? [] : pastUploads(old, before.upload).filter((name) => isOlder(name, upload))
  const kept = new Set(past.slice(0, options.keep - 1))
  const superfluous = [...old.keys()].filter((name) => !kept.has(name))
  await removeWithWarning(options, superfluous, old)
  const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0)
  const file_count = Object.keys(manifest.files).length
  const seconds = Math.round((performance.now() - started) / 100) / 10
  log.info({ version, upload, file_count, bytes, removed: superfluous.length, seconds }, 'snapshot uploaded')
  return { version, isNew: true, file_count, bytes }
}

/** The time of a version or of an upload. A purge rewrites a snapshot under a new version with the same time. */
function instantOf(name: string): string {
  return name.split('-')[0] ?? ''
}

function isOlder(name: string, than: string): boolean {
  return instantOf(name) < instantOf(than)
}

function keysOf(upload: string, { files }: Pick<Manifest, 'files'>): string[] {
  return [manifestKey(upload), ...Object.keys(files).map((file) => `${upload}/${file}`)]
}

/**
 * Returns the complete uploads that were current, newest first: `current` and one upload of each older version. A killed publisher may
 * have left a complete upload of a newer version, which was never current.
 */
function pastUploads(uploads: ReadonlyMap<string, readonly string[]>, current: string): string[] {
  const past = new Map<string, string>()
  for (const [name, keys] of uploads) {
    if (keys.includes(manifestKey(name)) && isOlder(name, current)) past.set(instantOf(name), name)
  }
  return [current, ...[...past].sort(([a], [b]) => (a < b ? 1 : -1)).map(([, name]) => name)]
}

async function compareSizes(store: Store, upload: string, { files }: Manifest): Promise<void> {
  const stored = new Map<string, number>()
  for await (const { key, bytes } of store.list(`${upload}/`)) stored.set(key, bytes)
  for (const [file, { bytes }] of Object.entries(files)) {
    const found = stored.get(`${upload}/${file}`)
    if (found !== bytes)
      throw new AppError(
        'store_failed',
        `${objectUrl(store, `${upload}/${file}`)} has ${found ?? 'no'} bytes, and ${bytes} were uploaded: publish again`,
      )
  }
}

// The snapshot is published, so a failure here is no failure of the publication.
async function removeWithWarning(
  { store, log }: UploadOptions,
  names: readonly string[],
  uploads?: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  if (names.length === 0) return
  try {
    await removeUploads(store, uploads ?? (await uploadsIn(store)), names)
  } catch (cause) {
    log.warn(
      { reason: messageOf(cause) },
      'old snapshots are not removed from the store; the next publication tries again',
    )
  }
}

/** Removes uploads, but never the one that `current` names. */
async function removeUploads(
  store: Store,
  uploads: ReadonlyMap<string, readonly string[]>,
  names: readonly string[],
): Promise<void> {
  const now = await store.readTagged(CURRENT_KEY)
  const current = now === null || now === 'same' ? null : parseCurrent(store, now.text).upload
  for (const name of names) {
    if (name === current) continue
    const keys = uploads.get(name) ?? []
    // Without its manifest, a partly removed upload does not look complete.
    if (keys.includes(manifestKey(name))) await store.remove(manifestKey(name))
    await eachOf(keys, REMOVALS_AT_ONCE, async (key) => store.remove(key))
  }
}
