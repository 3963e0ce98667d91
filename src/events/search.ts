import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import pLimit from 'p-limit'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { datesOf, type EventFilter, type Position } from './position.ts'

/** In a snapshot's `events/` folder: a row per event and scope it is searched by, in the order in which pages give them. */
export const SEARCH_FILE = 'search.parquet'

/** Its columns. `scope` is a state code, a county's FIPS code or a property id: every form of search is one range of rows. */
export const SEARCH_COLUMNS = {
  scope: 'varchar',
  recorded_on: 'date',
  event_id: 'uuid',
  event_no: 'integer',
  state: 'varchar',
  county_fips: 'varchar',
} as const
export const SEARCH_ORDER = 'scope, recorded_on desc, event_id'

export interface SearchOptions {
  /** What one search may take, waiting for its turn included, before it ends with `query_timeout`. */
  readonly timeoutMs: number
  /** Searches at once; others wait. */
  readonly concurrency: number
  readonly memoryLimit: string
}

const INTERRUPT_EVERY_MS = 25

const Row = z.object({ event_no: z.int(), recorded_on: z.string(), event_id: z.string() })
export type Found = Readonly<z.output<typeof Row>>

/** Searches one snapshot's events with an engine of its own, which is started by the first search. */
export class EventSearch {
  readonly #relation: string
  readonly #options: SearchOptions
  readonly #limit: ReturnType<typeof pLimit>
  #instance: Promise<DuckDBInstance> | null = null
  readonly #idle: DuckDBConnection[] = []

  /** `relation` is what stands behind FROM, with the columns of `SEARCH_COLUMNS`. */
  constructor(relation: string, options: SearchOptions) {
    this.#relation = relation
    this.#options = options
    this.#limit = pLimit(options.concurrency)
  }

  static ofFolder(folder: string, options: SearchOptions): EventSearch {
    return new EventSearch(`read_parquet('${join(folder, SEARCH_FILE).replaceAll("'", "''")}')`, options)
  }

  /** At most `limit` events behind `after` (null: from the newest), newest first, ties by id. @throws `query_timeout` */
  async find(filter: EventFilter, after: Position | null, limit: number): Promise<Found[]> {
    const { from, to } = datesOf(filter)
    const { state_code, fips_code, property_id } = filter
    const values: Record<string, DuckDBValue> = { scope: property_id ?? fips_code ?? state_code, from, to }
    const conditions = ['scope = $scope', 'recorded_on between $from::date and $to::date']
    if (property_id !== null) {
      conditions.push('state = $state')
      values['state'] = state_code
      if (fips_code !== null) {
        conditions.push('county_fips = $county')
        values['county'] = fips_code
      }
    }
    if (after !== null) {
      // Said twice: the first line alone lets whole row groups be skipped.
      conditions.push('recorded_on <= $day::date', '(recorded_on < $day::date or event_id > $id::uuid)')
      Object.assign(values, { day: after.recorded_on, id: after.event_id })
    }
    const sql = `
      select event_no, recorded_on, event_id from ${this.#relation}
      where ${conditions.join(' and ')}
      order by recorded_on desc, event_id
      limit ${limit}`
    return this.#run(sql, values)
  }

  /** Nothing may be under way. */
  async close(): Promise<void> {
    for (const connection of this.#idle.splice(0)) connection.closeSync()
    const instance = await this.#instance
    this.#instance = null
    instance?.closeSync()
  }

  async #run(sql: string, values: Record<string, DuckDBValue>): Promise<Found[]> {
    const deadline = performance.now() + this.#options.timeoutMs
    return this.#limit(async () => {
      if (performance.now() >= deadline) throw this.#timeout()
      const connection = this.#idle.pop() ?? (await this.#connect())
      try {
        return await this.#interruptAt(deadline, connection, async () => {
          const reader = await connection.runAndReadAll(sql, values)
          return reader.getRowObjectsJson().map((row) => Row.parse(row))
        })
      } finally {
        this.#idle.push(connection)
      }
    })
  }

  async #interruptAt<T>(deadline: number, connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
    let isLate = false
    let timer: NodeJS.Timeout
    // Again and again: an interrupt that comes between two steps of a query is forgotten by the engine.
    const interrupt = (): void => {
      isLate = true
      connection.interrupt()
      timer = setTimeout(interrupt, INTERRUPT_EVERY_MS)
    }
    timer = setTimeout(interrupt, Math.max(0, deadline - performance.now()))
    try {
      return await work()
    } catch (cause) {
      throw isLate ? this.#timeout(cause) : cause
    } finally {
      clearTimeout(timer)
    }
  }

  async #connect(): Promise<DuckDBConnection> {
    // A search reads one row group or two: more threads would only wait for each other (searches run side by side all the same).
    this.#instance ??= DuckDBInstance.create(':memory:', {
      memory_limit: this.#options.memoryLimit,
      threads: '1',
    })
    const connection = await (await this.#instance).connect()
    // The file's footer is read once and not by every search.
    await connection.run('set global parquet_metadata_cache = true')
    // The columns are few and narrow: finding the rows first and reading them then costs as much again (4.3 ms against 2.8).
    await connection.run(`set disabled_optimizers = 'late_materialization'`)
    return connection
  }

  #timeout(cause?: unknown): AppError {
    return new AppError(
      'query_timeout',
      `the search took longer than ${this.#options.timeoutMs / 1000} s and was stopped: search fewer days, or a county instead of a state`,
      { cause },
    )
  }
}
