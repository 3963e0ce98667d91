import { type FSWatcher, watch } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError, messageOf } from '../errors.ts'
import type { EventArchive } from '../events/archive.ts'
import type { Log } from '../log.ts'
import { snapshotsBefore } from '../lookup/format/current.ts'
import type { Lookup } from '../lookup/index.ts'
import { type FileProblem, isServed, problemText, SCHEMA_VERSION } from '../lookup/format/manifest.ts'
import type { Suppression } from '../lookup/index.ts'
import { mayMeanSuppressed } from '../lookup/format/suppressed-names.ts'

export interface SnapshotOptions {
  /** The folder with the snapshots and the pointer `current`. Created if it does not exist. */
  readonly folder: string
  /** Opens a snapshot. It should not block the event loop for long, because requests are answered meanwhile. */
  readonly open: (snapshotFolder: string) => Lookup | Promise<Lookup>
  readonly openEvents: (snapshotFolder: string) => EventArchive
  readonly current: (folder: string) => Promise<Located | null>
  /** Returns the files that changed after publication (src/lookup/verifier.ts). Without it, contents are not checked. */
  readonly verify?: (snapshotFolder: string) => Promise<readonly FileProblem[]>
  /** How long a check of the pointer waits for `verify`; two seconds by default. */
  readonly verifyWithinMs?: number
  readonly suppressions: SuppressionList
  readonly log: Log
  /** Returns a newer version that could not be brought to the folder; null when there is none. */
  readonly notFetched?: (folder: string) => Promise<string | null>
  /** The error message for callers while there is no snapshot. */
  readonly absent?: string
}

/** The suppressed people. */
export interface SuppressionList {
  /** Returns a number that changes with the list. */
  changeCount(): Promise<number>
  list(): Promise<readonly Suppression[]>
}

/** A snapshot on disk. */
export interface Located {
  readonly version: string
  readonly folder: string
}

/** An open snapshot. */
interface Open {
  readonly folder: string
  readonly lookup: Lookup
  readonly events: EventArchive
  /** The number of changes of the suppression list when this snapshot last applied it. Another number now means that the list has changed. */
  suppressionChange: number
  /** Calls of `use` in progress. */
  users: number
  isRetired: boolean
}

// The watcher reports changes at once. The poll is for file systems without change events, such as network mounts.
const POLL_MS = 1_000
const RETRY_BROKEN_AFTER_MS = 30_000
// Cheap while nothing has changed: it compares only sizes and dates of about a hundred files.
const VERIFY_EVERY_MS = 10_000
// Without another snapshot to serve, a large snapshot is served before the check of its contents has ended.
const VERIFY_WITHIN_MS = 2_000

/** A snapshot that cannot be served. */
interface Broken extends Located {
  readonly at: number
  /** The error message for callers. */
  readonly reason: string
  /** Whether another version of Platbook made it. Then older snapshots cannot be served either. */
  readonly isOtherVersion: boolean
}

/**
 * Serves the current snapshot and changes to the next one. The new snapshot is opened while the old one is still served, and takes
 * over between two requests. The old one is closed when the last request that reads it has ended.
 *
 * A damaged snapshot is not served. The previous one is served instead if it is intact; without one, requests are refused. The
 * files of the served snapshot are compared with their manifest in the background.
 */
export class Snapshots {
  readonly #options: SnapshotOptions
  readonly #verifyWithinMs: number
  #serving: Open | null = null
  #broken: Broken | null = null
  #notFetched: string | null = null
  /** Older snapshots that could not be served: version → time of the attempt. */
  readonly #unusable = new Map<string, number>()
  #comparing: string | null = null
  #guard: NodeJS.Timeout | null = null
  #guarding: Promise<void> | null = null
  #watcher: FSWatcher | null = null
  #poll: NodeJS.Timeout | null = null
  #checking: Promise<void> | null = null
  /** Logged faults that last: message → reason. */
  readonly #faults = new Map<string, string>()
  #isCheckWanted = false
  #isClosed = false
  /** Number of changes of the served snapshot. */
  changeCount = 0

  private constructor(options: SnapshotOptions) {
    this.#options = options
    this.#verifyWithinMs = options.verifyWithinMs ?? VERIFY_WITHIN_MS
  }

  /** Opens the current snapshot, if there is one, and starts to watch for the next one. */
  static async open(options: SnapshotOptions): Promise<Snapshots> {
    await mkdir(options.folder, { recursive: true })
    const snapshots = new Snapshots(options)
    await snapshots.check()
    snapshots.#watch()
    return snapshots
  }

  /** The served version; null when there is none. */
  get version(): string | null {
    return this.#serving?.lookup.version ?? null
  }

  /** The served snapshot; null when there is none. */
  get serving(): Located | null {
    const open = this.#serving
    return open === null ? null : { version: open.lookup.version, folder: open.folder }
  }

  /** The version of the pointer, or the newest version of the store, if it cannot be served; else null. */
  get withheld(): string | null {
    return this.#broken?.version ?? this.#notFetched
  }

  /** The error for callers while nothing is served. */
  get absence(): AppError {
    return new AppError(
      'no_snapshot',
      this.#broken?.reason ??
        this.#options.absent ??
        'No data is published yet, because the first nightly run has not ended. Try again later.',
    )
  }

  /** The change count of the suppression list that is applied to the served snapshot; 0 without a snapshot. */
  get suppressionChange(): number {
    return this.#serving?.suppressionChange ?? 0
  }

  /** Calls `body` with the served snapshot, which stays open until `body` has ended, even when `body` is asynchronous. */
  use<T>(body: (lookup: Lookup) => T): T {
    return this.#use(({ lookup }) => body(lookup))
  }

  /** Like `use`, with the events of the served snapshot. */
  useEvents<T>(body: (events: EventArchive) => T): T {
    return this.#use(({ events }) => body(events))
  }

  #use<T>(body: (open: Open) => T): T {
    const open = this.#serving
    if (open === null) throw this.absence
    open.users += 1
    let isAsync = false
    try {
      const result = body(open)
      if (!(result instanceof Promise)) return result
      isAsync = true
      return result.finally(() => release(open)) as T
    } finally {
      if (!isAsync) release(open)
    }
  }

  /** Reads the pointer now. Resolves when its snapshot is served or found to be unusable. */
  async check(): Promise<void> {
    this.#isCheckWanted = true
    this.#checking ??= this.#checkWhileWanted().finally(() => {
      this.#checking = null
    })
    await this.#checking
  }

  /** Stops watching. Closes the snapshot when no request reads it any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#watcher?.close()
    if (this.#poll !== null) clearInterval(this.#poll)
    if (this.#guard !== null) clearInterval(this.#guard)
    await this.#checking
    if (this.#serving !== null) retire(this.#serving)
    this.#serving = null
  }

  #watch(): void {
    const look = (): void => void this.check()
    this.#poll = setInterval(look, POLL_MS).unref()
    if (this.#options.verify !== undefined)
      this.#guard = setInterval(() => void this.verify(), VERIFY_EVERY_MS).unref()
    try {
      this.#watcher = watch(this.#options.folder, { persistent: false }, look)
      this.#watcher.on('error', (cause) =>
        this.#options.log.warn(
          { reason: messageOf(cause) },
          'the file system stopped reporting changes of the snapshot folder: it is polled instead',
        ),
      )
    } catch (cause) {
      this.#options.log.warn(
        { reason: messageOf(cause) },
        'the file system does not report changes of the snapshot folder: it is polled instead',
      )
    }
  }

  async #checkWhileWanted(): Promise<void> {
    while (this.#isCheckWanted && !this.#isClosed) {
      this.#isCheckWanted = false
      try {
        await this.#checkOnce()
        this.#faults.delete(POINTER_FAULT)
      } catch (cause) {
        this.#logOnce(POINTER_FAULT, messageOf(cause), { serving: this.version })
      }
      await this.#suppressAgain()
    }
  }

  // Applies the suppression list again if it has changed. When the list cannot be read, the previous list stays in use and the next
  // poll tries again.
  async #suppressAgain(): Promise<void> {
    const open = this.#serving
    if (open === null) return
    open.users += 1
    try {
      if ((await this.#options.suppressions.changeCount()) !== open.suppressionChange)
        await applySuppressions(open, this.#options.suppressions)
      this.#faults.delete(SUPPRESSION_FAULT)
    } catch (cause) {
      this.#logOnce(SUPPRESSION_FAULT, messageOf(cause))
    } finally {
      release(open)
    }
  }

  // Logs a fault once, although a timer finds it again and again. `#faults.delete(message)` ends the fault.
  #logOnce(message: string, reason: string, fields: object = {}): void {
    if (this.#faults.get(message) !== reason) this.#options.log.error({ ...fields, reason }, message)
    this.#faults.set(message, reason)
  }

  async #checkOnce(): Promise<void> {
    this.#notFetched = (await this.#options.notFetched?.(this.#options.folder)) ?? null
    const wanted = await this.#options.current(this.#options.folder)
    if (wanted === null || wanted.version === this.version || this.#isClosed) return
    const isKnownBroken = this.#broken?.version === wanted.version
    if (!isKnownBroken || !isRecent(this.#broken?.at)) await this.#change(wanted, isKnownBroken)
    const broken = this.#broken
    if (this.#serving === null && broken !== null && !broken.isOtherVersion)
      await this.#fallBack(broken.version)
  }

  async #change(wanted: Located, isKnownBroken: boolean): Promise<void> {
    const before = this.version
    try {
      if (!(await this.#take(wanted))) return
      this.#broken = null
      this.#unusable.clear()
      this.#faults.delete(ALL_DAMAGED)
      this.#options.log.info({ snapshot: this.version, before }, 'snapshot served')
    } catch (cause) {
      this.#broken = { ...wanted, ...reasonOf(cause), at: performance.now() }
      if (!isKnownBroken)
        this.#options.log.error(
          { snapshot: wanted.version, serving: before, reason: messageOf(cause) },
          before === null
            ? 'the current snapshot cannot be opened'
            : 'the new snapshot cannot be opened: the previous one is still served',
        )
    }
  }

  /** Opens a snapshot and serves it. Returns false when another snapshot is served and the check of the contents has not ended yet. */
  async #take(wanted: Located): Promise<boolean> {
    const before = this.#serving
    const comparing = this.#compare(wanted)
    // Ignore a failure of the check here. When the snapshot cannot be read, opening it below gives a better reason.
    comparing.catch(() => undefined)
    if (before !== null) {
      // The first check of the pointer waits for a moment; the following ones only ask for the result.
      const problems = await within(this.#comparing === wanted.version ? 0 : this.#verifyWithinMs, comparing)
      this.#comparing = problems === null ? wanted.version : null
      if (problems === null) return false
      refuseDamaged(wanted, problems)
    }
    const opened = await openBoth(this.#options, wanted.folder)
    // Without another snapshot to serve, this one may be served before the check of its contents has ended.
    try {
      refuseDamaged(wanted, (await within(this.#verifyWithinMs, comparing)) ?? [])
    } catch (error) {
      close(opened)
      throw error
    }
    const last = this.#serving
    this.#serving = opened
    this.changeCount += 1
    if (last !== null) retire(last)
    // When the check ends later, act on its result at once.
    void comparing.then(
      async () => this.verify(),
      () => undefined,
    )
    return true
  }

  async #compare({ folder }: Located): Promise<readonly FileProblem[]> {
    return (await this.#options.verify?.(folder)) ?? []
  }

  /** Serves the newest intact snapshot before `version`. */
  async #fallBack(version: string): Promise<void> {
    for (const older of await snapshotsBefore(this.#options.folder, version)) {
      const failedAt = this.#unusable.get(older.version)
      if (this.#isClosed || isRecent(failedAt)) continue
      try {
        refuseDamaged(older, await this.#compare(older))
        await this.#take(older)
        this.#options.log.error(
          { snapshot: older.version, damaged: version },
          'an older snapshot is served because the current one is damaged: run `platbook nightly` to publish a new one',
        )
        return
      } catch (cause) {
        this.#unusable.set(older.version, performance.now())
        if (failedAt === undefined)
          this.#options.log.error(
            { snapshot: older.version, reason: messageOf(cause) },
            'the previous snapshot cannot be opened either',
          )
      }
    }
    this.#logOnce(ALL_DAMAGED, `${version} is damaged, and no older snapshot can be opened`, {
      damaged: version,
    })
  }

  /** Compares the files of the served snapshot with its manifest. Resolves when a damaged snapshot is no longer served. */
  async verify(): Promise<void> {
    this.#guarding ??= this.#verifyServing().finally(() => {
      this.#guarding = null
    })
    await this.#guarding
  }

  async #verifyServing(): Promise<void> {
    const open = this.#serving
    if (open === null || this.#options.verify === undefined) return
    const { version } = open.lookup
    try {
      const problems = await this.#options.verify(open.folder)
      const damaged = problems.filter(isServed)
      if (this.#serving !== open) return
      if (damaged.length > 0) await this.#withdraw(open, damaged)
      else if (problems.length > 0) {
        const reason = `${problemText(problems)}: run \`platbook nightly\` to publish a new snapshot`
        this.#logOnce(FILES_CHANGED, reason, { snapshot: version })
      } else this.#faults.delete(FILES_CHANGED)
    } catch (cause) {
      this.#logOnce(FILES_CHANGED, messageOf(cause), { snapshot: version })
    }
  }

  async #withdraw(open: Open, damaged: readonly FileProblem[]): Promise<void> {
    const { version } = open.lookup
    const reason = problemText(damaged)
    this.#options.log.error(
      { snapshot: version, reason },
      'the served snapshot is damaged and is no longer served: run `platbook nightly` to publish a new one',
    )
    this.#serving = null
    const at = performance.now()
    this.#broken = { version, folder: open.folder, at, reason: DAMAGED, isOtherVersion: false }
    this.changeCount += 1
    retire(open)
    await this.check()
  }
}

const POINTER_FAULT = 'the pointer to the current snapshot cannot be read'
const SUPPRESSION_FAULT = 'the list of suppressed people cannot be read'
const FILES_CHANGED = 'files of the snapshot changed after they were published'
const ALL_DAMAGED =
  'every snapshot is damaged and lookups are refused: run `platbook nightly` to publish a new one'

const DAMAGED = 'The published data is damaged and is not served. Run `platbook nightly` to publish it again.'
const UNUSABLE =
  'The published data cannot be opened. The log of the service has the reason. Try again later.'
const OTHER_VERSION =
  'The published data was made by another version of Platbook. Run `platbook nightly` to publish it again.'
const OLDER_VERSION =
  'The published data was made by an older version of Platbook. Run `platbook nightly` to publish it again.'

function reasonOf(cause: unknown): Pick<Broken, 'reason' | 'isOtherVersion'> {
  if (!(cause instanceof AppError) || cause.code !== 'other_version') {
    const isDamaged = cause instanceof AppError && cause.code === 'bad_snapshot'
    return { reason: isDamaged ? DAMAGED : UNUSABLE, isOtherVersion: false }
  }
  const isOlder = Number(cause.details['schema']) < SCHEMA_VERSION
  return { reason: isOlder ? OLDER_VERSION : OTHER_VERSION, isOtherVersion: true }
}

function isRecent(at: number | undefined): boolean {
  return at !== undefined && performance.now() - at < RETRY_BROKEN_AFTER_MS
}

function refuseDamaged({ folder }: Located, problems: readonly FileProblem[]): void {
  const damaged = problems.filter(isServed)
  if (damaged.length > 0)
    throw new AppError(
      'bad_snapshot',
      `${folder} is damaged: ${problemText(damaged)}. Run \`platbook nightly\` to publish it again`,
    )
}

/** Returns the result of `work`, or null when it takes longer than `milliseconds`. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | null> {
  const stop = new AbortController()
  const late = delay(milliseconds, null, { signal: stop.signal }).catch(() => null)
  return Promise.race([work, late]).finally(() => stop.abort())
}

/** Opens a snapshot with its events and applies the suppression list, so that no suppressed person is ever served. */
async function openBoth({ open, openEvents, suppressions }: SnapshotOptions, folder: string): Promise<Open> {
  const lookup = await open(folder)
  let events: EventArchive | null = null
  try {
    events = openEvents(folder)
    const opened = { folder, lookup, events, suppressionChange: 0, users: 0, isRetired: false }
    await applySuppressions(opened, suppressions)
    return opened
  } catch (error) {
    lookup.close()
    events?.close()
    throw error
  }
}

async function applySuppressions(open: Open, suppressions: SuppressionList): Promise<void> {
  const change = await suppressions.changeCount()
  const suppressed = await open.lookup.suppress(await suppressions.list())
  open.events.suppress(
    suppressed && {
      ids: suppressed.ids,
      mayMean: (name, state) => mayMeanSuppressed(suppressed.names, name, state),
    },
  )
  open.suppressionChange = change
}

function release(open: Open): void {
  open.users -= 1
  if (open.isRetired && open.users === 0) close(open)
}

function retire(open: Open): void {
  if (open.isRetired) return
  open.isRetired = true
  if (open.users === 0) close(open)
}

function close({ lookup, events }: Open): void {
  lookup.close()
  events.close()
}
