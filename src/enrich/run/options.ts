import type { Writable } from 'node:stream'
import type { MappedColumn } from '../columns/recognise.ts'
import type { Suppression } from '../../lookup/index.ts'
import type { MatchOptions } from '../match/match-row.ts'
import type { Input } from '../read/read-input.ts'
import type { OutputKind } from '../write/output.ts'
import type { Tally } from './tally.ts'

export interface RunOptions {
  readonly input: Input
  readonly mapping: readonly MappedColumn[]
  readonly counties: ReadonlyMap<string, string>
  readonly match: MatchOptions
  /** null for a dry run, which writes nothing. A stream receives rows as soon as they are matched. */
  readonly output:
    | {
        readonly path: string
        readonly kind: OutputKind
        /** True: CSV with commas and without a byte-order mark, whatever the input's dialect. */
        readonly isPlain?: boolean
      }
    | { readonly stream: Writable; readonly kind: 'csv' | 'tsv' | 'jsonl' }
    | null
  /** True: possible formulas in CSV and TSV cells get an apostrophe. */
  readonly safeCells?: boolean
  readonly prefix: string
  readonly dedupe: boolean
  /** The number of rows to read; null for all rows. */
  readonly limit: number | null
  /** The most rows to bill; null for no cap. */
  readonly maxBillable: number | null
  /** Returns the folder of a snapshot by its version; null when it is gone. */
  readonly snapshotFolder: (version: string) => Promise<string | null>
  readonly snapshot: { readonly version: string; readonly folder: string }
  readonly personCount: number
  /** The operator's suppression list. */
  readonly suppressions: readonly Suppression[]
  readonly resume: boolean
  /** The number of threads; 0 matches in the calling thread. */
  readonly threads: number
  /** Milliseconds between checkpoints; 5,000 by default. */
  readonly checkpointEveryMs?: number
  readonly signal: AbortSignal
  readonly progress?: (progress: RunProgress) => void
}

export interface RunProgress {
  readonly rows: number
  /** From 0 to 1; null when the input's size is unknown. */
  readonly share: number | null
}

export interface RunResult {
  readonly tally: Tally
  readonly snapshot: string
  readonly seconds: number
  /** Rows that the stopped run had finished before this run resumed it. */
  readonly resumedRows: number
  /** The file with the rejected rows; null when no row was rejected. */
  readonly rejectedFile: string | null
  readonly isCapped: boolean
}
