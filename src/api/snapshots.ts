import { type FSWatcher, watch } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { AppError, messageOf } from '../errors.ts'
import type { EventArchive } from '../events/archive.ts'
import type { Log } from '../log.ts'
import type { Lookup } from '../lookup/lookup.ts'
import type { Suppression } from '../lookup/suppressed.ts'
import { mayMeanSuppressed } from '../lookup/suppressed-names.ts'

export interface SnapshotOptions {
  /** The folder with the snapshots and the pointer `current`; made when it isn't there. */
  readonly folder: string
  /** Best without standing in the way: requests are answered from the old one meanwhile. */
  readonly open: (snapshotFolder: string) => Lookup | Promise<Lookup>
  readonly openEvents: (snapshotFolder: string) => EventArchive
  readonly current: (folder: string) => Promise<{ version: string; folder: string } | null>
  readonly suppressions: SuppressionList
  readonly log: Log
}

/** Who must not come out of any answer. */
export interface SuppressionList {
  /** Another number once the list is another. */
  changeCount(): number
  list(): Promise<readonly Suppression[]>
}

interface Open {
  readonly lookup: Lookup
  readonly events: EventArchive
  /** Of the list by which it is screened. */
  suppressionChange: number
  users: number
  isRetired: boolean
}

// The watcher tells at once; the poll is for file systems that tell nothing (network mounts).
const POLL_MS = 1_000
const RETRY_BROKEN_AFTER_MS = 30_000

/**
 * The snapshot that is served, and the change to the next one: it is opened beside the old one, takes over between two
 * requests, and the old one is closed when the last request that reads it has ended. One that can't be opened is
 * logged, and the old one goes on serving.
 */
export class Snapshots {
  readonly #options: SnapshotOptions
  #serving: Open | null = null
  #broken: { version: string; at: number } | null = null
  #watcher: FSWatcher | null = null
  #poll: NodeJS.Timeout | null = null
  #checking: Promise<void> | null = null
  #pointerFault: string | null = null
  #suppressionFault: string | null = null
  #isCheckWanted = false
  #isClosed = false
  /** How often another snapshot has taken over. */
  changeCount = 0

  private constructor(options: SnapshotOptions) {
    this.#options = options
  }

  /** Opens the current snapshot, if there is one, and watches for the next. */
  static async open(options: SnapshotOptions): Promise<Snapshots> {
    await mkdir(options.folder, { recursive: true })
    const snapshots = new Snapshots(options)
    await snapshots.check()
    snapshots.#watch()
    return snapshots
  }

  /** The version that is served; null when there is none yet. */
  get version(): string | null {
    return this.#serving?.lookup.version ?? null
  }

  /** By which state of the list of suppressed people it is screened; 0 when there is none yet. */
  get suppressionChange(): number {
    return this.#serving?.suppressionChange ?? 0
  }

  /** Runs `body` on the snapshot that is served now, which stays open until `body` has ended, also when it takes time. */
  use<T>(body: (lookup: Lookup) => T): T {
    return this.#use(({ lookup }) => body(lookup))
  }

  /** As `use`, with the events of that snapshot. */
  useEvents<T>(body: (events: EventArchive) => T): T {
    return this.#use(({ events }) => body(events))
  }

  #use<T>(body: (open: Open) => T): T {
    const open = this.#serving
    if (open === null) {
      throw new AppError(
        'no_snapshot',
        'There is no published data yet: the first nightly run has not ended. Try again later.',
      )
    }
    open.users += 1
    let result: T
    try {
      result = body(open)
    } catch (error) {
      release(open)
      throw error
    }
    if (!(result instanceof Promise)) {
      release(open)
      return result
    }
    return result.finally(() => release(open)) as T
  }

  /** Looks at the pointer now; resolves when what it names is served (or has been found broken). */
  async check(): Promise<void> {
    this.#isCheckWanted = true
    this.#checking ??= this.#checkWhileWanted().finally(() => {
      this.#checking = null
    })
    await this.#checking
  }

  /** Stops watching and closes the snapshot, once nothing reads it any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#watcher?.close()
    if (this.#poll !== null) clearInterval(this.#poll)
    await this.#checking
    if (this.#serving !== null) retire(this.#serving)
    this.#serving = null
  }

  #watch(): void {
    const look = (): void => void this.check()
    this.#poll = setInterval(look, POLL_MS).unref()
    try {
      this.#watcher = watch(this.#options.folder, { persistent: false }, look)
      this.#watcher.on('error', (cause) =>
        this.#options.log.warn(
          { reason: messageOf(cause) },
          'the snapshot folder is not watched any more, only polled',
        ),
      )
    } catch (cause) {
      this.#options.log.warn(
        { reason: messageOf(cause) },
        'the snapshot folder cannot be watched, only polled',
      )
    }
  }

  async #checkWhileWanted(): Promise<void> {
    while (this.#isCheckWanted && !this.#isClosed) {
      this.#isCheckWanted = false
      try {
        await this.#checkOnce()
        this.#pointerFault = null
      } catch (cause) {
        this.#logPointerFault(messageOf(cause))
      }
      await this.#screenAgain()
    }
  }

  // A list that can't be read now is looked at again a second later; what is served stays screened by the one before.
  async #screenAgain(): Promise<void> {
    const open = this.#serving
    if (open === null) return
    open.users += 1
    try {
      if (this.#options.suppressions.changeCount() !== open.suppressionChange)
        await screen(open, this.#options.suppressions)
      this.#suppressionFault = null
    } catch (cause) {
      const reason = messageOf(cause)
      if (reason !== this.#suppressionFault)
        this.#options.log.error({ reason }, 'the list of suppressed people is not usable')
      this.#suppressionFault = reason
    } finally {
      release(open)
    }
  }

  // The poll comes by every second; a fault is told once.
  #logPointerFault(reason: string): void {
    if (reason !== this.#pointerFault) {
      this.#options.log.error(
        { reason, serving: this.version },
        'the pointer to the current snapshot is not usable',
      )
    }
    this.#pointerFault = reason
  }

  async #checkOnce(): Promise<void> {
    const wanted = await this.#options.current(this.#options.folder)
    if (wanted === null || wanted.version === this.version || this.#isClosed) return
    const isKnownBroken = this.#broken?.version === wanted.version
    if (isKnownBroken && performance.now() - (this.#broken?.at ?? 0) < RETRY_BROKEN_AFTER_MS) return
    const before = this.#serving
    try {
      this.#serving = await openBoth(this.#options, wanted.folder)
    } catch (cause) {
      this.#broken = { version: wanted.version, at: performance.now() }
      if (isKnownBroken) return
      this.#options.log.error(
        { snapshot: wanted.version, serving: this.version, reason: messageOf(cause) },
        'the new snapshot cannot be opened; the old one goes on serving',
      )
      return
    }
    this.#broken = null
    this.changeCount += 1
    this.#options.log.info(
      { snapshot: this.version, before: before?.lookup.version ?? null },
      'snapshot served',
    )
    if (before !== null) retire(before)
  }
}

/** Nothing is served before it is screened. */
async function openBoth({ open, openEvents, suppressions }: SnapshotOptions, folder: string): Promise<Open> {
  const lookup = await open(folder)
  let events: EventArchive | null = null
  try {
    events = openEvents(folder)
    const opened = { lookup, events, suppressionChange: 0, users: 0, isRetired: false }
    await screen(opened, suppressions)
    return opened
  } catch (error) {
    lookup.close()
    events?.close()
    throw error
  }
}

async function screen(open: Open, suppressions: SuppressionList): Promise<void> {
  const change = suppressions.changeCount()
  const suppressed = await open.lookup.suppress(await suppressions.list())
  open.events.suppress(
    suppressed === null
      ? null
      : {
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
  open.isRetired = true
  if (open.users === 0) close(open)
}

function close({ lookup, events }: Open): void {
  lookup.close()
  events.close()
}
