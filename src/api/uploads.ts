import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { AppError } from '../errors.ts'
import type { Jobs } from '../enrich/jobs.ts'

/** A list as it was sent, on the disk in the folder of the job that it may become. */
export interface Upload {
  readonly id: string
  readonly path: string
  readonly bytes: number
  /** Line ends: rows at most. */
  readonly lines: number
  /** Whether a job has it now; else it goes when the request is answered. */
  isKept: boolean
}

/** What lists may be sent as, and what the file is called then. */
export const UPLOAD_TYPES: Readonly<Record<string, string>> = {
  'text/csv': 'list.csv',
  'application/x-ndjson': 'list.jsonl',
  'application/vnd.apache.arrow.stream': 'list.arrow',
}

const MOST_BYTES = 256 * 1024 * 1024
const NEWLINE = 10

/** Streams bodies that are lists to the disk; no list is ever whole in memory. */
export function takeUploads(app: FastifyInstance, jobs: Jobs): void {
  app.addHook('onSend', (request) => discardUpload(jobs, request.body))
  // JSON as a whole is no list: what isn't one of these is 415.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(Object.keys(UPLOAD_TYPES), (request: FastifyRequest, body: IncomingMessage) => {
    const type = String(request.headers['content-type']).split(';')[0]!.trim().toLowerCase()
    return storeUpload(jobs, body, UPLOAD_TYPES[type] ?? 'list.csv')
  })
}

/** Removes a list that no job has: it was answered, or refused. */
async function discardUpload(jobs: Jobs, body: unknown): Promise<void> {
  const upload = body as Upload | null | undefined
  if (upload?.id !== undefined && !upload.isKept) await jobs.discard(upload.id)
}

async function storeUpload(jobs: Jobs, body: IncomingMessage, name: string): Promise<Upload> {
  const { id, folder } = await jobs.prepare()
  const path = join(folder, name)
  let bytes = 0
  let lines = 0
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines++
      if (bytes > MOST_BYTES)
        done(new AppError('too_large', `a list has at most ${MOST_BYTES / 2 ** 20} MiB: send it in parts`))
      else done(null, chunk)
    },
  })
  try {
    await pipeline(body, counted, createWriteStream(path))
    return { id, path, bytes, lines: lines + 1, isKept: false }
  } catch (error) {
    await jobs.discard(id)
    throw error
  }
}
