import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { AppError, messageOf } from '../errors.ts'
import { hashOfFile } from '../hash.ts'
import type { Log } from '../log.ts'
import { currentSnapshot, VERSION } from '../lookup/format/current.ts'
import {
  checkSizes,
  type Manifest,
  MANIFEST_FILE,
  readManifest,
  versionFault,
} from '../lookup/format/manifest.ts'
import { verifySnapshot } from '../lookup/index.ts'
import { movePointer, partialFolder, pruneSnapshots } from '../publish/pointer.ts'
import { download, isKey, objectUrl, type Store } from '../store/store.ts'
import { syncFolder } from '../sync-files.ts'
import { megabytes } from '../warehouse/disk-full.ts'
import { eachOf } from './each-of.ts'
import { type Current, CURRENT_KEY, manifestKey, parseCurrent, uploadsIn, versionOf } from './layout.ts'
import { type FetchStatus, writeFetchStatus } from './status.ts'

export interface FetchOptions {
  readonly store: Store
  /** The folder of snapshots that a service serves. */
  readonly snapshots: string
  /** How many snapshots stay on the local disk, including the current one. */
  readonly keep: number
  readonly now: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** Why no new snapshot is served. */
interface Fault {
  /** Null when the store cannot be read. */
  readonly version: string | null
  readonly reason: string
}

const FILES_AT_ONCE = 4
const MOST_MANIFEST_BYTES = 64 << 20
/** Space that a fetch leaves free, because the service writes its state to the same disk. */
const LEAVE_FREE_BYTES = 64 << 20
const RETRY_AFTER_MS = 30_000
const RETRY_AFTER_MOST_MS = 600_000

/**
 * Brings the current snapshot of a store to a folder that a service watches. The local pointer moves only to a snapshot whose files all
 * match the manifest. A snapshot that cannot be fetched is logged once, noted in the status file, and tried again later.
 */
export class SnapshotFetcher {
  readonly #options: FetchOptions
  /** The upload that the object `current` named when it was read last, and the ETag of `current`. */
  #last: { readonly wanted: Current; readonly tag: string } | null = null
  #isDone = false
  /** Why the last fetch failed; null when it did not. */
  #fault: Fault | null = null
  /** A version whose local files may be damaged. */
  #suspect: string | null = null
  #failures = 0
  #retryAt = 0
  #logged: Fault | null = null
  /** The content of `fetched.json`; null before it was written. */
  #status: FetchStatus | null = null

  constructor(options: FetchOptions) {
    this.#options = options
  }

  /** Asks the store once for a new snapshot, and fetches it. Never throws. */
  async check(): Promise<void> {
    try {
      const wanted = await this.#read()
      if (!this.#isDone && this.#options.now().getTime() >= this.#retryAt) await this.#try(wanted)
      await this.#note(this.#fault)
    } catch (cause) {
      if (!this.#options.signal.aborted) await this.#note({ version: null, reason: messageOf(cause) })
    }
  }

  /** Compares the local files of a version with its manifest at the next check, and fetches damaged ones again. */
  suspect(version: string): void {
    if (this.#last?.wanted.version !== version) return
    this.#suspect = version
    this.#isDone = false
  }

  /** Returns what the store has now. */
  async #read(): Promise<Current> {
    const { store } = this.#options
    const found = await store.readTagged(CURRENT_KEY, this.#last?.tag)
    if (found === 'same' && this.#last !== null) return this.#last.wanted
    this.#last = null
    if (found === null || found === 'same') {
      const next = 'run `platbook nightly` with SNAPSHOT_STORE where the data is made'
      throw new AppError('no_snapshot', `${store.url} has no snapshot: ${next}`)
    }
    const wanted = parseCurrent(store, found.text)
    this.#last = { wanted, tag: found.tag }
    this.#isDone = false
    this.#failures = 0
    this.#retryAt = 0
    return wanted
  }

  async #try(wanted: Current): Promise<void> {
    try {
      await this.#take(wanted)
      this.#isDone = true
      this.#failures = 0
      this.#fault = null
    } catch (cause) {
      const wait = Math.min(RETRY_AFTER_MS * 2 ** this.#failures, RETRY_AFTER_MOST_MS)
      this.#failures += 1
      this.#retryAt = this.#options.now().getTime() + wait
      this.#fault = { version: wanted.version, reason: messageOf(cause) }
    }
  }

  async #take(wanted: Current): Promise<void> {
    const { snapshots, log, keep } = this.#options
    const { version } = wanted
    await mkdir(snapshots, { recursive: true })
    await this.#removeLeftovers(version)
    const before = await currentSnapshot(snapshots).catch(() => null)
    const isThere = await this.#isWhole(version, before?.version === version && this.#suspect !== version)
    if (!isThere) await this.#fetch(wanted)
    this.#suspect = null
    if (before?.version !== version) await movePointer(snapshots, version)
    try {
      await pruneSnapshots(snapshots, keep, version)
      await this.#removeWithdrawn(version)
    } catch (cause) {
      log.warn({ reason: messageOf(cause) }, 'old snapshots are not removed; the next fetch tries again')
    }
  }

  /** Whether the files of a version are on the local disk. A trusted version is compared by sizes only. */
  async #isWhole(version: string, isTrusted: boolean): Promise<boolean> {
    const folder = join(this.#options.snapshots, version)
    try {
      const problems = isTrusted
        ? checkSizes(folder, readManifest(folder))
        : await verifySnapshot(folder, { signal: this.#options.signal })
      return problems.length === 0
    } catch (cause) {
      if (cause instanceof AppError && cause.code === 'bad_snapshot') return false
      throw cause
    }
  }

  async #fetch({ upload, version, manifestSha256 }: Current): Promise<void> {
    const { store, snapshots, log, signal } = this.#options
    const started = performance.now()
    const partial = partialFolder(snapshots, version)
    try {
      await mkdir(partial, { recursive: true })
      const manifest = await this.#fetchManifest(upload, version, manifestSha256, partial)
      const missing = await filesToFetch(partial, manifest)
      const bytes = missing.reduce((sum, [, file]) => sum + file.bytes, 0)
      await requireFree(snapshots, bytes, objectUrl(store, upload))
      await eachOf(missing, FILES_AT_ONCE, async ([file, { bytes: expected, sha256 }]) => {
        signal.throwIfAborted()
        const key = `${upload}/${file}`
        const found = await download(store, key, join(partial, file), { mostBytes: expected })
        if (found.bytes !== expected || found.sha256 !== sha256)
          throw damaged(store, key, `it has ${found.bytes} bytes and another hash than its manifest names`)
      })
      await syncFolders(partial, manifest)
      await this.#replace(version, partial)
      const seconds = Math.round((performance.now() - started) / 100) / 10
      log.info({ version, file_count: missing.length, bytes, seconds }, 'snapshot fetched')
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      if (code !== 'ENOSPC' && code !== 'EDQUOT') throw cause
      // A full disk would stop the service, so everything that was fetched is removed.
      await rm(partial, { recursive: true, force: true })
      throw diskFull(snapshots, objectUrl(store, upload), 'more space than was free', cause)
    }
  }

  async #fetchManifest(upload: string, version: string, sha256: string, partial: string): Promise<Manifest> {
    const { store } = this.#options
    const key = manifestKey(upload)
    const found = await download(store, key, join(partial, MANIFEST_FILE), { mostBytes: MOST_MANIFEST_BYTES })
    if (found.sha256 !== sha256) throw damaged(store, key, `it is not the manifest that ${CURRENT_KEY} names`)
    const manifest = readManifest(partial)
    const fault = versionFault(manifest)
    if (fault !== null)
      throw new AppError(
        'other_version',
        `${objectUrl(store, upload)} was ${fault.made}: use the same version of Platbook here and where the snapshots are published`,
      )
    const wrong = Object.keys(manifest.files).find((file) => !isKey(file) || file === MANIFEST_FILE)
    if (wrong !== undefined || manifest.version !== version)
      throw damaged(store, key, `it names ${JSON.stringify((wrong ?? manifest.version).slice(0, 100))}`)
    return manifest
  }

  /** Gives the fetched folder its name. A damaged folder of that name is removed. */
  async #replace(version: string, partial: string): Promise<void> {
    const { snapshots } = this.#options
    const folder = join(snapshots, version)
    const isThere = (await stat(folder).catch(() => null)) !== null
    const aside = partialFolder(snapshots, `${version}.damaged`)
    if (isThere) await rename(folder, aside)
    await rename(partial, folder)
    await syncFolder(snapshots)
    await rm(aside, { recursive: true, force: true })
  }

  /** Removes what killed fetches left, but for files of the version that is fetched next. */
  async #removeLeftovers(version: string): Promise<void> {
    const { snapshots } = this.#options
    const next = partialFolder(snapshots, version)
    for (const name of await readdir(snapshots)) {
      const path = join(snapshots, name)
      if (path !== next && (name.endsWith('.partial') || name.startsWith(`${CURRENT_KEY}.`)))
        await rm(path, { recursive: true, force: true })
    }
  }

  /** Removes the local versions that the store no longer has. A purge of suppressed people removes them there. */
  async #removeWithdrawn(version: string): Promise<void> {
    const { store, snapshots } = this.#options
    const stored = new Set([...(await uploadsIn(store)).keys()].map(versionOf))
    for (const name of await readdir(snapshots))
      if (VERSION.test(name) && name !== version && !stored.has(name))
        await rm(join(snapshots, name), { recursive: true, force: true })
  }

  /** Logs a fault unless it was logged last, and writes `fetched.json` when the fault has changed. `null`: no fault. */
  async #note(fault: Fault | null): Promise<void> {
    const { store, snapshots, log, now, signal } = this.#options
    if (signal.aborted) return
    if (fault !== null && !isSame(fault, this.#logged))
      log.error(
        { store: store.url, ...fault },
        'no new snapshot can be fetched: the present one is still served',
      )
    this.#logged = fault
    if (this.#status !== null && isSame(fault, this.#status.fault)) return
    const since = now().toISOString()
    const status = { store: store.url, fault: fault === null ? null : { ...fault, since } }
    try {
      await mkdir(snapshots, { recursive: true })
      await writeFetchStatus(snapshots, status)
      this.#status = status
    } catch (cause) {
      // A full disk. The next check tries again.
      log.debug({ reason: messageOf(cause) }, 'the state of fetching cannot be written')
    }
  }
}

function isSame(fault: Fault | null, other: Fault | null): boolean {
  return fault?.version === other?.version && fault?.reason === other?.reason
}

/** Returns the files that are not in the folder yet with the size and hash of the manifest. */
async function filesToFetch(
  folder: string,
  { files }: Manifest,
): Promise<(readonly [string, Manifest['files'][string]])[]> {
  const missing: (readonly [string, Manifest['files'][string]])[] = []
  for (const [file, expected] of Object.entries(files)) {
    const path = join(folder, file)
    const size = (await stat(path).catch(() => null))?.size
    const isThere = size === expected.bytes && (await hashOfFile(path)) === expected.sha256
    if (!isThere) missing.push([file, expected])
  }
  return missing
}

async function syncFolders(folder: string, { files }: Manifest): Promise<void> {
  const folders = new Set(['.'])
  for (const file of Object.keys(files))
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1))
      folders.add(file.slice(0, end))
  for (const name of folders) await syncFolder(join(folder, name))
}

async function requireFree(snapshots: string, bytes: number, what: string): Promise<void> {
  const { bavail, bsize } = await statfs(snapshots)
  if (bytes + LEAVE_FREE_BYTES > bavail * bsize)
    throw diskFull(snapshots, what, `${megabytes(bytes + LEAVE_FREE_BYTES)} of free space`)
}

function diskFull(snapshots: string, what: string, needed: string, cause?: unknown): AppError {
  return new AppError(
    'disk_full',
    `fetching ${what} needs ${needed} on the disk of ${snapshots}: free space, or lower SNAPSHOT_KEEP_COUNT`,
    { cause },
  )
}

function damaged(store: Store, key: string, why: string): AppError {
  return new AppError(
    'bad_snapshot',
    `${objectUrl(store, key)} is damaged (${why}): run \`platbook publish --full\` where the snapshots are published`,
  )
}
