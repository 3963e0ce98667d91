import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { AppError } from '../errors.ts'
import { printable } from '../printable.ts'
import { type DiskSpace, SHORT_OF_SPACE } from '../enrich/jobs/disk-space.ts'
import type { Jobs } from '../enrich/jobs/jobs.ts'
import type { InputLimits } from '../enrich/read/read-input.ts'
import type { Slots } from './slots.ts'
import type { BodyTimeouts } from './connections.ts'
import { type FilePart, storeFile, storeParts, tooLarge } from './multipart.ts'

/** A received input file. It is in the folder of the job that it may become. */
export interface Upload {
  readonly id: string
  readonly path: string
  /** Number of received bytes. */
  readonly bytes: number
  /** SHA-256 of the input file as it was sent, and of the suppression list if there is one. */
  readonly digest: string
  /** The content type, without the boundary of a multipart body. */
  readonly type: string
  /** Parameters in parts of a multipart body. */
  readonly fields: Readonly<Record<string, string | string[]>>
  /** The caller's own suppression list. */
  readonly suppress: FilePart | null
  /** Set to true when a job needs the files. Otherwise they are deleted after the response. */
  isKept: boolean
}

/** Accepted content types of input files → name of the stored file. */
export const UPLOAD_TYPES: Readonly<Record<string, string>> = {
  'text/csv': 'list.csv',
  'application/x-ndjson': 'list.jsonl',
  'application/json': 'list.json',
  'application/vnd.apache.arrow.stream': 'list.arrow',
  'application/vnd.apache.parquet': 'list.parquet',
}

const MULTIPART = 'multipart/form-data'
/** All accepted content types, including multipart bodies. */
export const ACCEPTED_TYPES: readonly string[] = [...Object.keys(UPLOAD_TYPES), MULTIPART]

const MOST_BYTES = 256 * 1024 * 1024
const MOST_SUPPRESS_BYTES = 4 * 1024 * 1024
/** File parts of a multipart body → largest number of bytes. */
const FILE_PARTS = { list: MOST_BYTES, suppress: MOST_SUPPRESS_BYTES }
const SPACE_CHECKED_EVERY = 8 * 1024 * 1024

export interface UploadOptions {
  readonly jobs: Jobs
  readonly bodyTimeouts: BodyTimeouts
  /** Limits for reading an input file. */
  readonly limits: InputLimits
  readonly space: DiskSpace
  /** Limits the uploads that are received or answered at the same time. */
  readonly slots: Slots
  /** Longest pause while an input file is received, milliseconds. */
  readonly longestPause: number
  /** Lowest rate of an upload in bytes per second, measured over `longestPause`. */
  readonly leastRate: number
}

/** Makes the app stream input files to disk, so that no file is completely in memory. */
export function takeUploads(app: FastifyInstance, options: UploadOptions): void {
  limitUploads(app, options.slots)
  app.addHook('onSend', (request) => discardUpload(options.jobs, request.body))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest, _body: IncomingMessage, done) => {
    const type = (request.headers['content-type'] ?? '').slice(0, 80)
    const what =
      type === ''
        ? 'the input file has no content-type'
        : `input files of the type ${printable(type)} are not accepted`
    done(new AppError('unsupported_media_type', `${what}: send it as ${ACCEPTED_TYPES.join(', ')}`))
  })
  app.addContentTypeParser([...ACCEPTED_TYPES], (request: FastifyRequest, body: IncomingMessage) => {
    options.bodyTimeouts.stop(request.raw)
    const announced = Number(request.headers['content-length'] ?? 0)
    return storeUpload(options, body, announced, String(request.headers['content-type']))
  })
}

/** After a refusal, the sender may continue for this long. Closing the connection at once would lose the response. */
const REFUSED_STAY_MS = 1_000

function limitUploads(app: FastifyInstance, slots: Slots): void {
  const releases = new WeakMap<FastifyRequest, () => void>()
  // This hook runs after the check of the key and before the body is read.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.method !== 'POST') return done(null, payload)
    try {
      const release = slots.take(request.caller?.key.account_id ?? '')
      releases.set(request, release)
      // Also release the slot when the sender closes the connection, because then there may be no response.
      reply.raw.once('close', release)
      done(null, payload)
    } catch (error) {
      void reply.header('retry-after', '1')
      done(error as AppError)
    }
  })
  app.addHook('onResponse', (request, _reply, done) => {
    releases.get(request)?.()
    if (request.method === 'POST' && !request.raw.complete)
      setTimeout(() => request.raw.destroy(), REFUSED_STAY_MS).unref()
    done()
  })
}

/** Deletes the files of a request that was answered directly or refused. */
async function discardUpload(jobs: Jobs, body: unknown): Promise<void> {
  const upload = body as Upload | null | undefined
  if (upload?.id !== undefined && !upload.isKept) await jobs.discard(upload.id)
}

async function storeUpload(
  { jobs, longestPause, leastRate, space }: UploadOptions,
  body: IncomingMessage,
  announced: number,
  contentType: string,
): Promise<Upload> {
  await checkSpace(space, Math.min(announced, MOST_BYTES))
  const { id, folder } = await jobs.prepare()
  let bytes = 0
  let checkAt = SPACE_CHECKED_EVERY
  const checked = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of arriving(body, longestPause, leastRate)) {
      bytes += chunk.length
      if (bytes > MOST_BYTES) throw tooLarge('the request body', MOST_BYTES)
      if (bytes > checkAt) {
        await checkSpace(space)
        checkAt = bytes + SPACE_CHECKED_EVERY
      }
      yield chunk
    }
  }
  try {
    const type = contentType.split(';')[0]!.trim().toLowerCase()
    if (type === MULTIPART) {
      const { files, fields } = await storeParts(checked(), contentType, folder, FILE_PARTS)
      const [list, suppress = null] = [files.get('list'), files.get('suppress')]
      if (list === undefined)
        throw new AppError('invalid_parameter', "the multipart body has no part 'list': send the input file as a part with that name") // prettier-ignore
      const digest = suppress === null ? list.digest : `${list.digest} ${suppress.digest}`
      return { id, path: list.path, bytes, digest, type, fields, suppress, isKept: false }
    }
    const path = join(folder, UPLOAD_TYPES[type] ?? 'list.csv')
    const file = await storeFile(checked(), path, MOST_BYTES, 'the input file')
    return { id, ...file, type: contentType.toLowerCase(), fields: {}, suppress: null, isKept: false }
  } catch (error) {
    await jobs.discard(id)
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    throw new AppError('disk_full', SHORT_OF_SPACE, { cause: error })
  }
}

async function checkSpace(space: DiskSpace, wanted = 0): Promise<void> {
  await space.check(wanted).catch((cause: unknown) => {
    throw cause instanceof AppError ? new AppError(cause.code, SHORT_OF_SPACE, { cause }) : cause
  })
}

/** Yields the chunks of a body and checks pauses and rate. Stopping early does not close the connection, so the sender gets a response. */
async function* arriving(
  body: IncomingMessage,
  longestPause: number,
  leastRate: number,
): AsyncGenerator<Buffer> {
  const parts = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let measuredAt = performance.now()
  let measured = 0
  for (;;) {
    const pause = new AbortController()
    const tooLong = delay(longestPause, 'too long' as const, { signal: pause.signal, ref: false })
    tooLong.catch(() => undefined)
    const next = await Promise.race([parts.next(), tooLong])
      .catch((cause: unknown) => {
        throw new AppError(
          'not_received',
          'the connection ended before the whole input file was received: send it again',
          { cause },
        )
      })
      .finally(() => pause.abort())
    if (next === 'too long')
      throw new AppError(
        'not_received',
        `no data was received for ${longestPause / 1000} seconds: send the input file again`,
      )
    if (next.done === true) return
    measured += next.value.length
    const took = performance.now() - measuredAt
    if (took >= longestPause) {
      if (measured * 1_000 < leastRate * took)
        throw new AppError(
          'not_received',
          `the input file was received too slowly, with less than ${leastRate} bytes per second: send it again`,
        )
      measuredAt += took
      measured = 0
    }
    yield next.value
  }
}
