export type Value = null | number | bigint | string | Uint8Array
/** Values in the order of the `?`, or one object with the values of the `$name` parameters. */
export type Parameters = Value[] | [Readonly<Record<string, Value>>]
export type StoredRow = Record<string, unknown>

export interface TransactionOptions {
  /**
   * The isolation in PostgreSQL; SQLite always runs one transaction after the other. `serializable` (the default): as if they
   * ran one after the other. `read committed`: statements lock the rows that they change, and transactions about other rows
   * need not wait. `exclusive`: runs alone among all exclusive transactions.
   */
  readonly isolation?: 'serializable' | 'read committed' | 'exclusive'
}

/**
 * The state: tables in a SQLite file or in PostgreSQL. The statements are valid in both. Integers are returned as numbers, blobs
 * as bytes.
 */
export interface Database {
  readonly kind: 'sqlite' | 'postgres'
  /** The end of a subquery that takes rows to change: PostgreSQL skips those that another process takes at the same time. */
  readonly skipLocked: '' | 'for update skip locked'
  all(sql: string, ...parameters: Parameters): Promise<StoredRow[]>
  /** Returns the first row; undefined when the query returns no row. */
  get(sql: string, ...parameters: Parameters): Promise<StoredRow | undefined>
  run(sql: string, ...parameters: Parameters): Promise<{ readonly changes: number }>
  /** Runs statements without parameters. Those that define tables are in SQLite's words. */
  exec(sql: string): Promise<void>
  /**
   * Runs `body` in a transaction and rolls back when it throws. Statements that `body` awaits belong to the transaction; inside
   * another transaction, `body` becomes part of that one. PostgreSQL runs `body` again after a conflict with another transaction,
   * so `body` must have no effect outside of the database.
   */
  transaction<T>(body: () => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Waits for the transaction in progress and closes the connections. */
  close(): Promise<void>
}
