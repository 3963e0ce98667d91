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
  /** null: nothing is written (a dry run). A stream gets rows as they are ready. */
  readonly output:
    | {
        readonly path: string
        readonly kind: OutputKind
        /** CSV with commas and no byte-order mark, however the input is written. */
        readonly isPlain?: boolean
      }
    | { readonly stream: Writable; readonly kind: 'csv' | 'tsv' | 'jsonl' }
    | null
  /** Whether cells that a spreadsheet may take for formulas get an apostrophe; for CSV and TSV. */
  readonly safeCells?: boolean
  readonly prefix: string
  readonly dedupe: boolean
  /** Rows; null is all of them. */
  readonly limit: number | null
  /** The most rows that may be billed; null is no cap. */
  readonly maxBillable: number | null
  /** The folder of a snapshot by version; null when it isn't there. */
  readonly snapshotFolder: (version: string) => Promise<string | null>
  readonly snapshot: { readonly version: string; readonly folder: string }
  readonly personCount: number
  /** Who must not come out, whatever the snapshot. */
  readonly suppressions: readonly Suppression[]
  readonly resume: boolean
  /** 0: in the calling thread. */
  readonly threads: number
  /** How often is noted how far the run is; every five seconds unless said. */
  readonly checkpointEveryMs?: number
  readonly signal: AbortSignal
  readonly progress?: (progress: RunProgress) => void
}

export interface RunProgress {
  readonly rows: number
  /** 0 to 1; null when the size of the input is not known. */
  readonly share: number | null
}

export interface RunResult {
  readonly tally: Tally
  readonly snapshot: string
  readonly seconds: number
  /** Rows that an earlier run, which was stopped, had done. */
  readonly resumedRows: number
  /** Where the rejected rows stand; null when there are none. */
  readonly rejectedFile: string | null
  readonly isCapped: boolean
}
