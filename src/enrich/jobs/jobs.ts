import { randomInt } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { AppError, messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Suppression } from '../../lookup/index.ts'
import { queueFinishedList } from '../../state/finished-lists.ts'
import { inTransaction } from '../../state/transaction.ts'
import { type DiskSpace, SHORT_OF_SPACE } from './disk-space.ts'
import { countyCodes } from '../match/counties.ts'
import { CLUE_FIELDS } from '../columns/names.ts'
import { FIELDS, REQUIREMENTS } from '../match/fields.ts'
import { RESULT_PREFIX } from '../write/result-formats.ts'
import { hasCheckpoint } from '../run/checkpoint.ts'
import { runEnrichment } from '../run/run.ts'
import type { InputLimits } from '../read/read-input.ts'
import { loadSentSuppressions, openSentList } from './sent-list.ts'
import { Turns } from './turns.ts'

const Request = z.object({
  /** The file's name in the job's folder. */
  list: z.string(),
  /** The file's name of the caller's own suppression list. */
  suppress: z.string().nullable().default(null),
  mapping: z.array(
    z.object({ column: z.int(), field: z.enum(CLUE_FIELDS), by: z.enum(['name', 'content', 'map']) }),
  ),
  fields: z.array(z.enum(FIELDS)),
  require: z.array(z.enum(REQUIREMENTS)),
  min_score: z.int(),
  /** Matched rows that may be billed; null is no cap. */
  max_billable: z.int().nullable(),
  // Lists that were sent to an older version have none of the following.
  /** Rows that were taken off the monthly cap for it; null: none. Absent before: `max_billable` was just that. */
  taken: z.int().nullable().optional(),
  /** Rows that are read; null is all of them. */
  limit: z.int().nullable().default(null),
  top: z.int().default(1),
  dedupe: z.boolean().default(false),
  /** Rows are counted; no result is kept, and nothing is billed. */
  dry_run: z.boolean().default(false),
  /** Whether the account pays for matched rows. */
  is_billed: z.boolean().default(true),
  no_header: z.boolean().default(false),
  skip_lines: z.int().default(0),
  /** The webhook that is notified once the list has ended. */
  notify: z.string().nullable().default(null),
  today: z.string(),
  /** Sent with the key of a test account. */
  is_test: z.boolean(),
})
export type JobRequest = z.output<typeof Request>

const Result = z.object({
  rows: z.int(),
  matched: z.int(),
  ambiguous: z.int(),
  /** Rows that the list is billed for, or would be: by a dry run, or for an account that pays. */
  billable: z.int().optional(),
  duplicates: z.int().optional(),
  billed: z.int(),
  rejected: z.int(),
  snapshot: z.string(),
})
export type JobResult = z.output<typeof Result>

const Progress = z.object({
  rows: z.int(),
  /** 0 to 1. */
  share: z.number().nullable(),
  rows_per_second: z.int(),
})
type Progress = z.output<typeof Progress>

export const JOB_STATUSES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** A list that is enriched in the background, as the state file has it. */
const Row = z.object({
  enrichment_id: z.string(),
  account_id: z.string(),
  /** The key that sent it. */
  api_key_id: z.string(),
  status: z.enum(JOB_STATUSES),
  created_at: z.int(),
  finished_at: z.int().nullable(),
  row_count: z.int().nullable(),
  byte_count: z.int(),
  request: z.string().transform((text) => Request.parse(JSON.parse(text))),
  result: z.string().nullable().transform((text) => (text === null ? null : Result.parse(JSON.parse(text)))), // prettier-ignore
  failure: z.string().nullable(),
  progress: z.string().nullable().transform((text) => (text === null ? null : Progress.parse(JSON.parse(text)))), // prettier-ignore
})
export type Job = z.output<typeof Row>

const COLUMNS = Object.keys(Row.shape).join(', ')
const LEASE_MS = 60_000
const RENEW_EVERY_MS = 15_000
/** How soon a job notices that another process has cancelled it, or that the disk fills up. */
const WATCH_EVERY_MS = 1_000
/** A folder without a job that is as old was left by a process that was killed while a list came. */
const ORPHAN_AFTER_MS = 86_400_000
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Whose job it is, and the key that sent it. */
export type Sender = Pick<Job, 'account_id' | 'api_key_id'>

/** How large a list is that was sent. */
export interface ListSize {
  readonly rows: number
  readonly bytes: number
}

/** Limits of an account, and the size up to which lists go before long ones. */
export interface JobLimits {
  /** Lists that are queued or running. */
  readonly openJobs: number
  /** Bytes of lists and results on the disk. */
  readonly storedBytes: number
  /** Lists of up to so many rows have a lane of their own. */
  readonly smallRows: number
}

export interface JobsOptions {
  readonly db: DatabaseSync
  /** Each job has a folder of its own in it. */
  readonly folder: string
  readonly now: Clock
  readonly log: Log
  /** The snapshot that a job which begins now is matched against; null when there is none. */
  readonly snapshot: (job: Job) => Promise<{ version: string; folder: string; personCount: number } | null>
  readonly snapshotFolder: (version: string, job: Job) => Promise<string | null>
  /** Who must not come out. */
  readonly suppressions: () => Promise<readonly Suppression[]>
  /** Milliseconds that a job and its result are kept once it has ended. */
  readonly keptFor: number
  /** How much of a list is read. */
  readonly limits: InputLimits
  readonly jobLimits: JobLimits
  readonly space: DiskSpace
  /** Called once for a job that has ended, with the rows that are billed. */
  readonly onEnded: (job: Job, billed: number) => void
}

/** Failures whose message is for the sender. */
const TOLD: ReadonlySet<string> = new Set(['bad_input', 'too_large'])

function mebibytes(bytes: number): string {
  return Math.ceil(bytes / 2 ** 20).toLocaleString('en-US')
}

/** Jobs of all accounts, oldest first: those that are queued or running, or every one that is kept. */
export function listJobs(db: DatabaseSync, isAll: boolean): Job[] {
  const which = isAll ? '' : `where status in ('queued', 'running')`
  return db
    .prepare(`select ${COLUMNS} from enrichments ${which} order by created_at, enrichment_id`)
    .all()
    .map((row) => Row.parse(row))
}

/** Marks a job as cancelled, which the process that works on it notices within a second; false when it has ended already. */
export function cancelJob(db: DatabaseSync, id: string, at: number): boolean {
  return inTransaction(db, () => {
    const { changes } = db
      .prepare(
        `update enrichments set status = 'cancelled', finished_at = ?, byte_count = 0 where enrichment_id = ? and status in ('queued', 'running')`,
      )
      .run(at, id)
    if (Number(changes) > 0) queueFinishedList(db, id, at)
    return Number(changes) > 0
  })
}

/** The file in a job's folder that results are made of. */
export const RESULT_FILE = 'result.csv'
/** The rows that could not be read; it is there when there are any. */
export const REJECTED_FILE = 'result.rejected.csv'

/**
 * Lists that are enriched in the background. Each process has a lane for small lists and one for all others, and works on one list
 * of each at a time; accounts take turns in a lane. Jobs that a process leaves are finished by another.
 */
export class Jobs {
  readonly #options: JobsOptions
  readonly #lanes = { small: new Turns(1), large: new Turns(1) }
  readonly #stop = new AbortController()
  readonly #running = new Set<Promise<void>>()
  /** Jobs that this process has under way, or waiting for their turn. */
  readonly #own = new Set<string>()
  /** How far the jobs are that run in this process. */
  readonly #progress = new Map<string, Progress>()
  /** Ends a job that runs in this process. */
  readonly #ends = new Map<string, AbortController>()
  #poll: NodeJS.Timeout | null = null

  constructor(options: JobsOptions) {
    this.#options = options
  }

  /** Looks for jobs whose process is gone, and for those that needn't be kept any more: now and from time to time. */
  start(): void {
    this.#look()
    this.#poll = setInterval(() => this.#look(), LEASE_MS).unref()
  }

  /** An id and its folder, for an upload to be put in. */
  async prepare(): Promise<{ id: string; folder: string }> {
    const id = `enr_${Array.from({ length: 22 }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`
    await mkdir(this.folderOf(id), { recursive: true })
    return { id, folder: this.folderOf(id) }
  }

  folderOf(id: string): string {
    return join(this.#options.folder, id)
  }

  async discard(id: string): Promise<void> {
    await rm(this.folderOf(id), { recursive: true, force: true })
  }

  /** @throws `rate_limited` or `too_large` when the account has as much as it may have without the new list. */
  checkLimits(account_id: string, bytes: number): void {
    const { openJobs, storedBytes } = this.#options.jobLimits
    const row = this.#options.db
      .prepare(
        `select count(*) filter (where status in ('queued', 'running')) as open, coalesce(sum(byte_count), 0) as bytes from enrichments where account_id = ?`,
      )
      .get(account_id)
    const [open, held] = [Number(row?.['open']), Number(row?.['bytes'])]
    if (open >= openJobs)
      throw new AppError(
        'rate_limited',
        `${open} ${open === 1 ? 'list of the account is' : 'lists of the account are'} queued or running, and ${openJobs} may be: wait for one, or cancel it with DELETE /v1/enrichments/{id}`,
      )
    if (held + bytes > storedBytes)
      throw new AppError(
        'too_large',
        `lists and results of the account take ${mebibytes(held)} of ${mebibytes(storedBytes)} MiB, and this list has ${mebibytes(bytes)}: remove results with DELETE /v1/enrichments/{id}`,
      )
  }

  create(id: string, { account_id, api_key_id }: Sender, request: JobRequest, size: ListSize): Job {
    const at = this.#options.now().getTime()
    this.#options.db
      .prepare(
        'insert into enrichments (enrichment_id, account_id, api_key_id, status, created_at, leased_until, request, row_count, byte_count) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        id,
        account_id,
        api_key_id,
        'queued',
        at,
        Date.now() + LEASE_MS,
        JSON.stringify(request),
        size.rows,
        size.bytes,
      )
    this.#queue(id, account_id, size.rows)
    return this.get(id, account_id)
  }

  /** @throws `not_found` for a job that there isn't, or that is another account's. */
  get(id: string, account_id: string): Job {
    const row = this.#options.db
      .prepare(`select ${COLUMNS} from enrichments where enrichment_id = ? and account_id = ?`)
      .get(id, account_id)
    const job = row === undefined ? null : Row.parse(row)
    const expires = job === null ? null : this.expiryOf(job)
    if (job === null || (expires !== null && expires <= this.#options.now().getTime()))
      throw new AppError('not_found', `there is no enrichment ${id}; results are kept for ${Math.round(this.#options.keptFor / 86_400_000)} days`) // prettier-ignore
    return job
  }

  /** A page of an account's jobs, newest first, behind `after`. */
  list(
    account_id: string,
    {
      status,
      limit,
      after,
    }: { status: JobStatus | null; limit: number; after: { at: number; id: string } | null },
  ): Job[] {
    const { db, now, keptFor } = this.#options
    return db
      .prepare(
        `select ${COLUMNS} from enrichments
         where account_id = $account_id and ($status is null or status = $status)
           and (finished_at is null or finished_at > $expired)
           and ($id is null or (created_at, enrichment_id) < ($at, $id))
         order by created_at desc, enrichment_id desc limit $limit`,
      )
      .all({
        account_id,
        status,
        expired: now().getTime() - keptFor,
        at: after?.at ?? 0,
        id: after?.id ?? null,
        limit,
      }) // prettier-ignore
      .map((row) => Row.parse(row))
  }

  /**
   * Cancels a job that is queued or running: nothing of it is billed or kept. One that has ended is removed with its result.
   * @throws `not_found`
   */
  async remove(id: string, account_id: string): Promise<void> {
    const job = this.get(id, account_id)
    const { db, now, onEnded } = this.#options
    if (cancelJob(db, id, now().getTime())) {
      onEnded(job, 0)
      this.#ends.get(id)?.abort()
    } else db.prepare('delete from enrichments where enrichment_id = ?').run(id)
    // A process that works on it discards what it has written since.
    if (!this.#ends.has(id)) await this.discard(id)
  }

  /** Until when the job and its result are kept, milliseconds since 1970; null while it isn't known. */
  expiryOf({ finished_at }: Job): number | null {
    return finished_at === null ? null : finished_at + this.#options.keptFor
  }

  /** Stops what is under way, in a state that another process goes on from. */
  async close(): Promise<void> {
    if (this.#poll !== null) clearInterval(this.#poll)
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  // A state file that is busy or broken now must not end the service; it is looked at again.
  #look(): void {
    this.#unlessRefused('lists that others left were not looked for', () => this.#adopt())
    const pruning = this.#prune()
      .catch((cause: unknown) =>
        this.#options.log.error({ reason: messageOf(cause) }, 'old lists were not removed'),
      )
      .finally(() => this.#running.delete(pruning))
    this.#running.add(pruning)
  }

  #unlessRefused(what: string, act: () => void): void {
    try {
      act()
    } catch (cause) {
      this.#options.log.error({ reason: messageOf(cause) }, what)
    }
  }

  // Leases are a matter of real time, whatever time requests come at. One of this process's own runs out when the machine sleeps.
  #adopt(): void {
    const ids = this.#options.db
      .prepare(
        `update enrichments set leased_until = ? where status in ('queued', 'running') and leased_until < ? returning enrichment_id, account_id, row_count`,
      )
      .all(Date.now() + LEASE_MS, Date.now())
    for (const { enrichment_id, account_id, row_count } of ids)
      if (!this.#own.has(String(enrichment_id)))
        this.#queue(String(enrichment_id), String(account_id), row_count === null ? null : Number(row_count))
  }

  async #prune(): Promise<void> {
    const { db, folder, now, keptFor } = this.#options
    const ended = db
      .prepare('delete from enrichments where finished_at <= ? returning enrichment_id')
      .all(now().getTime() - keptFor)
    for (const { enrichment_id } of ended) await this.discard(String(enrichment_id))
    const known = db.prepare('select 1 from enrichments where enrichment_id = ?')
    for (const id of await readdir(folder).catch(() => [])) {
      if (known.get(id) !== undefined) continue
      const found = await stat(this.folderOf(id)).catch(() => null)
      if (found !== null && found.mtimeMs < Date.now() - ORPHAN_AFTER_MS) await this.discard(id)
    }
  }

  #queue(id: string, account_id: string, rows: number | null): void {
    const lane = this.#lanes[(rows ?? Infinity) <= this.#options.jobLimits.smallRows ? 'small' : 'large']
    this.#own.add(id)
    const renew = setInterval(
      () => this.#unlessRefused('a lease was not renewed', () => this.#renew(id)),
      RENEW_EVERY_MS,
    ).unref()
    const work = lane
      .run(account_id, () => this.#run(id))
      .catch((cause: unknown) =>
        this.#options.log.error({ enrichment_id: id, reason: messageOf(cause) }, 'enrichment left undone'),
      )
      .finally(() => {
        clearInterval(renew)
        this.#own.delete(id)
        this.#running.delete(work)
      })
    this.#running.add(work)
  }

  #renew(id: string): void {
    this.#options.db
      .prepare('update enrichments set leased_until = ? where enrichment_id = ?')
      .run(Date.now() + LEASE_MS, id)
  }

  async #run(id: string): Promise<void> {
    const { db } = this.#options
    if (this.#stop.signal.aborted) return
    const row = db
      .prepare(
        `update enrichments set status = 'running', leased_until = ? where enrichment_id = ? and status in ('queued', 'running') returning ${COLUMNS}`,
      )
      .get(Date.now() + LEASE_MS, id)
    // Another process took it over, and ended it, while it waited here; or it was cancelled.
    if (row === undefined) return
    const job = Row.parse(row)
    const end = new AbortController()
    this.#ends.set(id, end)
    const watch = setInterval(() => void this.#watch(id, end), WATCH_EVERY_MS).unref()
    try {
      await this.#work(job, end.signal)
    } finally {
      clearInterval(watch)
      this.#ends.delete(id)
      this.#progress.delete(id)
      if (this.#isGone(id)) await this.discard(id)
    }
  }

  // Whether it was cancelled, or removed, by this process or another.
  #isGone(id: string): boolean {
    const row = this.#options.db.prepare('select status from enrichments where enrichment_id = ?').get(id)
    return row === undefined || row['status'] === 'cancelled'
  }

  async #watch(id: string, end: AbortController): Promise<void> {
    try {
      if (this.#isGone(id)) end.abort()
      this.#saveProgress(id)
      await this.#options.space.check()
    } catch (error) {
      if (error instanceof AppError && error.code === 'disk_full') end.abort(error)
      else this.#options.log.error({ enrichment_id: id, reason: messageOf(error) }, 'a job was not watched')
    }
  }

  #saveProgress(id: string): void {
    const progress = this.#progress.get(id)
    if (progress === undefined) return
    this.#options.db
      .prepare('update enrichments set progress = ? where enrichment_id = ?')
      .run(JSON.stringify(progress), id)
  }

  async #work(job: Job, ended: AbortSignal): Promise<void> {
    const id = job.enrichment_id
    let result: JobResult | null = null
    let failure: string | null = null
    try {
      await this.#options.space.check()
      result = await this.#enrich(job, AbortSignal.any([this.#stop.signal, ended]))
    } catch (thrown) {
      const isStopped = thrown instanceof AppError && thrown.code === 'stopped'
      const error: unknown = isStopped && ended.reason instanceof AppError ? ended.reason : thrown
      if (error instanceof AppError && error.code === 'stopped') return
      const known = error instanceof AppError && TOLD.has(error.code)
      if (!known)
        this.#options.log.error({ enrichment_id: id, reason: messageOf(error) }, 'enrichment failed')
      const isFull = error instanceof AppError && error.code === 'disk_full'
      failure = known ? messageOf(error) : isFull ? SHORT_OF_SPACE : 'Something went wrong on our side.'
    }
    await this.#end(job, result, failure)
  }

  // Who ends it bills it: of two processes that worked on it, because one stood still for a minute, only the first.
  async #end(job: Job, result: JobResult | null, failure: string | null): Promise<void> {
    const { db, now, onEnded } = this.#options
    const id = job.enrichment_id
    const at = now().getTime()
    const bytes = result === null ? 0 : await this.#bytesOf(id)
    const isFirst = inTransaction(db, () => {
      const { changes } = db
        .prepare(
          `update enrichments set status = ?, finished_at = ?, result = ?, failure = ?, byte_count = ? where enrichment_id = ? and status = 'running'`,
        )
        .run(
          result === null ? 'failed' : 'done',
          at,
          result === null ? null : JSON.stringify(result),
          failure,
          bytes,
          id,
        )
      if (Number(changes) > 0) queueFinishedList(db, id, at)
      return Number(changes) > 0
    })
    if (!isFirst) return
    this.#saveProgress(id)
    onEnded(job, job.request.dry_run ? 0 : (result?.billable ?? 0))
    // What was sent has done its service.
    if (result === null) return this.discard(id)
    const { list, suppress } = job.request
    for (const name of suppress === null ? [list] : [list, suppress])
      await rm(join(this.folderOf(id), name), { force: true })
  }

  async #bytesOf(id: string): Promise<number> {
    const sizes = [RESULT_FILE, REJECTED_FILE].map(async (name) => {
      const found = await stat(join(this.folderOf(id), name)).catch(() => null)
      return found?.size ?? 0
    })
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }

  async #enrich(job: Job, signal: AbortSignal): Promise<JobResult> {
    const { enrichment_id, request } = job
    const folder = this.folderOf(enrichment_id)
    const snapshot = await this.#options.snapshot(job)
    if (snapshot === null) throw new AppError('no_snapshot', 'there is no published data')
    const path = join(folder, RESULT_FILE)
    const suppressions = await this.#options.suppressions()
    const own = request.suppress === null ? null : await loadSentSuppressions(join(folder, request.suppress), request.today) // prettier-ignore
    const list = { path: join(folder, request.list), noHeader: request.no_header, skipLines: request.skip_lines } // prettier-ignore
    const input = await openSentList(list, this.#options.limits)
    // A run that goes on where another stopped has rows before its first one.
    let begun: { rows?: number; at?: number } = {}
    const {
      tally,
      snapshot: version,
      seconds: took,
      resumedRows,
    } = await runEnrichment({
      input,
      mapping: request.mapping,
      counties: countyCodes(),
      match: {
        fields: request.fields,
        require: request.require,
        minScore: request.min_score,
        top: request.top,
        suppressions: own,
        tellsSuppressed: false,
        suppressesPeople: !request.dry_run,
        today: request.today,
      },
      output: request.dry_run ? null : { path, kind: 'csv', isPlain: true },
      prefix: RESULT_PREFIX,
      dedupe: request.dedupe,
      limit: request.limit,
      maxBillable: request.max_billable,
      snapshot,
      snapshotFolder: (wanted) => this.#options.snapshotFolder(wanted, job),
      personCount: snapshot.personCount,
      suppressions,
      resume: await hasCheckpoint(path),
      threads: 1,
      signal,
      progress: ({ rows, share }) => {
        const { rows: first = rows, at = performance.now() } = begun
        begun = { rows: first, at }
        const seconds = Math.max(0.001, (performance.now() - at) / 1000)
        const rows_per_second = Math.round((rows - first) / seconds)
        this.#progress.set(enrichment_id, { rows, share, rows_per_second })
      },
    }).finally(() => input.close())
    const seconds = Math.max(0.001, took)
    this.#progress.set(enrichment_id, { rows: tally.rows, share: 1, rows_per_second: Math.round((tally.rows - resumedRows) / seconds) }) // prettier-ignore
    const { matched, ambiguous } = tally.statuses
    return {
      rows: tally.rows,
      matched,
      ambiguous,
      billable: tally.billable,
      duplicates: tally.duplicates,
      billed: request.is_billed && !request.dry_run ? tally.billable : 0,
      rejected: tally.rejected,
      snapshot: version,
    }
  }
}
