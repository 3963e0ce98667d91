import type { DatabaseSync } from 'node:sqlite'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Config } from '../../config.ts'
import type { SourceDefinition } from '../../ingest/definition.ts'
import type { BadDefinition } from '../../ingest/sources.ts'

/** The data that a check may read; a check changes nothing. */
export interface DoctorContext {
  readonly config: Config
  readonly now: Date
  readonly definitions: readonly SourceDefinition[]
  readonly badDefinitions: readonly BadDefinition[]
  readonly state: StateFile
  readonly warehouse: WarehouseState
}

/** `problem` says why the warehouse cannot be read; `isInUse`: because a run writes it now. */
export type WarehouseState =
  | { readonly db: DuckDBConnection; readonly problem: null; readonly isInUse: false }
  | { readonly db: null; readonly problem: string; readonly isInUse: boolean }

/** `db` is null where there is no state file, and where it cannot be read: `problem` says why. */
export interface StateFile {
  readonly db: DatabaseSync | null
  readonly problem: string | null
}

export interface Finding {
  /** The check's part of `doctor --json`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The check's part of the printed report. */
  readonly lines: readonly string[]
  /** One sentence per problem: what happened, to which file or source, and the command to run. Any makes the exit code 1. */
  readonly complaints: readonly string[]
}

export type Check = (context: DoctorContext) => Promise<Finding>
