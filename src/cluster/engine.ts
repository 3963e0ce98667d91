/**
 * The engine of a run in units. A unit is one of the parts into which a run divides its rows; a stage is a step that works
 * on each unit by itself. It starts the stages, and moves rows between units. `local-engine.ts` uses DuckDB on
 * this machine; `spark/spark-engine.ts` uses a Spark cluster. All data lies in Parquet folders of the run's work folder.
 * Folders are named by paths relative to the work folder. Files whose names begin with `_` or `.` are not data.
 */
export interface Engine {
  /**
   * Runs the command `platbook stage <stage>` for the units 0 to `units - 1`, and returns the counts of each unit by its
   * number. The command gets unit numbers on standard input and prints one line per unit; see `UnitResult`. A unit that
   * fails is tried again. A repeated unit writes the same files.
   * @throws `stage_failed` with the name of the unit when a unit fails every time, does not come back, comes back twice,
   * or comes back without counts
   */
  run(stage: StageCall): Promise<readonly UnitResult[]>
  /** Moves the rows of a folder to the units that the rows name. Replaces the folder `to`. */
  exchange(exchange: Exchange): Promise<void>
  /**
   * Runs a SELECT over folders. With `to`, writes the rows as Parquet files to this folder and replaces what it had;
   * without `to`, returns the rows. The SELECT must be valid in DuckDB and in Spark SQL with equal results: joins,
   * unions, `min`, `max`, `sum`, `count`, `least`, `greatest`, `distinct`, `bit_xor` and integer arithmetic.
   */
  select(query: FolderQuery & { readonly to: string }): Promise<void>
  select(query: FolderQuery & { readonly to?: undefined }): Promise<readonly Record<string, unknown>[]>
  close(): Promise<void>
}

/** One stage of a run: the arguments after `platbook stage`, and the number of its units. */
export interface StageCall {
  /** The stage with its options, for example `['pairs', '--run', '/work/2026-11-23']`. */
  readonly args: readonly string[]
  readonly units: number
}

/** The line that a stage prints for a unit: a JSON object. `counts` has what the unit read and wrote, for example rows. */
export interface UnitResult {
  readonly unit: number
  readonly counts: Readonly<Record<string, number>>
}

/**
 * Moves each row of the folder `from` to `to/unit=<number>/*.parquet`. The column that `by` names has the target: `unit` is
 * one number, and `units` is a list of numbers, to each of which the row is copied. This column is not written.
 */
export interface Exchange {
  readonly from: string
  readonly by: 'unit' | 'units'
  readonly to: string
  readonly units: number
  /** Writes rows that are equal in all columns once. */
  readonly distinct?: boolean
}

export interface FolderQuery {
  readonly sql: string
  /** Folders that the SELECT reads, by the table name that it uses for them. */
  readonly folders: Readonly<Record<string, string>>
}
