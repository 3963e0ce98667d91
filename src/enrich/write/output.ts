import { access, constants, type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { AppError } from '../../errors.ts'
import { COMMA, type Dialect } from '../read/records.ts'
import type { RowFormat } from '../read/rows.ts'
import { unwritable } from '../unwritable.ts'

export type OutputKind = 'csv' | 'tsv' | 'jsonl' | 'parquet' | 'arrow'
const KINDS: Readonly<Record<string, OutputKind>> = { '.csv': 'csv', '.tsv': 'tsv', '.tab': 'tsv', '.txt': 'csv', '.jsonl': 'jsonl', '.ndjson': 'jsonl', '.json': 'jsonl', '.parquet': 'parquet', '.arrow': 'arrow', '.arrows': 'arrow', '.ipc': 'arrow', '.feather': 'arrow' } // prettier-ignore

/**
 * Returns the format of a file by its extension.
 * @throws `bad_usage` for unknown extensions
 */
export function outputKind(path: string): OutputKind {
  const kind = KINDS[extname(path).toLowerCase()]
  if (kind === undefined)
    throw new AppError(
      'bad_usage',
      `--out ${path}: the extension decides the format and must be one of ${Object.keys(KINDS).join(', ')}`,
    )
  return kind
}

/** Returns how rows are written during a run. Parquet and Arrow are made from CSV at the end of the run. */
export function workingFormat(kind: OutputKind, input: Dialect): { format: RowFormat; dialect: Dialect } {
  if (kind === 'jsonl') return { format: 'jsonl', dialect: COMMA }
  if (kind === 'tsv') return { format: 'delimited', dialect: { delimiter: '\t', quote: '"' } }
  if (kind === 'csv' && input.delimiter !== '\u0000' && input.delimiter !== '\t')
    return { format: 'delimited', dialect: { delimiter: input.delimiter, quote: '"' } }
  return { format: 'delimited', dialect: COMMA }
}

/** The destination of rows: a file under a working name, or a stream. */
export interface Output {
  write(bytes: Uint8Array): Promise<void>
  /** How many bytes were written. */
  readonly length: number
  /** Makes the written bytes survive a loss of power. */
  sync(): Promise<void>
  /** @throws `output_unwritable` when another run has replaced the working file */
  checkOwn(): Promise<void>
  close(): Promise<void>
}

export const PARTIAL = '.partial'

/**
 * Opens a working file and continues at byte `length`. With length 0 it replaces an existing file by a new one, because
 * an older run may still write to the existing one.
 * @throws `output_unwritable`
 */
export async function openFile(path: string, length: number): Promise<Output & { readonly path: string }> {
  if (length === 0) await removeFiles(path)
  const file = await open(path, length > 0 ? 'r+' : 'wx').catch((cause: NodeJS.ErrnoException) => {
    throw unwritable(path, cause)
  })
  await file.truncate(length)
  let written = length
  return {
    path,
    async write(bytes) {
      await writeAll(file, bytes, written).catch(async (cause: NodeJS.ErrnoException) => {
        // Removes the incomplete chunk. This also frees space for the checkpoint on a full disk.
        await file.truncate(written).catch(() => undefined)
        throw unwritable(path, cause)
      })
      written += bytes.length
    },
    get length() {
      return written
    },
    sync: () =>
      file.datasync().catch((cause: NodeJS.ErrnoException) => {
        throw unwritable(path, cause)
      }),
    async checkOwn() {
      const [own, named] = await Promise.all([file.stat(), stat(path).catch(() => null)])
      if (named?.ino !== own.ino || named.dev !== own.dev)
        throw new AppError(
          'output_unwritable',
          `another run has replaced ${path}, the working file of this run: let that run end, or choose another --out`,
        )
    },
    close: () => file.close(),
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

export function streamOutput(stream: Writable): Output {
  let written = 0
  return {
    async write(bytes) {
      written += bytes.length
      await new Promise<void>((done, failed) => {
        stream.write(bytes, (error) => (error ? failed(unwritable('standard output', error)) : done()))
      })
    },
    get length() {
      return written
    },
    async sync() {},
    async checkOwn() {},
    async close() {},
  }
}

/** Renames a complete file to its final name, which replaces an existing file atomically. */
export async function publishFile(working: string, path: string): Promise<void> {
  await rename(working, path).catch((cause: NodeJS.ErrnoException) => {
    throw unwritable(path, cause)
  })
  const folder = await open(dirname(resolve(path)))
  await folder.sync().finally(() => folder.close())
}

export async function removeFiles(...paths: readonly string[]): Promise<void> {
  for (const path of paths)
    await rm(path, { force: true }).catch((cause: NodeJS.ErrnoException) => {
      throw unwritable(path, cause)
    })
}

/** A file that a command was given, and what messages call it: `--out`, `the input file`. */
export type NamedFile = readonly [what: string, path: string]

/**
 * Checks that each output file can be written and differs from the input files and the other output files. Unless
 * `force` is true, none of them may exist already.
 * @throws `bad_usage`, `output_unwritable`
 */
export async function refuseOverwriting(
  outputs: readonly NamedFile[],
  inputs: readonly NamedFile[],
  force: boolean,
): Promise<void> {
  for (const [at, [what, path]] of outputs.entries()) {
    for (const [whose, input] of inputs)
      if (await isSameFile(input, path))
        throw new AppError('bad_usage', `${what} ${path} is also ${whose}: choose another name`)
    for (const [other, its] of outputs.slice(0, at))
      if (resolve(its) === resolve(path))
        throw new AppError('bad_usage', `${what} and ${other} are both ${path}: choose another name for one`)
    const found = await stat(path).catch(() => null)
    if (!force && (found?.isFile() === true || found?.isDirectory() === true))
      throw new AppError(
        'bad_usage',
        `${what} ${path} exists already: choose another name, or replace it with --force`,
      )
    await access(dirname(resolve(path)), constants.W_OK).catch((cause: NodeJS.ErrnoException) => {
      throw unwritable(path, cause)
    })
  }
}

async function isSameFile(left: string, right: string): Promise<boolean> {
  if (resolve(left) === resolve(right)) return true
  const [a, b] = await Promise.all([left, right].map((path) => stat(path).catch(() => null)))
  return a != null && b != null && a.ino === b.ino && a.dev === b.dev
}
