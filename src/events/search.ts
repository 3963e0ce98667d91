import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import pLimit from 'p-limit'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { datesOf, type EventFilter, type Position } from './position.ts'

/** File in a snapshot's `events/` folder with one row per event and scope, sorted in the order of search results. */
export const SEARCH_FILE = 'search.parquet'

/** Columns of the search file. `scope` is a state code, a county's FIPS code or a property id, so each search reads one range of rows. */
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
  /** Time limit of a search, including its wait in the queue. After it, the search fails with `query_timeout`. */
  readonly timeoutMs: number
  /** Highest number of simultaneous searches. Further searches wait. */
  readonly concurrency: number
  readonly memoryLimit: string
}

const INTERRUPT_EVERY_MS = 25

const Row = z.object({ event_no: z.int(), recorded_on: z.string(), event_id: z.string() })
export type Found = Readonly<z.output<typeof Row>>

/** Searches the events of one snapshot with its own DuckDB instance, which the first search starts. */
export class EventSearch {
  readonly #relation: string
  readonly #options: SearchOptions
  readonly #limit: ReturnType<typeof pLimit>
  #instance: Promise<DuckDBInstance> | null = null
  readonly #idle: DuckDBConnection[] = []

  /** `relation`: SQL to put after FROM, with the columns `SEARCH_COLUMNS`. */
  constructor(relation: string, options: SearchOptions) {
    this.#relation = relation
    this.#options = options
    this.#limit = pLimit(options.concurrency)
  }

  static ofFolder(folder: string, options: SearchOptions): EventSearch {
    return new EventSearch(`read_parquet('${join(folder, SEARCH_FILE).replaceAll("'", "''")}')`, options)
  }

  /** Returns at most `limit` events after the position `after` (null: from the newest), in search order. @throws `query_timeout` */
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
      // The first condition repeats a part of the second, because DuckDB skips row groups only by the first form.
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

  /** Closes the engine. No search may be running. */
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
    // Repeat the interrupt, because the engine ignores one that arrives between two steps of a query.
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
    // One thread per query: a search reads only one or two row groups. Different searches still run in parallel.
    this.#instance ??= DuckDBInstance.create(':memory:', {
      memory_limit: this.#options.memoryLimit,
      threads: '1',
    })
    const connection = await (await this.#instance).connect()
    // Read the footer of the file once instead of in every search.
    await connection.run('set global parquet_metadata_cache = true')
    // Late materialization reads rows in a second pass, which does not pay for so few and narrow columns.
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
