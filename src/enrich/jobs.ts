import { randomInt } from 'node:crypto'
import { mkdir, rm, stat } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { AppError, messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Suppression } from '../lookup/open.ts'
import { countyCodes } from './counties.ts'
import { CLUE_FIELDS } from './columns.ts'
import { FIELDS, REQUIREMENTS } from './fields.ts'
import { openInput } from './read-input.ts'
import { runEnrichment } from './run.ts'

const Request = z.object({
  /** The file's name in the job's folder. */
  list: z.string(),
  mapping: z.array(
    z.object({ column: z.int(), field: z.enum(CLUE_FIELDS), by: z.enum(['name', 'content', 'map']) }),
  ),
  fields: z.array(z.enum(FIELDS)),
  require: z.array(z.enum(REQUIREMENTS)),
  min_score: z.int(),
  /** Matched rows that may be billed; null is no cap. */
  max_billable: z.int().nullable(),
  today: z.string(),
  /** Of a test key, which is never billed. */
  is_test: z.boolean(),
})
export type JobRequest = z.output<typeof Request>

const Result = z.object({
  rows: z.int(),
  matched: z.int(),
  ambiguous: z.int(),
  billed: z.int(),
  rejected: z.int(),
  snapshot: z.string(),
})
export type JobResult = z.output<typeof Result>

const Row = z.object({
  enrichment_id: z.string(),
  api_key_id: z.string(),
  status: z.enum(['queued', 'running', 'done', 'failed']),
  created_at: z.int(),
  finished_at: z.int().nullable(),
  request: z.string().transform((text) => Request.parse(JSON.parse(text))),
  result: z.string().nullable().transform((text) => (text === null ? null : Result.parse(JSON.parse(text)))), // prettier-ignore
  failure: z.string().nullable(),
})
export type Job = z.output<typeof Row>

const COLUMNS = Object.keys(Row.shape).join(', ')
const LEASE_MS = 60_000
const RENEW_EVERY_MS = 15_000
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export interface JobsOptions {
  readonly db: DatabaseSync
  /** Each job has a folder of its own in it. */
  readonly folder: string
  readonly now: Clock
  readonly log: Log
  /** The snapshot that new jobs are matched against; null when there is none. */
  readonly snapshot: () => Promise<{ version: string; folder: string; personCount: number } | null>
  readonly snapshotFolder: (version: string) => Promise<string | null>
  /** Who must not come out. */
  readonly suppressions: () => readonly Suppression[]
  /** Called once a job is done, before it says so. */
  readonly onDone: (job: Job, result: JobResult) => void
}

/** The file in a job's folder that results are made of. */
export const RESULT_FILE = 'result.csv'

/** Lists that are enriched in the background, one at a time in each process; what a process leaves, another finishes. */
export class Jobs {
  readonly #options: JobsOptions
  readonly #limit = pLimit(1)
  readonly #stop = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #poll: NodeJS.Timeout | null = null

  constructor(options: JobsOptions) {
    this.#options = options
  }

  /** Looks for jobs whose process is gone, now and from time to time. */
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

  create(id: string, api_key_id: string, request: JobRequest): Job {
    const at = this.#options.now().getTime()
    this.#options.db
      .prepare(
        'insert into enrichments (enrichment_id, api_key_id, status, created_at, leased_until, request) values (?, ?, ?, ?, ?, ?)',
      )
      .run(id, api_key_id, 'queued', at, Date.now() + LEASE_MS, JSON.stringify(request))
    this.#queue(id)
    return this.get(id, api_key_id)
  }

  /** @throws `not_found` for a job that there isn't, or that is another account's. */
  get(id: string, api_key_id: string): Job {
    const row = this.#options.db
      .prepare(`select ${COLUMNS} from enrichments where enrichment_id = ? and api_key_id = ?`)
      .get(id, api_key_id)
    if (row === undefined) throw new AppError('not_found', `there is no enrichment ${id}`)
    return Row.parse(row)
  }

  /** Stops what is under way, in a state that another process goes on from. */
  async close(): Promise<void> {
    if (this.#poll !== null) clearInterval(this.#poll)
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  // A state file that is locked now must not end the process; it is looked at again.
  #look(): void {
    try {
      this.#adopt()
    } catch (error) {
      this.#options.log.error({ reason: messageOf(error) }, 'jobs without a process were not looked for')
    }
  }

  // Leases are a matter of real time, whatever time requests come at.
  #adopt(): void {
    try {
      this.#queueLeft()
    } catch (cause) {
      // Looked for again a minute later: a state file that is busy or broken must not end the service.
      this.#options.log.error({ reason: messageOf(cause) }, 'lists that others left were not looked for')
    }
  }

  #queueLeft(): void {
    const ids = this.#options.db
      .prepare(
        `update enrichments set leased_until = ? where status in ('queued', 'running') and leased_until < ? returning enrichment_id`,
      )
      .all(Date.now() + LEASE_MS, Date.now())
    for (const { enrichment_id } of ids) this.#queue(String(enrichment_id))
  }

  #queue(id: string): void {
    const renew = setInterval(
      () => this.#set(id, 'leased_until = ?', Date.now() + LEASE_MS),
      RENEW_EVERY_MS,
    ).unref()
    const work = this.#limit(() => this.#run(id)).finally(() => clearInterval(renew))
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  async #run(id: string): Promise<void> {
    if (this.#stop.signal.aborted) return
    const job = Row.parse(
      this.#options.db.prepare(`select ${COLUMNS} from enrichments where enrichment_id = ?`).get(id),
    )
    this.#set(id, "status = 'running', leased_until = ?", Date.now() + LEASE_MS)
    try {
      const result = await this.#enrich(job)
      this.#options.onDone(job, result)
      this.#set(
        id,
        "status = 'done', finished_at = ?, result = ?",
        this.#options.now().getTime(),
        JSON.stringify(result),
      )
    } catch (error) {
      if (error instanceof AppError && error.code === 'stopped') return
      const known = error instanceof AppError && error.code === 'bad_input'
      if (!known)
        this.#options.log.error({ enrichment_id: id, reason: messageOf(error) }, 'enrichment failed')
      this.#set(
        id,
        "status = 'failed', finished_at = ?, failure = ?",
        this.#options.now().getTime(),
        known ? messageOf(error) : 'Something went wrong on our side.',
      )
    }
  }

  async #enrich({ enrichment_id, request }: Job): Promise<JobResult> {
    const folder = this.folderOf(enrichment_id)
    const snapshot = await this.#options.snapshot()
    if (snapshot === null) throw new AppError('no_snapshot', 'there is no published data')
    const path = join(folder, RESULT_FILE)
    const isResumed = (await stat(`${path}.partial.json`).catch(() => null)) !== null
    const { tally, snapshot: version } = await runEnrichment({
      input: await openInput(join(folder, request.list)),
      mapping: request.mapping,
      counties: countyCodes(),
      match: {
        fields: request.fields,
        require: request.require,
        minScore: request.min_score,
        top: 1,
        suppressions: null,
        today: request.today,
      },
      output: { path, kind: 'csv' },
      prefix: 'pb_',
      dedupe: false,
      limit: null,
      maxBillable: request.max_billable,
      snapshot,
      snapshotFolder: this.#options.snapshotFolder,
      personCount: snapshot.personCount,
      suppressions: this.#options.suppressions(),
      resume: isResumed,
      threads: 1,
      signal: this.#stop.signal,
    })
    const { matched, ambiguous } = tally.statuses
    return {
      rows: tally.rows,
      matched,
      ambiguous,
      billed: tally.billable,
      rejected: tally.rejected,
      snapshot: version,
    }
  }

  #set(id: string, assignments: string, ...values: (string | number)[]): void {
    this.#options.db
      .prepare(`update enrichments set ${assignments} where enrichment_id = ?`)
      .run(...values, id)
  }
}
