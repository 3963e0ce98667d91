import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
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

const READER = fileURLToPath(new URL('./table-reader.ts', import.meta.url))
const HEAP_MB = 256
// The limit for one slice. A slice of 256 KiB takes milliseconds.
const SLICE_WITHIN_MS = 30_000

/**
 * Opens an Arrow or Parquet file in a process of its own, with limits of memory and time. If a malicious file exhausts
 * them, the call throws `bad_input`, and the service goes on.
 */
export async function openTable(file: TableFile, name: string): Promise<TableSource> {
  const kind = file.kind === 'arrow' ? 'Arrow' : 'Parquet'
  const failed = (why: string): AppError =>
    new AppError('bad_input', `${name} can't be read as ${kind}: ${why}`)
  const reader = new TableReader(file)
  const ask = async (): Promise<TableReply> => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error(`reading a part of it takes longer than ${SLICE_WITHIN_MS / 1000} s`)),
      SLICE_WITHIN_MS,
    )
    try {
      const reply = await Promise.race([reader.ask(), late.promise])
      if ('failure' in reply) throw new Error(reply.failure)
      return reply
    } catch (cause) {
      await reader.end()
      throw failed((cause as Error).message)
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

/** A process that reads one file (`table-reader.ts`). */
class TableReader {
  readonly #child: ChildProcess
  /** Rejects with the reason when the process ends. */
  readonly #ended: Promise<never>

  constructor(file: TableFile) {
    this.#child = fork(READER, [JSON.stringify(file)], {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#keep(false)
    this.#ended = new Promise((_, reject) => {
      this.#child.once('error', reject)
      this.#child.once('exit', (code, signal) => reject(new Error(endOf(code, signal))))
    })
    this.#ended.catch(() => undefined)
  }

  /** Returns the header at the first call, and the next rows at each later call. */
  async ask(): Promise<TableReply> {
    this.#keep(true)
    this.#child.send('next', () => undefined)
    const [reply] = (await Promise.race([once(this.#child, 'message'), this.#ended])) as [TableReply]
    this.#keep(false)
    return reply
  }

  async end(): Promise<void> {
    this.#keep(true)
    this.#child.kill('SIGKILL')
    await this.#ended.catch(() => undefined)
  }

  // The child process keeps this process alive only while an answer is pending. So an input that nobody closes does
  // not.
  #keep(isKept: boolean): void {
    for (const one of [this.#child, this.#child.channel]) {
      if (isKept) one?.ref?.()
      else one?.unref?.()
    }
  }
}

function endOf(code: number | null, signal: NodeJS.Signals | null): string {
  // V8 aborts a process that exceeds its limit of memory.
  if (signal === 'SIGABRT' || code === 134) return `reading it takes more than ${HEAP_MB} MiB of memory`
  return `its reader ended (${signal ?? code})`
}
