import type { Writable } from 'node:stream'
import { AppError } from '../../errors.ts'
import {
  type Checkpoint,
  fingerprint,
  loadFirstRows,
  resumePoint,
  saveCheckpoint,
  saveFirstRows,
  workingFiles,
  type WorkingFiles,
} from './checkpoint.ts'
import type { ChunkResult, ChunkSettings, ChunkTask } from './chunks.ts'
import { type BrokenRecord, type Chunk, COMMA } from '../read/records.ts'
import { safeCell } from '../read/safe-cells.ts'
import { addTally, emptyTally, type Tally } from './tally.ts'
import { openHere, openThreads, type Threads } from './threads.ts'
import {
  openFile,
  type Output,
  publishFile,
  removeFiles,
  streamOutput,
  workingFormat,
} from '../write/output.ts'
import { addedColumns } from '../match/added-columns.ts'
import { fieldText } from '../read/rows.ts'
import type { RunOptions, RunResult } from './options.ts'
/** The header of the file with rejected rows. */
export const REJECTED_HEADER = 'line,row,reason,text\n'
const CHECKPOINT_EVERY_MS = 5_000
/** Bytes of a typical row, for the progress bar. */
const BYTES_A_ROW = 120

/**
 * Reads the input, matches its rows in threads, and writes them in their order. The output gets its final name when it
 * is complete. Until then the rows are in `….partial`, where a resumed run continues. Memory does not grow with the
 * input.
 * @throws `stopped` when `signal` is aborted; finished rows are kept
 */
export async function runEnrichment(options: RunOptions): Promise<RunResult> {
  const started = performance.now()
  const files = options.output !== null && 'path' in options.output ? workingFiles(options.output.path) : null
  const saved = await resumePoint(options, files)
  const version = saved?.snapshot ?? options.snapshot.version
  const folder =
    version === options.snapshot.version ? options.snapshot.folder : await options.snapshotFolder(version)
  if (folder === null)
    throw new AppError(
      'bad_usage',
      `the stopped run used the snapshot ${version}, which is gone; run without --resume`,
    )
  const settings = chunkSettings(options, saved?.today ?? options.match.today)
  const threads =
    options.threads === 0
      ? await openHere(folder, settings, options.suppressions)
      : await openThreads(folder, settings, options.suppressions, options.threads)
  const run = new Run(options, settings, files, saved, version)
  try {
    await run.open()
    await run.work(threads)
    return await run.finish(started)
  } finally {
    await run.close().finally(() => threads.close())
  }
}

function chunkSettings(
  { input, mapping, counties, match, output, safeCells = false, prefix, dedupe, maxBillable }: RunOptions,
  today: string,
): ChunkSettings {
  const like = output !== null && isPlain(output) ? COMMA : input.dialect
  const working = output === null ? null : workingFormat(output.kind, like)
  return {
    input: input.format,
    inputDialect: input.dialect,
    header: input.header,
    mapping,
    counties,
    match: { ...match, today },
    output: working?.format ?? null,
    outputDialect: working?.dialect ?? input.dialect,
    safeCells,
    prefix,
    dedupe,
    reportsRows: dedupe || maxBillable !== null,
  }
}

/** The state of one run: its outputs and its counts. */
class Run {
  readonly #options: RunOptions
  readonly #settings: ChunkSettings
  readonly #files: WorkingFiles | null
  readonly #saved: Checkpoint | null
  readonly #version: string
  readonly #tally: Tally = emptyTally()
  #output: Output | null = null
  #rejected: Output | null = null
  /** For each person number, the first row that was matched to the person; 0 for none. */
  #firstRows: Uint32Array | null = null
  #chunks = 0
  #savedAt = performance.now()
  #isCapped = false
  /** The estimated number of the last row that was sent to a thread. */
  #rowsRead = 0

  constructor(
    options: RunOptions,
    settings: ChunkSettings,
    files: WorkingFiles | null,
    saved: Checkpoint | null,
    version: string,
  ) {
    this.#options = options
    this.#settings = settings
    this.#files = files
    this.#saved = saved
    this.#version = version
  }

  async open(): Promise<void> {
    const { output, dedupe, personCount } = this.#options
    const saved = this.#saved
    if (dedupe)
      this.#firstRows =
        saved === null
          ? new Uint32Array(personCount)
          : await loadFirstRows(this.#files!.firstRows, saved.tally.rows + saved.tally.rejected)
    if (saved !== null) {
      addTally(this.#tally, saved.tally)
      this.#chunks = saved.chunks
    }
    if (output === null) return
    if (this.#files === null) this.#output = streamOutput((output as { stream: Writable }).stream)
    else {
      this.#output = await openFile(this.#files.output, saved?.outputBytes ?? 0)
      this.#rejected = await openFile(this.#files.rejected, saved?.rejectedBytes ?? 0)
    }
    if (saved !== null) return
    await this.#output.write(Buffer.from(this.#header()))
    await this.#rejected?.write(Buffer.from(REJECTED_HEADER))
  }

  #header(): string {
    const { input, prefix, dedupe, match } = this.#options
    const { output, outputDialect, safeCells } = this.#settings
    if (output !== 'delimited') return ''
    const names = [...input.header, ...addedColumns(match.fields, prefix, match.top, dedupe)]
    const wanted = this.#options.output
    const mark = input.hasByteOrderMark && wanted?.kind === 'csv' && !isPlain(wanted) ? '\ufeff' : ''
    return `${mark}${names.map((name) => fieldText(safeCells ? safeCell(name) : name, outputDialect)).join(outputDialect.delimiter)}\n`
  }

  /** Sends chunks to the threads, a few ahead. Writes the results in file order. */
  async work(threads: Threads): Promise<void> {
    const { input, limit, signal } = this.#options
    const endAt = limit === null ? Number.MAX_SAFE_INTEGER : limit + 1
    const ahead: { chunk: Chunk; task: ChunkTask; result: Promise<ChunkResult> }[] = []
    const most = threads.count * 3
    let skip = this.#chunks
    const take = async (): Promise<void> => {
      const { chunk, task, result } = ahead.shift()!
      await this.#take(threads, task, await result, chunk)
    }
    try {
      for await (const chunk of input.chunks()) {
        if (signal.aborted) break
        if (skip-- > 0) continue
        if (chunk.firstRow >= endAt) break
        const task = { bytes: chunk.bytes, firstRow: chunk.firstRow, firstLine: chunk.firstLine, stopAt: this.#isCapped ? 0 : Number.MAX_SAFE_INTEGER, endAt } // prettier-ignore
        this.#rowsRead = chunk.firstRow + chunk.bytes.length / BYTES_A_ROW
        const result = threads.run(task)
        // The error is thrown when the result is awaited. Until then it must not count as an unhandled rejection.
        result.catch(() => undefined)
        ahead.push({ chunk, task, result })
        if (ahead.length >= most) await take()
      }
      while (ahead.length > 0 && !signal.aborted) await take()
    } catch (error) {
      await this.#save().catch(() => undefined)
      throw error
    }
    if (signal.aborted) await this.#stop()
  }

  async #take(threads: Threads, task: ChunkTask, first: ChunkResult, chunk: Chunk): Promise<void> {
    const { maxBillable } = this.#options
    let result = first
    if (maxBillable !== null && !this.#isCapped) {
      const stopAt = this.#rowAtCap(result, maxBillable - this.#tally.billable)
      if (stopAt !== null) {
        this.#isCapped = true
        result = await threads.run({ ...task, stopAt })
      }
    } else if (this.#isCapped && task.stopAt > 0) result = await threads.run({ ...task, stopAt: 0 })
    const rejected: BrokenRecord[] = [...result.rejected]
    if (chunk.broken !== null && chunk.broken.row < task.endAt) {
      rejected.push(chunk.broken)
      result.tally.rejected++
    }
    await this.#output?.write(this.#firstRows === null ? result.bytes : this.#markDuplicates(result))
    if (rejected.length > 0)
      await this.#rejected?.write(
        Buffer.from(rejected.map((row) => rejectedLine(row, this.#settings.safeCells)).join('')),
      )
    addTally(this.#tally, result.tally)
    this.#chunks++
    this.#report()
    if (performance.now() - this.#savedAt > (this.#options.checkpointEveryMs ?? CHECKPOINT_EVERY_MS))
      await this.#save()
  }

  /**
   * Returns the first row of the chunk that exceeds the cap on billable rows; null when the whole chunk is below the
   * cap.
   */
  #rowAtCap({ billable }: ChunkResult, left: number): number | null {
    let billed = 0
    const seen = new Set<number>()
    for (const { row, person } of billable) {
      if (this.#firstRows !== null && person >= 0) {
        if (this.#firstRows[person]! > 0 || seen.has(person)) continue
        seen.add(person)
      }
      billed++
      if (billed === left + 1) return row
    }
    return null
  }

  /** Writes the number of the person's first row into the last column of duplicate rows. Duplicates are not billed. */
  #markDuplicates(result: ChunkResult): Uint8Array {
    const text = Buffer.from(result.bytes.buffer, result.bytes.byteOffset, result.bytes.length).toString(
      'utf8',
    )
    const isJson = this.#settings.output === 'jsonl'
    let out = ''
    let from = 0
    for (const { row, person, end } of result.billable) {
      if (person < 0) continue
      const first = this.#firstRows![person]!
      if (first === 0) {
        this.#firstRows![person] = row
        continue
      }
      result.tally.duplicates++
      result.tally.billable--
      // The last column of the line is still empty.
      const at = end - (isJson ? 'null}\n' : '\n').length
      out += text.slice(from, at) + String(first)
      from = isJson ? at + 'null'.length : at
    }
    return Buffer.from(out + text.slice(from))
  }

  #report(): void {
    const { input, progress } = this.#options
    const rows = this.#tally.rows + this.#tally.rejected
    // Reading runs ahead of matching. So the share of bytes read is multiplied by the share of these rows that are
    // matched.
    const read =
      input.bytes === null || input.bytes === 0 ? null : Math.min(1, input.bytesRead() / input.bytes)
    progress?.({ rows, share: read === null ? null : (read * rows) / Math.max(rows, this.#rowsRead) })
  }

  async #save(): Promise<void> {
    const identity = this.#options.input.identity
    if (this.#files === null || this.#output === null || this.#rejected === null || identity === null) return
    await this.#output.sync()
    await this.#rejected.sync()
    if (this.#firstRows !== null) await saveFirstRows(this.#files.firstRows, this.#firstRows)
    await saveCheckpoint(this.#files.checkpoint, {
      format: 3,
      input: identity,
      options: fingerprint(this.#options),
      snapshot: this.#version,
      today: this.#settings.match.today,
      chunks: this.#chunks,
      outputBytes: this.#output.length,
      rejectedBytes: this.#rejected.length,
      tally: this.#tally,
    })
    this.#savedAt = performance.now()
  }

  async #stop(): Promise<never> {
    await this.#save()
    const done = this.#tally.rows.toLocaleString('en-US')
    const how =
      this.#files === null || this.#options.input.identity === null
        ? 'it cannot be resumed, because input or output is not a file'
        : 'continue with the same command and --resume'
    throw new AppError('stopped', `stopped after ${done} rows; ${how}`)
  }

  async finish(started: number): Promise<RunResult> {
    const { input, output, signal } = this.#options
    await input.checkUnchanged()
    let rejectedFile: string | null = null
    if (output !== null && 'path' in output) {
      const files = this.#files!
      await this.#output!.checkOwn()
      await this.#output!.sync()
      await this.#rejected!.sync()
      if (output.kind === 'parquet' || output.kind === 'arrow') {
        const { convertOutput, outputColumns } = await import('../write/columnar-output.ts')
        const { match, prefix, dedupe } = this.#settings
        const added = addedColumns(match.fields, prefix, match.top, dedupe)
        await convertOutput(files.output, output, outputColumns(input.header, added), signal)
      }
      if (this.#tally.rejected > 0) {
        rejectedFile = files.rejectedFinal
        await publishFile(files.rejected, rejectedFile)
      }
      await publishFile(files.output, output.path)
      await removeFiles(files.rejected, files.checkpoint, files.firstRows)
      if (rejectedFile === null) await removeFiles(files.rejectedFinal)
    }
    return {
      tally: this.#tally,
      snapshot: this.#version,
      seconds: (performance.now() - started) / 1000,
      resumedRows: this.#saved?.tally.rows ?? 0,
      rejectedFile,
      isCapped: this.#isCapped,
    }
  }

  async close(): Promise<void> {
    await this.#output?.close()
    await this.#rejected?.close()
  }
}

function isPlain(output: NonNullable<RunOptions['output']>): boolean {
  return 'path' in output && output.isPlain === true
}

function rejectedLine({ row, line, reason, text }: BrokenRecord, safeCells: boolean): string {
  const cells = [String(line), String(row), reason, text]
  return `${cells.map((one) => fieldText(safeCells ? safeCell(one) : one, COMMA)).join(',')}\n`
}
