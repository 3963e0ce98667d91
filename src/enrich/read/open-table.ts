import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../errors.ts'
import type { TableFile, TableReply } from './table-rows.ts'

/** An open Arrow or Parquet file, read as rows of text. */
export interface TableSource {
  readonly header: readonly string[]
  /** Yields the rows in slices. May be called once. */
  rows(): AsyncGenerator<readonly (readonly string[])[]>
  /** Ends the reader. A pending question to it fails. */
  close(): Promise<void>
}

const WORKER = new URL('./table-worker.ts', import.meta.url)
const HEAP_MB = 256
// The limit for one slice. A slice of 256 KiB takes milliseconds.
const SLICE_WITHIN_MS = 30_000

/**
 * Opens an Arrow or Parquet file in a thread or process of its own, with limits of memory and time. A malicious file
 * may exhaust its reader: then the call throws `bad_input`, and the service goes on.
 */
export async function openTable(
  file: TableFile,
  name: string,
  within = SLICE_WITHIN_MS,
): Promise<TableSource> {
  const kind = file.kind === 'arrow' ? 'Arrow' : 'Parquet'
  const failed = (why: string): AppError =>
    new AppError('bad_input', `${name} can't be read as ${kind}: ${why}`)
  const reader = file.kind === 'arrow' ? threadOf(file) : processOf(file)
  const ended = reader.ended.then((why) => {
    throw failed(why)
  })
  ended.catch(() => undefined)
  const ask = async (): Promise<TableReply> => {
    const answer = reader.ask()
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(failed(`reading a part of it takes longer than ${within / 1000} s`)),
      within,
    )
    try {
      const reply = await Promise.race([answer, ended, late.promise])
      if ('failure' in reply) throw failed(reply.failure)
      return reply
    } catch (error) {
      await reader.end()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
  const first = await ask()
  if (!('header' in first)) throw failed('its reader gave an unexpected answer')
  return {
    header: first.header,
    async *rows() {
      try {
        for (;;) {
          const reply = await ask()
          if (!('rows' in reply) || reply.rows === null) return
          yield reply.rows
        }
      } finally {
        await reader.end()
      }
    },
    close: () => reader.end(),
  }
}

interface Reader {
  ask(): Promise<TableReply>
  /** Resolves with the reason when the reader ends by itself. */
  readonly ended: Promise<string>
  end(): Promise<void>
}

const TOO_LARGE = `reading it takes more than ${HEAP_MB} MiB of memory`

function threadOf(file: TableFile): Reader {
  const worker = new Worker(WORKER, {
    workerData: file,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  })
  // The thread keeps the process alive only while an answer is pending, so an input that nobody closes does not.
  worker.unref()
  const ended = new Promise<string>((resolve) => {
    worker.once('error', (error: Error & { code?: string }) =>
      resolve(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? TOO_LARGE : error.message),
    )
    worker.once('exit', () => resolve('its reader ended'))
  })
  return {
    ended,
    ask() {
      worker.ref()
      return new Promise((resolve) => {
        worker.once('message', (reply: TableReply) => {
          worker.unref()
          resolve(reply)
        })
        worker.postMessage('next', [])
      })
    },
    async end() {
      // Keeps the process alive until the thread has ended. Otherwise Node would exit with code 13.
      worker.ref()
      await worker.terminate()
    },
  }
}

function processOf(file: TableFile): Reader {
  const child = fork(fileURLToPath(WORKER), [JSON.stringify(file)], {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const keep = (isKept: boolean): void => {
    for (const one of [child, child.channel]) {
      if (isKept) one?.ref?.()
      else one?.unref?.()
    }
  }
  keep(false)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) =>
      resolve(signal === 'SIGABRT' || code === 134 ? TOO_LARGE : `its reader ended (${signal ?? code})`),
    )
  })
  return {
    ended,
    ask() {
      keep(true)
      return new Promise((resolve, reject) => {
        child.once('message', (reply: TableReply) => {
          keep(false)
          resolve(reply)
        })
        child.send('next', (error) => {
          if (error !== null) reject(error)
        })
      })
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      keep(true)
      child.kill('SIGKILL')
      await exited
    },
  }
}
