import type { Database } from '../../state/database.ts'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Config } from '../../config.ts'
import type { SourceDefinition } from '../../ingest/definition.ts'
import type { BadDefinition } from '../../ingest/sources.ts'

/** The data that a check may read. A check never writes. */
export interface DoctorContext {
  readonly config: Config
  readonly now: Date
  readonly definitions: readonly SourceDefinition[]
  readonly badDefinitions: readonly BadDefinition[]
  readonly state: StateFile
  readonly warehouse: WarehouseState
}

/** The open warehouse, or the `problem` that prevents reading it. `isInUse` is true when another process uses the warehouse. */
export type WarehouseState =
  | { readonly db: DuckDBConnection; readonly problem: null; readonly isInUse: false }
  | { readonly db: null; readonly problem: string; readonly isInUse: boolean }

/** The open state file. `db` is null without a state file, and when the state file cannot be read because of `problem`. */
export interface StateFile {
  readonly db: Database | null
  readonly problem: string | null
}

export interface Finding {
  /** The check's part of `doctor --json`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The check's part of the printed report. */
  readonly lines: readonly string[]
  /** One sentence per problem: what happened, which file or source has it, and the command to run. A complaint makes the exit code 1. */
  readonly complaints: readonly string[]
}

export type Check = (context: DoctorContext) => Promise<Finding>
