import { randomInt } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import type { Database } from '../../state/database.ts'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { AppError, messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Suppression } from '../../lookup/index.ts'
import { queueFinishedList } from '../../state/finished-lists.ts'
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
  /** The name of the input file in the job's folder. */
  list: z.string(),
  /** The name of the caller's suppression list in the job's folder. */
  suppress: z.string().nullable().default(null),
  mapping: z.array(
    z.object({ column: z.int(), field: z.enum(CLUE_FIELDS), by: z.enum(['name', 'content', 'map']) }),
  ),
  fields: z.array(z.enum(FIELDS)),
  require: z.array(z.enum(REQUIREMENTS)),
  min_score: z.int(),
  /** The most matched rows to bill; null for no cap. */
  max_billable: z.int().nullable(),
  // Requests that an older version stored lack the following members.
  /** Rows reserved from the monthly cap; null for none. If the member is absent, `max_billable` is the reservation. */
  taken: z.int().nullable().optional(),
  /** The number of rows to read; null for all rows. */
  limit: z.int().nullable().default(null),
  top: z.int().default(1),
  dedupe: z.boolean().default(false),
  /** Rows are counted only: no result is kept and nothing is billed. */
  dry_run: z.boolean().default(false),
  /** True when the account pays for matched rows. */
  is_billed: z.boolean().default(true),
  no_header: z.boolean().default(false),
  skip_lines: z.int().default(0),
  /** The webhook to notify when the job has ended. */
  notify: z.string().nullable().default(null),
  today: z.string(),
  /** True for a request with the key of a test account. */
  is_test: z.boolean(),
})
export type JobRequest = z.output<typeof Request>

const Result = z.object({
  rows: z.int(),
  matched: z.int(),
  ambiguous: z.int(),
  /** Rows that are billed. For dry runs and accounts that do not pay: rows that would be billed. */
  billable: z.int().optional(),
  duplicates: z.int().optional(),
  billed: z.int(),
  rejected: z.int(),
  snapshot: z.string(),
})
export type JobResult = z.output<typeof Result>

const Progress = z.object({
  rows: z.int(),
  /** From 0 to 1. */
  share: z.number().nullable(),
  rows_per_second: z.int(),
})
type Progress = z.output<typeof Progress>

export const JOB_STATUSES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** A job as the state file stores it. */
const Row = z.object({
  enrichment_id: z.string(),
  account_id: z.string(),
  /** The key of the request. */
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
/** How often a job checks whether another process cancelled it and whether the disk fills up. */
const WATCH_EVERY_MS = 1_000
/** A folder without a job is deleted at this age. A process that was killed during an upload leaves such a folder. */
const ORPHAN_AFTER_MS = 86_400_000
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The account of a job and the key of its request. */
export type Sender = Pick<Job, 'account_id' | 'api_key_id'>

/** The size of an input file. */
export interface ListSize {
  readonly rows: number
  readonly bytes: number
}

/** Limits of an account, and the limit for small inputs. */
export interface JobLimits {
  /** The most jobs that may be queued or running. */
  readonly openJobs: number
  /** The most bytes of inputs and results on the disk. */
  readonly storedBytes: number
  /** Inputs with up to this number of rows have a queue of their own. */
  readonly smallRows: number
}

export interface JobsOptions {
  readonly db: Database
  /** Contains one folder per job. */
  readonly folder: string
  readonly now: Clock
  readonly log: Log
  /** Returns the snapshot for a job that starts now; null when there is none. */
  readonly snapshot: (job: Job) => Promise<{ version: string; folder: string; personCount: number } | null>
  readonly snapshotFolder: (version: string, job: Job) => Promise<string | null>
  /** Returns the operator's suppression list. */
  readonly suppressions: () => Promise<readonly Suppression[]>
  /** Milliseconds that a job and its result are kept after its end. */
  readonly keptFor: number
  /** The limits of an input file. */
  readonly limits: InputLimits
  readonly jobLimits: JobLimits
  readonly space: DiskSpace
  /** Called once when a job has ended, with the number of billed rows. */
  readonly onEnded: (job: Job, billed: number) => void | Promise<void>
}

/** Codes of errors whose message is shown to the caller. Other errors are logged and hidden. */
const SHOWN_CODES: ReadonlySet<string> = new Set(['bad_input', 'too_large'])

function mebibytes(bytes: number): string {
  return Math.ceil(bytes / 2 ** 20).toLocaleString('en-US')
}

/** Returns the jobs of all accounts, oldest first: queued and running ones, or with `isAll` all that are kept. */
export async function listJobs(db: Database, isAll: boolean): Promise<Job[]> {
  const which = isAll ? '' : `where status in ('queued', 'running')`
  return (await db.all(`select ${COLUMNS} from enrichments ${which} order by created_at, enrichment_id`)).map(
    (row) => Row.parse(row),
  )
}

/**
 * Marks a job as cancelled; the process that runs it notices within a second. Returns false when the job has already
 * ended.
 */
export async function cancelJob(db: Database, id: string, at: number): Promise<boolean> {
  return db.transaction(async () => {
    const { changes } = await db.run(
      `update enrichments set status = 'cancelled', finished_at = ?, byte_count = 0 where enrichment_id = ? and status in ('queued', 'running')`,
      at,
      id,
    )
    if (changes > 0) await queueFinishedList(db, id, at)
    return changes > 0
  })
}

/** The file in a job's folder from which results are made. */
export const RESULT_FILE = 'result.csv'
/** The file with rejected rows; exists only when there are any. */
export const REJECTED_FILE = 'result.rejected.csv'

/**
 * The jobs of the background enrichment. Each process has one queue for small inputs and one for all others, and runs
 * one job of each at a time. Accounts take turns in a queue. A process takes over the jobs of a process that has ended.
 */
export class Jobs {
  readonly #options: JobsOptions
  readonly #lanes = { small: new Turns(1), large: new Turns(1) }
  readonly #stop = new AbortController()
  readonly #running = new Set<Promise<void>>()
  /** Ids of the jobs that this process runs or has queued. */
  readonly #own = new Set<string>()
  /** The progress of the jobs that this process runs. */
  readonly #progress = new Map<string, Progress>()
  /** Aborts a job that this process runs. */
  readonly #aborts = new Map<string, AbortController>()
  #poll: NodeJS.Timeout | null = null

  constructor(options: JobsOptions) {
    this.#options = options
  }

  /** Takes over jobs of ended processes and deletes expired jobs: now, and then every minute. */
  start(): void {
    this.#maintain()
    this.#poll = setInterval(() => this.#maintain(), LEASE_MS).unref()
  }

  /** Creates an id and a folder for an upload. */
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

  /** @throws `rate_limited` or `too_large` when the new input would exceed a limit of the account */
  async checkLimits(account_id: string, bytes: number): Promise<void> {
    const { openJobs, storedBytes } = this.#options.jobLimits
    const row = await this.#options.db.get(
      `select count(*) filter (where status in ('queued', 'running')) as open, coalesce(sum(byte_count), 0) as bytes from enrichments where account_id = ?`,
      account_id,
    )
    const [open, held] = [Number(row?.['open']), Number(row?.['bytes'])]
    if (open >= openJobs)
      throw new AppError(
        'rate_limited',
        `${open} ${open === 1 ? 'list of the account is' : 'lists of the account are'} queued or running, and the limit is ${openJobs}: wait until one is done, or cancel one with DELETE /v1/enrichments/{id}`,
      )
    if (held + bytes > storedBytes)
      throw new AppError(
        'too_large',
        `lists and results of the account take ${mebibytes(held)} of ${mebibytes(storedBytes)} MiB, and this list has ${mebibytes(bytes)}: remove results with DELETE /v1/enrichments/{id}`,
      )
  }

  async create(
    id: string,
    { account_id, api_key_id }: Sender,
    request: JobRequest,
    size: ListSize,
  ): Promise<Job> {
    const at = this.#options.now().getTime()
    await this.#options.db.run(
      'insert into enrichments (enrichment_id, account_id, api_key_id, status, created_at, leased_until, request, row_count, byte_count) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
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

  /** @throws `not_found` for an unknown or expired job, and for a job of another account */
  async get(id: string, account_id: string): Promise<Job> {
    const row = await this.#options.db.get(
      `select ${COLUMNS} from enrichments where enrichment_id = ? and account_id = ?`,
      id,
      account_id,
    )
    const job = row === undefined ? null : Row.parse(row)
    const expires = job === null ? null : this.expiryOf(job)
    if (job === null || (expires !== null && expires <= this.#options.now().getTime()))
      throw new AppError('not_found', `there is no enrichment ${id}; results are kept for ${Math.round(this.#options.keptFor / 86_400_000)} days`) // prettier-ignore
    return job
  }

  /** Returns a page of an account's jobs after the job `after`, newest first. */
  async list(
    account_id: string,
    {
      status,
      limit,
      after,
    }: { status: JobStatus | null; limit: number; after: { at: number; id: string } | null },
  ): Promise<Job[]> {
    const { db, now, keptFor } = this.#options
    return (await db.all(`select ${COLUMNS} from enrichments
         where account_id = $account_id and (cast($status as text) is null or status = $status)
           and (finished_at is null or finished_at > $expired)
           and (cast($id as text) is null or (created_at, enrichment_id) < ($at, $id))
         order by created_at desc, enrichment_id desc limit $limit`, {
        account_id,
        status,
        expired: now().getTime() - keptFor,
        at: after?.at ?? 0,
        id: after?.id ?? null,
        limit,
      })) // prettier-ignore
      .map((row) => Row.parse(row))
  }

  /**
   * Cancels a queued or running job: nothing is billed or kept. Deletes an ended job together with its result.
   * @throws `not_found`
   */
  async remove(id: string, account_id: string): Promise<void> {
    const job = await this.get(id, account_id)
    const { db, now, onEnded } = this.#options
    if (await cancelJob(db, id, now().getTime())) {
      await onEnded(job, 0)
      this.#aborts.get(id)?.abort()
    } else await db.run('delete from enrichments where enrichment_id = ?', id)
    // If this process runs the job, the run deletes the folder when it ends.
    if (!this.#aborts.has(id)) await this.discard(id)
  }

  /** Returns when the job expires, in milliseconds since 1970; null until the job has ended. */
  expiryOf({ finished_at }: Job): number | null {
    return finished_at === null ? null : finished_at + this.#options.keptFor
  }

  /** Stops all running jobs so that another process can resume them. */
  async close(): Promise<void> {
    if (this.#poll !== null) clearInterval(this.#poll)
    this.#stop.abort()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  // A busy or damaged state file must not stop the service, so errors are logged and the next call tries again.
  #maintain(): void {
    this.#attempt('looking for jobs of ended processes failed', () => this.#adopt())
    this.#attempt('deleting expired jobs failed', () => this.#prune())
  }

  #attempt(what: string, act: () => Promise<void>): void {
    const attempt = act()
      .catch((cause: unknown) => this.#options.log.error({ reason: messageOf(cause) }, what))
      .finally(() => this.#running.delete(attempt))
    this.#running.add(attempt)
  }

  // Leases use real time, even if requests use another clock. The machine may sleep, so this process's own leases may
  // expire too.
  async #adopt(): Promise<void> {
    const { db } = this.#options
    const ids = await db.all(
      `update enrichments set leased_until = ? where enrichment_id in (
         select enrichment_id from enrichments
         where status in ('queued', 'running') and leased_until < ? ${db.skipLocked}
       ) returning enrichment_id, account_id, row_count`,
      Date.now() + LEASE_MS,
      Date.now(),
    )
    for (const { enrichment_id, account_id, row_count } of ids)
      if (!this.#own.has(String(enrichment_id)))
        this.#queue(String(enrichment_id), String(account_id), row_count === null ? null : Number(row_count))
  }

  async #prune(): Promise<void> {
    const { db, folder, now, keptFor } = this.#options
    const ended = await db.all(
      'delete from enrichments where finished_at <= ? returning enrichment_id',
      now().getTime() - keptFor,
    )
    for (const { enrichment_id } of ended) await this.discard(String(enrichment_id))
    for (const id of await readdir(folder).catch(() => [])) {
      const job = await db.get('select 1 as present from enrichments where enrichment_id = ?', id)
      if (job !== undefined) continue
      const found = await stat(this.folderOf(id)).catch(() => null)
      if (found !== null && found.mtimeMs < Date.now() - ORPHAN_AFTER_MS) await this.discard(id)
    }
  }

  #queue(id: string, account_id: string, rows: number | null): void {
    const lane = this.#lanes[(rows ?? Infinity) <= this.#options.jobLimits.smallRows ? 'small' : 'large']
    this.#own.add(id)
    const renew = setInterval(
      () => this.#attempt('renewing the lease of a job failed', () => this.#renew(id)),
      RENEW_EVERY_MS,
    ).unref()
    const work = lane
      .run(account_id, () => this.#run(id))
      .catch((cause: unknown) =>
        this.#options.log.error(
          { enrichment_id: id, reason: messageOf(cause) },
          'a job was interrupted; it is tried again',
        ),
      )
      .finally(() => {
        clearInterval(renew)
        this.#own.delete(id)
        this.#running.delete(work)
      })
    this.#running.add(work)
  }

  async #renew(id: string): Promise<void> {
    await this.#options.db.run(
      'update enrichments set leased_until = ? where enrichment_id = ?',
      Date.now() + LEASE_MS,
      id,
    )
  }

  async #run(id: string): Promise<void> {
    const { db } = this.#options
    if (this.#stop.signal.aborted) return
    const row = await db.get(
      `update enrichments set status = 'running', leased_until = ? where enrichment_id = ? and status in ('queued', 'running') returning ${COLUMNS}`,
      Date.now() + LEASE_MS,
      id,
    )
    // The job was cancelled, or another process took it over and finished it, while it waited here.
    if (row === undefined) return
    const job = Row.parse(row)
    const end = new AbortController()
    this.#aborts.set(id, end)
    const watch = setInterval(() => void this.#watch(id, end), WATCH_EVERY_MS).unref()
    try {
      await this.#work(job, end.signal)
    } finally {
      clearInterval(watch)
      this.#aborts.delete(id)
      this.#progress.delete(id)
      if (await this.#isGone(id)) await this.discard(id)
    }
  }

  // Returns whether any process has cancelled or deleted the job.
  async #isGone(id: string): Promise<boolean> {
    const row = await this.#options.db.get('select status from enrichments where enrichment_id = ?', id)
    return row === undefined || row['status'] === 'cancelled'
  }

  async #watch(id: string, end: AbortController): Promise<void> {
    try {
      if (await this.#isGone(id)) end.abort()
      await this.#saveProgress(id)
      await this.#options.space.check()
    } catch (error) {
      if (error instanceof AppError && error.code === 'disk_full') end.abort(error)
      else
        this.#options.log.error(
          { enrichment_id: id, reason: messageOf(error) },
          'checking a running job failed',
        )
    }
  }

  async #saveProgress(id: string): Promise<void> {
    const progress = this.#progress.get(id)
    if (progress === undefined) return
    await this.#options.db.run(
      'update enrichments set progress = ? where enrichment_id = ?',
      JSON.stringify(progress),
      id,
    )
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
      const known = error instanceof AppError && SHOWN_CODES.has(error.code)
      if (!known)
        this.#options.log.error({ enrichment_id: id, reason: messageOf(error) }, 'enrichment failed')
      const isFull = error instanceof AppError && error.code === 'disk_full'
      failure = known
        ? messageOf(error)
        : isFull
          ? SHORT_OF_SPACE
          : 'The service failed while it worked on the list: send the list again.'
    }
    await this.#end(job, result, failure)
  }

  // The process that ends a job bills it. If two processes worked on it, because one was suspended, only the first
  // bills.
  async #end(job: Job, result: JobResult | null, failure: string | null): Promise<void> {
    const { db, now, onEnded } = this.#options
    const id = job.enrichment_id
    const at = now().getTime()
    const bytes = result === null ? 0 : await this.#bytesOf(id)
    const isFirst = await db.transaction(async () => {
      const { changes } = await db.run(
        `update enrichments set status = ?, finished_at = ?, result = ?, failure = ?, byte_count = ? where enrichment_id = ? and status = 'running'`,
        result === null ? 'failed' : 'done',
        at,
        result === null ? null : JSON.stringify(result),
        failure,
        bytes,
        id,
      )
      if (changes > 0) await queueFinishedList(db, id, at)
      return changes > 0
    })
    if (!isFirst) return
    await this.#saveProgress(id)
    await onEnded(job, job.request.dry_run ? 0 : (result?.billable ?? 0))
    // The input files are no longer needed.
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
    // A resumed run starts after rows of the stopped run, which do not count for the speed.
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
        reportsSuppressed: false,
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
