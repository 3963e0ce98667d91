import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type Mapping, recogniseInTurns } from '../../enrich/columns/recognise.ts'
import { countyCodes } from '../../enrich/match/counties.ts'
import { DEFAULT_FIELDS } from '../../enrich/match/fields.ts'
import { type Job, type JobRequest, REJECTED_FILE, RESULT_FILE } from '../../enrich/jobs/jobs.ts'
import { answerRows, type NumberedRow, rowsOfShort } from '../../enrich/jobs/answer-rows.ts'
import type { MatchOptions } from '../../enrich/match/match-row.ts'
import type { Input } from '../../enrich/read/read-input.ts'
import { REJECTED_HEADER } from '../../enrich/run/run.ts'
import type { Suppressions } from '../../enrich/match/suppressions.ts'
import { RESULT_PREFIX, RESULT_TYPES, resultStream } from '../../enrich/write/result-formats.ts'
import { safeCsv } from '../../enrich/write/safe-csv.ts'
import {
  asParameters,
  countRows,
  loadSentSuppressions,
  openSentList,
  type SentList,
} from '../../enrich/jobs/sent-list.ts'
import { AppError } from '../../errors.ts'
import { EnrichmentResponse, EnrichmentJobResponse, EnrichmentsResponse } from '../responses/enrichments.ts'
import { FREE } from '../billing.ts'
import { refusedRequest } from '../errors.ts'
import {
  digestOf,
  type FirstResponse,
  idempotencyKey,
  type KeyedRequest,
  KeyedRequests,
} from '../idempotency.ts'
import { suppressInResponse } from '../suppress-in-response.ts'
import { JSON_TYPE } from '../reply.ts'
import {
  CsvOptions,
  EnrichmentFilter,
  EnrichmentHeaders,
  EnrichmentOptions,
  EnrichmentParts,
  EnrichmentPath,
  isOneResult,
  ONE_RESULT,
} from '../parameters/enrichments.ts'
import { ResultFiles } from '../result-files.ts'
import { ACCEPTED_TYPES, takeUploads, type Upload, UPLOAD_TYPES } from '../uploads.ts'
import type { RouteOptions } from './options.ts'
import { checkHeader } from '../../enrich/columns/header.ts'
import { parseMap, remedyTexts } from '../../enrich/columns/map-option.ts'

/** An input file with more rows becomes a background job. */
const MOST_AT_ONCE = 1_000
/** An input file with more bytes (received or unzipped) also becomes a job. */
const MOST_BYTES_AT_ONCE = 4 * 1024 * 1024

type Options = z.output<typeof EnrichmentOptions>
/** A received input file, opened for reading. */
interface Sent {
  readonly upload: Upload
  readonly input: Input
  /** The caller's own suppression list. */
  readonly own: Suppressions | null
  /** Aborted when the sender closes the connection. */
  readonly signal: AbortSignal
}

type UploadRequest = FastifyRequest<{ Querystring: Options }>

/** Routes `/v1/enrichments/…`: send an input file; list, read and delete enrichments; download results and rejected rows. */
export const enrichments: FastifyPluginAsync<RouteOptions> = async (
  app,
  { meter, served, state, webhooks, jobs, uploads, today, now },
) => {
  const tag = 'Enrichments'
  // The routes are free, because rows are billed instead of requests (`billRows`).
  const reads = meter.key('enrichments:read', FREE)
  const writes = meter.key('enrichments:write', FREE)
  const counties = countyCodes()
  const resultFiles = { live: new ResultFiles(served.live), test: new ResultFiles(served.test) }
  const keyedRequests = new KeyedRequests(state.db, (id) => jobs.folderOf(id), now)
  takeUploads(app, uploads)

  app.endpoint(
    {
      method: 'POST',
      path: '/v1/enrichments',
      operationId: 'enrich',
      isWaiting: true,
      tag,
      summary: 'Add people, phones, e-mails and addresses to the rows of an input file',
      description: `The header line (CSV) or the keys (JSON) name the columns. The service recognises their meaning as \`platbook enrich\` does; \`map\` corrects it.

Input files of up to ${MOST_AT_ONCE} rows are answered directly. Longer files, and requests with \`Prefer: respond-async\`, become background jobs (202). Each matched row is billed like one request. When the monthly cap is reached, the remaining rows are not looked up.

A body of type \`multipart/form-data\` has the input file in the part \`list\`. The part \`suppress\` may hold your own suppression list (at most 4 MiB; person ids, phones, e-mails or addresses). The other parts have the names and meanings of the query parameters. A row that contains an entry of the suppression list becomes \`suppressed\` and is not billed. A row whose matched person has such an entry also becomes \`suppressed\`, but is billed as a match. A dry run counts these rows as matches.

The header \`Idempotency-Key\` (1 to 255 characters) makes a request safe to repeat. For 24 hours, a request with the same key, input file and options returns the first response again, with the header \`Idempotency-Replayed: true\`, and is not billed again. 409: the first request is still being answered. 422: the key was used with another input file or other options.`,
      access: writes,
      request: {
        query: EnrichmentOptions,
        headers: EnrichmentHeaders,
        uploads: Object.keys(UPLOAD_TYPES),
        parts: EnrichmentParts,
      },
      responses: { 200: EnrichmentResponse, 202: EnrichmentJobResponse },
      headers: { 202: { Location: 'The path of the job.' } },
      failures: [400, 409, 413],
    },
    async (request, reply) => {
      const upload = request.body as Upload | undefined
      if (upload === undefined)
        throw new AppError(
          'unprocessable',
          `the request has no input file: send one as ${ACCEPTED_TYPES.join(', ')}`,
        )
      request.query = optionsOf(request.query, upload)
      const key = idempotencyKey(request.headers['idempotency-key'])
      if (key === null) return answerUpload(request, reply, upload)
      const keyed = keyedRequest(request, upload, key)
      const first = await keyedRequests.begin(keyed)
      if (first !== null) return repeat(request, reply, first)
      return keyedRequests.carryOut(keyed, async () => {
        const result = await answerUpload(request, reply, upload)
        const isJob = reply.statusCode === 202
        const location = isJob ? String(reply.getHeader('location')) : null
        const body = JSON.stringify(result)
        await keyedRequests
          .keep(keyed, { status: reply.statusCode, location, body }, isJob)
          .catch((error: unknown) => {
            // The response could not be stored, so the sender will repeat the request: do not bill this one.
            meter.unbill(request)
            throw error
          })
        await keepResponseOnly(upload)
        return result
      })
    },
  )

  /** Sends the first response again, without people suppressed since. Only the first response is billed. */
  async function repeat(
    request: UploadRequest,
    reply: FastifyReply,
    { status, location, body }: FirstResponse,
  ) {
    meter.billRows(request, 0, null)
    if (location !== null) void reply.header('location', location)
    const screened = await served.of(request.caller).use(async (lookup) => suppressInResponse(lookup, body))
    return reply
      .code(status)
      .header('idempotency-replayed', 'true')
      .header('content-type', JSON_TYPE)
      .send(screened)
  }

  async function answerUpload(request: UploadRequest, reply: FastifyReply, upload: Upload) {
    const signal = untilGone(reply)
    const input = await openSentList(sentList(upload, request.query), uploads.limits, signal)
    try {
      const { suppress } = upload
      const own = suppress === null ? null : await loadSentSuppressions(suppress.path, today(request.arrivedAt), signal) // prettier-ignore
      return await answerInput(request, reply, { upload, input, signal, own })
    } finally {
      await input.close()
    }
  }

  async function answerInput(
    request: UploadRequest,
    reply: FastifyReply,
    { upload, input, signal, own }: Sent,
  ) {
    const on = today(request.arrivedAt)
    const mapping = await mappingOf(input, request.query, on)
    const { is_test = false, is_billed = true } = request.caller?.key ?? {}
    const wanted = { ...wantedOf(request.query, mapping, on), is_test, is_billed }
    await checkNotify(request, is_test)
    const { limit = null, count_only = false } = request.query
    const rows =
      count_only || isAsync(request) || (upload.bytes > MOST_BYTES_AT_ONCE && limit === null)
        ? null
        : await rowsOfShort(input, { rows: MOST_AT_ONCE, bytes: MOST_BYTES_AT_ONCE }, limit)
    if (count_only)
      return countsOf(
        input,
        mapping,
        limit,
        await countRows(sentList(upload, request.query), uploads.limits, signal),
      )
    if (rows !== null) return answerAtOnce(request, rows, { input, mapping, own }, wanted)
    await jobs.checkLimits(request.caller?.key.account_id ?? '', upload.bytes)
    const count = Math.min(
      limit ?? Infinity,
      await countRows(sentList(upload, request.query), uploads.limits, signal),
    )
    const taken = meter.isCapped(request) ? await takeRows(request, count, wanted) : null
    const asked = {
      ...wanted,
      list: basename(upload.path),
      suppress: upload.suppress === null ? null : basename(upload.suppress.path),
      max_billable: taken ?? wanted.max_billable,
      taken,
    }
    const job = await createJob(request, upload, asked, count)
    upload.isKept = true
    void reply.code(202).header('location', `/v1/enrichments/${job.enrichment_id}`)
    return { result: resourceOf(job, jobs.expiryOf(job)) }
  }

  async function checkNotify({ query: { notify }, caller }: UploadRequest, isTest: boolean): Promise<void> {
    if (notify === undefined) return
    if (isTest) throw new AppError('invalid_parameter', 'notify: is not available with test keys')
    const own = await webhooks.subscriptions.list({
      account_id: caller?.key.account_id ?? '',
      status: 'active',
    })
    if (own.some(({ subscription_id: id }) => id === notify)) return
    throw new AppError(
      'invalid_parameter',
      `notify: the account has no active webhook ${notify}; GET /v1/webhooks/ lists its webhooks`,
    )
  }

  async function createJob(
    request: FastifyRequest,
    upload: Upload,
    wanted: JobRequest,
    rows: number,
  ): Promise<Job> {
    try {
      const { account_id = '', api_key_id = '' } = request.caller?.key ?? {}
      return await jobs.create(upload.id, { account_id, api_key_id }, wanted, { rows, bytes: upload.bytes })
    } catch (error) {
      meter.billRows(request, 0, wanted.taken ?? null)
      throw error
    }
  }

  /** Counts the rows against the monthly cap. Counts one row even for an empty input file, so a used-up cap is always refused. */
  async function takeRows(request: FastifyRequest, rows: number, wanted: Wanted): Promise<number | null> {
    if (wanted.dry_run || wanted.max_billable === 0) return null
    return meter.takeRows(request, Math.max(1, Math.min(rows, wanted.max_billable ?? rows)))
  }

  async function answerAtOnce(
    request: FastifyRequest,
    rows: readonly NumberedRow[],
    { input, mapping, own }: Pick<Sent, 'input' | 'own'> & { mapping: Mapping },
    wanted: Wanted,
  ) {
    const granted = await takeRows(request, rows.length, wanted)
    // An async function, so that the error that `use` throws without a snapshot becomes a rejection.
    const lookUp = async () =>
      served.of(request.caller).use((lookup) =>
        answerRows(lookup, rows, {
          mapping: mapping.columns,
          counties,
          match: matchOptions(wanted, own),
          dedupe: wanted.dedupe,
          maxBillable: granted ?? wanted.max_billable,
        }),
      )
    const { results, rejected, counts } = await lookUp().catch((error: unknown) => {
      meter.billRows(request, 0, granted)
      throw error
    })
    const billed = wanted.dry_run ? 0 : counts.billable
    meter.billRows(request, billed, granted)
    return {
      results: wanted.dry_run ? [] : results,
      metadata: {
        ...counts,
        matched: counts.statuses.matched,
        billed: wanted.is_billed ? billed : 0,
        rejected: rejected.map(({ row, line, reason }) => ({ row, line, reason })),
        columns: columnsOf(input, mapping),
      },
    }
  }

  app.endpoint(
    {
      method: 'GET',
      path: '/v1/enrichments',
      operationId: 'listEnrichments',
      tag,
      summary: 'List the background enrichments of the account, newest first',
      access: reads,
      request: { query: EnrichmentFilter },
      responses: { 200: EnrichmentsResponse },
      failures: [],
    },
    async (request) => {
      const { status = null, limit = 20, cursor } = request.query
      const [at, id] =
        cursor === undefined ? [] : [Number.parseInt(cursor, 10), cursor.slice(cursor.indexOf('_') + 1)]
      const after = at === undefined || id === undefined ? null : { at, id }
      const found = await jobs.list(request.caller?.key.account_id ?? '', { status, limit: limit + 1, after })
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1) : undefined
      return {
        results: page.map((job) => resourceOf(job, jobs.expiryOf(job))),
        next_cursor: last === undefined ? null : `${last.created_at}_${last.enrichment_id}`,
      }
    },
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/v1/enrichments/{id}',
      operationId: 'getEnrichment',
      tag,
      summary: 'Get the status of a background enrichment',
      access: reads,
      request: { path: EnrichmentPath },
      responses: { 200: EnrichmentJobResponse },
      failures: [404],
    },
    async (request) => {
      const job = await jobs.get(request.params.id, request.caller?.key.account_id ?? '')
      return { result: resourceOf(job, jobs.expiryOf(job)) }
    },
  )

  app.endpoint(
    {
      method: 'DELETE',
      path: '/v1/enrichments/{id}',
      operationId: 'deleteEnrichment',
      tag,
      summary: 'Cancel an enrichment, or remove it with its result',
      description:
        'A queued or running enrichment becomes `cancelled`: nothing is billed, and its files are removed. An enrichment that has ended is removed together with its result.',
      access: writes,
      request: { path: EnrichmentPath },
      responses: { 204: null },
      failures: [404],
    },
    async (request, reply) => {
      await jobs.remove(request.params.id, request.caller?.key.account_id ?? '')
      return reply.code(204).send()
    },
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/v1/enrichments/{id}/result',
      operationId: 'getEnrichmentResult',
      tag,
      summary: 'Download the enriched rows in the format of the `Accept` header',
      description:
        'Has all columns of the input file in their order, followed by the added columns with the prefix `pb_`. The format is CSV unless `Accept` names another available format.',
      access: reads,
      request: { path: EnrichmentPath, query: CsvOptions },
      responses: {},
      downloads: { 200: Object.keys(RESULT_TYPES) },
      failures: [404, 409],
    },
    async (request, reply) => {
      const job = await doneJob(request.params.id, request.caller?.key.account_id)
      const shape = job.request
      const files = shape.is_test ? resultFiles.test : resultFiles.live
      const path = await files.withoutSuppressed(join(jobs.folderOf(job.enrichment_id), RESULT_FILE), shape)
      const type = acceptedType(request.headers.accept ?? '')
      void reply.header('content-type', type === 'text/csv' ? 'text/csv; charset=utf-8' : type)
      const kind = RESULT_TYPES[type]
      if (kind === 'jsonl' || kind === 'arrow') return reply.send(await resultStream(path, kind, shape))
      if (kind === 'parquet') return reply.send(createReadStream(await files.parquet(path, shape)))
      return reply.send(csvStream(path, request.query))
    },
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/v1/enrichments/{id}/rejected',
      operationId: 'getEnrichmentRejected',
      tag,
      summary: 'Download the rows that could not be read',
      description:
        'A CSV file with the columns `line` and `row` (the position in the input file), `reason` and `text` (the text of the row). It has only a header when every row could be read. The result does not contain these rows.',
      access: reads,
      request: { path: EnrichmentPath, query: CsvOptions },
      responses: {},
      downloads: { 200: ['text/csv'] },
      failures: [404, 409],
    },
    async (request, reply) => {
      const job = await doneJob(request.params.id, request.caller?.key.account_id)
      void reply.header('content-type', 'text/csv; charset=utf-8')
      return job.result?.rejected === 0
        ? reply.send(REJECTED_HEADER)
        : reply.send(csvStream(join(jobs.folderOf(job.enrichment_id), REJECTED_FILE), request.query))
    },
  )

  /** Returns a job with a result. @throws `conflict` for a job without one. */
  async function doneJob(id: string, account_id = ''): Promise<Job> {
    const job = await jobs.get(id, account_id)
    if (job.status === 'done' && job.request.dry_run)
      throw new AppError(
        'conflict',
        `the enrichment ${job.enrichment_id} was a dry run: it has counts, but no result`,
      )
    if (job.status === 'done') return job
    throw new AppError(
      'conflict',
      `the enrichment ${job.enrichment_id} is ${job.status}; only an enrichment with the status done has a result`,
    )
  }
}

function csvStream(path: string, { safe_cells = true }: z.output<typeof CsvOptions>): Readable {
  const bytes = createReadStream(path)
  return safe_cells ? Readable.from(safeCsv(bytes), { objectMode: false }) : bytes
}

function keyedRequest(request: UploadRequest, upload: Upload, key: string): KeyedRequest {
  const { query } = request
  const options = JSON.stringify(Object.entries(query).sort(([left], [right]) => (left < right ? -1 : 1)))
  return {
    account_id: request.caller?.key.account_id ?? '',
    key,
    digest: digestOf(upload.digest, upload.type, options, String(isAsync(request))),
    enrichment_id: upload.id,
  }
}

/** Merges the parameters of the query with those in parts of the body. @throws `invalid_parameter` */
function optionsOf(query: Options, { fields }: Upload): Options {
  const twice = Object.keys(fields).find((name) => Object.hasOwn(query, name))
  if (twice !== undefined)
    throw new AppError('invalid_parameter', `${twice}: must be given only once, but the query and the body both have it`) // prettier-ignore
  const parsed = EnrichmentOptions.safeParse(fields)
  const all = parsed.success ? { ...query, ...parsed.data } : null
  if (all !== null && isOneResult(all)) return all
  if (parsed.success) throw new AppError('invalid_parameter', `dedupe: ${ONE_RESULT}`)
  const { message, details } = refusedRequest('body', parsed.error)
  throw new AppError('invalid_parameter', message, { details, cause: parsed.error })
}

/** Keeps only the stored response of a request that was answered directly, and deletes its uploaded files. */
async function keepResponseOnly(upload: Upload): Promise<void> {
  if (upload.isKept) return
  upload.isKept = true
  for (const { path } of [upload, ...(upload.suppress === null ? [] : [upload.suppress])]) await rm(path, { force: true }) // prettier-ignore
}

function isAsync({ headers }: UploadRequest): boolean {
  return /\brespond-async\b/i.test(String(headers['prefer'] ?? ''))
}

function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () =>
    gone.abort(new AppError('not_received', 'the connection ended before the response')),
  )
  return gone.signal
}

function matchOptions(
  { fields, require, min_score, top, today, dry_run }: Wanted,
  suppressions: Suppressions | null,
): MatchOptions {
  return {
    fields,
    require,
    minScore: min_score,
    top,
    suppressions,
    reportsSuppressed: false,
    suppressesPeople: !dry_run,
    today,
  }
}

type Wanted = Omit<JobRequest, 'list' | 'suppress' | 'taken'>

/** Returns the response to `count_only`, which looks nobody up. */
function countsOf(input: Input, mapping: Mapping, limit: number | null, count: number) {
  return {
    results: [],
    metadata: {
      rows: Math.min(limit ?? count, count),
      matched: 0,
      statuses: { matched: 0, ambiguous: 0, no_match: 0, invalid: 0, suppressed: 0 },
      billable: 0,
      duplicates: 0,
      billed: 0,
      rejected: [],
      columns: columnsOf(input, mapping),
    },
  }
}

function columnsOf(input: Input, mapping: Mapping) {
  return mapping.columns.map(({ column, field }) => ({ column: input.header[column]!, field }))
}

/** Matches the commas between entries of `map`, not those inside a column's name. */
const BETWEEN_ENTRIES = /(?<==(?:-|[a-z_0-9]+)),/

async function mappingOf(input: Input, { map }: Options, today: string): Promise<Mapping> {
  try {
    checkHeader(input.header, 'the input file', RESULT_PREFIX)
    const said = parseMap(map === undefined ? [] : map.split(BETWEEN_ENTRIES), input.header)
    const mapping = await recogniseInTurns(input.header, input.sample, said, today)
    if (mapping.doubts.length === 0) return mapping
    throw new AppError(
      'unprocessable',
      `the meaning of some columns is not clear: ${mapping.doubts.join('; ')}. Name their fields with \`map\`${readyMap(input, mapping)}`,
    )
  } catch (error) {
    if (error instanceof AppError && (error.code === 'bad_input' || error.code === 'bad_usage')) {
      const code = error.code === 'bad_usage' ? 'unprocessable' : error.code
      throw new AppError(code, asParameters(error.message), { cause: error })
    }
    throw error
  }
}

/** Returns an example of `map` that resolves the doubts, encoded for a URL. */
function readyMap(input: Input, mapping: Mapping): string {
  const said = remedyTexts(input.header, mapping)
  return said.length === 0 ? '' : `, for example map=${encodeURIComponent(said.join(','))}`
}

function wantedOf(
  { fields, require, min_score, ...options }: Options,
  mapping: Mapping,
  today: string,
): Omit<Wanted, 'is_test' | 'is_billed'> {
  return {
    mapping: [...mapping.columns],
    fields: fields ?? [...DEFAULT_FIELDS],
    require: require ?? [],
    min_score: min_score ?? 50,
    max_billable: options.max_billable ?? null,
    limit: options.limit ?? null,
    top: options.top ?? 1,
    dedupe: options.dedupe ?? false,
    dry_run: options.dry_run ?? false,
    no_header: options.no_header ?? false,
    skip_lines: options.skip_lines ?? 0,
    notify: options.notify ?? null,
    today,
  }
}

function sentList({ path }: Upload, { no_header: noHeader, skip_lines: skipLines }: Options): SentList {
  return { path, noHeader, skipLines }
}

function resourceOf(
  { enrichment_id: id, status, created_at, finished_at, request, result, failure, progress }: Job,
  expires: number | null,
) {
  return {
    id,
    status,
    created_at: new Date(created_at).toISOString(),
    finished_at: finished_at === null ? null : new Date(finished_at).toISOString(),
    expires_at: expires === null ? null : new Date(expires).toISOString(),
    share_done: status === 'done' ? 1 : (progress?.share ?? 0),
    rows_done: progress?.rows ?? result?.rows ?? 0,
    rows_per_second: progress?.rows_per_second ?? null,
    rows: result?.rows ?? null,
    matched: result?.matched ?? null,
    ambiguous: result?.ambiguous ?? null,
    billable: result?.billable ?? result?.billed ?? null,
    duplicates: result === null ? null : (result.duplicates ?? 0),
    billed: result?.billed ?? null,
    rejected: result?.rejected ?? null,
    failure,
    result_url: status === 'done' && !request.dry_run ? `/v1/enrichments/${id}/result` : null,
    rejected_url: (result?.rejected ?? 0) > 0 && !request.dry_run ? `/v1/enrichments/${id}/rejected` : null,
  }
}

/** Returns the available content type with the highest `q` in the `Accept` header; CSV when it names none. */
function acceptedType(accept: string): string {
  let best = { type: 'text/csv', quality: 0 }
  for (const part of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = part.split(';').map((one) => one.trim())
    const given = parameters.find((one) => one.startsWith('q='))
    const quality = given === undefined ? 1 : Number(given.slice(2))
    if (Object.hasOwn(RESULT_TYPES, type) && quality > best.quality) best = { type, quality }
  }
  return best.type
}
