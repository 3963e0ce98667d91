import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import type { Database } from '../state/database.ts'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { readRow } from '../state/rows.ts'

const Row = z.object({
  digest: z.string(),
  enrichment_id: z.string(),
  status: z.enum(['running', 'done']),
  leased_until: z.int(),
  answer: z.string().nullable(),
})

/** A request with an `Idempotency-Key`. Requests with the same key are carried out and billed once. */
export interface KeyedRequest {
  readonly account_id: string
  readonly key: string
  /** A hash of the input file and the options. */
  readonly digest: string
  /** The enrichment whose folder keeps the response. */
  readonly enrichment_id: string
}

/** The first response to a keyed request. */
export interface FirstResponse {
  readonly status: number
  readonly location: string | null
  readonly body: string
}

const Head = z.object({ status: z.int(), location: z.string().nullable(), body: z.string().nullable() })

/** A key and its response are deleted after this time. `Jobs` deletes folders without a job after the same time. */
const KEPT_MS = 86_400_000
const LEASE_MS = 60_000
const RENEW_EVERY_MS = 15_000
const RESPONSE_FILE = 'answer.json'
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** Checks and returns the header `Idempotency-Key`; null when it is absent. @throws `invalid_parameter` */
export function idempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && IDEMPOTENCY_KEY.test(header)) return header
  throw new AppError(
    'invalid_parameter',
    'the header Idempotency-Key must be given only once, as 1 to 255 ASCII characters without spaces',
  )
}

export function digestOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** The keyed requests in the state file, which all processes share and which survive a restart. */
export class KeyedRequests {
  readonly #db: Database
  readonly #folder: (enrichment_id: string) => string
  readonly #now: Clock

  constructor(db: Database, folder: (enrichment_id: string) => string, now: Clock) {
    this.#db = db
    this.#folder = folder
    this.#now = now
  }

  /**
   * Returns the first response to a repeated request. Returns null for the first request, which the caller must carry out.
   * @throws `unprocessable` when the key was used for another request, `conflict` while the first request is in progress.
   */
  async begin(request: KeyedRequest): Promise<FirstResponse | null> {
    const row = await this.#db.transaction(() => this.#claim(request))
    if (row === null) return null
    const { status, location, body } = Head.parse(JSON.parse(row.answer ?? '{}'))
    const kept = body ?? (await readFile(join(this.#folder(row.enrichment_id), RESPONSE_FILE), 'utf8'))
    return { status, location, body: kept }
  }

  async #claim({
    account_id,
    key,
    digest,
    enrichment_id,
  }: KeyedRequest): Promise<z.output<typeof Row> | null> {
    const [at, real] = [this.#now().getTime(), Date.now()]
    await this.#db.run('delete from keyed_requests where created_at < ?', at - KEPT_MS)
    const known = `select ${Object.keys(Row.shape).join(', ')} from keyed_requests where account_id = ? and idempotency_key = ?`
    const row = await readRow(this.#db, Row, known, account_id, key)
    if (row !== null && row.digest !== digest)
      throw new AppError(
        'unprocessable',
        'this Idempotency-Key was already used with another input file or other options: use a new key for a new request',
      )
    if (row?.status === 'done') return row
    if (row !== null && row.leased_until > real)
      throw new AppError(
        'conflict',
        'the first request with this Idempotency-Key is still being answered: send the request again in a few seconds',
      )
    await this.#db.run(
      `insert into keyed_requests (account_id, idempotency_key, digest, enrichment_id, status, leased_until, created_at)
         values (?, ?, ?, ?, 'running', ?, ?)
         on conflict (account_id, idempotency_key) do update set
           digest = excluded.digest, enrichment_id = excluded.enrichment_id, status = excluded.status,
           leased_until = excluded.leased_until, answer = null, created_at = excluded.created_at`,
      account_id,
      key,
      digest,
      enrichment_id,
      real + LEASE_MS,
      at,
    )
    return null
  }

  /** Carries out the request that `begin` claimed, and keeps its lease. When `act` throws, the key can be used again. */
  async carryOut<T>(request: KeyedRequest, act: () => Promise<T>): Promise<T> {
    const own = [request.account_id, request.key, request.enrichment_id] as const
    const which = `where account_id = ? and idempotency_key = ? and enrichment_id = ? and status = 'running'`
    const renew = setInterval(() => {
      // A failed renewal is made up for by the next one: the lease lasts for several.
      this.#db
        .run(`update keyed_requests set leased_until = ? ${which}`, Date.now() + LEASE_MS, ...own)
        .catch(() => undefined)
    }, RENEW_EVERY_MS).unref()
    try {
      return await act()
    } catch (error) {
      await this.#db.run(`delete from keyed_requests ${which}`, ...own)
      throw error
    } finally {
      clearInterval(renew)
    }
  }

  /**
   * Stores a response for repeated requests: that of a job (`isJob`) in the state file, others, which have
   * personal data, in the enrichment's folder.
   */
  async keep(
    { account_id, key, enrichment_id }: KeyedRequest,
    response: FirstResponse,
    isJob: boolean,
  ): Promise<void> {
    const path = join(this.#folder(enrichment_id), RESPONSE_FILE)
    if (!isJob) await writeFile(path, response.body, { flush: true })
    const head = JSON.stringify({ ...response, body: isJob ? response.body : null })
    const { changes } = await this.#db.run(
      `update keyed_requests set status = 'done', answer = ? where account_id = ? and idempotency_key = ? and enrichment_id = ? and status = 'running'`,
      head,
      account_id,
      key,
      enrichment_id,
    )
    if (changes > 0) return
    // This process was blocked for longer than its lease, and another process took the request over.
    await rm(path, { force: true })
    throw new AppError(
      'conflict',
      'another request with this Idempotency-Key was answered first: send this request again to get that response',
    )
  }
}
