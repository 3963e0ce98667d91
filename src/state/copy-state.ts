import { AppError } from '../errors.ts'
import type { Database, StoredRow, Value } from './database.ts'
import { insertRows } from './rows.ts'

/** Tables that others refer to. They are copied first. */
const FIRST = ['accounts', 'keys', 'subscriptions', 'notices', 'suppressions']
/** Tables that a new state has rows in. Their rows are replaced. */
const SEEDED = ['event_ledger', 'suppression_changes']
/** Tables that each state has for itself. */
const OWN = ['migrations', 'account_claims', 'account_leases', 'live_servers']
/** Tables whose rows are listed in the order in which they were added, by their hidden row number. */
const ORDERED = new Set(['accounts', 'keys', 'subscriptions'])
const PAGE = 5_000

/** Number of copied rows by table. */
export type CopiedRows = Readonly<Record<string, number>>

/**
 * Copies all tables of a state into an empty one, in one transaction. Both must have the same migrations. Compares the number of
 * rows of each table. @throws `conflict` when the target is not empty; `state_damaged` when the numbers differ
 */
export function copyTables(from: Database, to: Database): Promise<CopiedRows> {
  return from.transaction(() =>
    to.transaction(async () => {
      const names = (await tablesOf(from)).filter((name) => !OWN.includes(name))
      const tables = [...FIRST, ...names.filter((name) => !FIRST.includes(name))]
      for (const name of tables) {
        if (SEEDED.includes(name)) continue
        if ((await countOf(to, name)) > 0)
          throw new AppError('conflict', `the table ${name} of the target has rows: copy into an empty state`)
      }
      const copied: Record<string, number> = {}
      for (const name of tables) {
        if (SEEDED.includes(name)) await to.run(`delete from ${name}`)
        copied[name] = await copyTable(from, to, name)
      }
      // Copied suppressions have counted as changes, so the counter is copied last.
      await to.run('delete from suppression_changes')
      await copyTable(from, to, 'suppression_changes')
      for (const name of tables) {
        const [read, written] = [await countOf(from, name), await countOf(to, name)]
        if (read !== written)
          throw new AppError(
            'state_damaged',
            `${name} has ${read} rows, but ${written} were written: nothing is copied`,
          )
      }
      return copied
    }),
  )
}

async function copyTable(from: Database, to: Database, table: string): Promise<number> {
  const { columns, numbered, key } = await shapeOf(from, table)
  const order = ORDERED.has(table) ? ['rowid'] : key.length === 0 ? columns : key
  const read = ORDERED.has(table) ? ['rowid', ...columns] : columns
  let copied = 0
  let last: StoredRow | null = null
  for (;;) {
    const after = last === null ? '' : `where (${order.join(', ')}) > (${order.map(() => '?').join(', ')})`
    const values = last === null ? [] : order.map((name) => last?.[name] as Value)
    const rows: StoredRow[] = await from.all(
      `select ${read.join(', ')} from ${table} ${after} order by ${order.join(', ')} limit ${PAGE}`,
      ...values,
    )
    await insertRows(
      to,
      table,
      columns,
      rows.map((row) => columns.map((name) => row[name] as Value)),
    )
    copied += rows.length
    last = rows.at(-1) ?? null
    if (rows.length < PAGE) break
  }
  // PostgreSQL counts numbers apart from the rows, so the next row would get a number that is taken.
  if (to.kind === 'postgres' && numbered !== null)
    await to.get(
      `select setval(pg_get_serial_sequence('${table}', '${numbered}'), (select max(${numbered}) from ${table}))`,
    )
  return copied
}

interface Shape {
  readonly columns: readonly string[]
  /** The columns of the primary key. */
  readonly key: readonly string[]
  /** The column whose number the database chooses; null when the table has none. */
  readonly numbered: string | null
}

async function shapeOf(db: Database, table: string): Promise<Shape> {
  const rows = await db.all(db.kind === 'sqlite' ? SQLITE_COLUMNS : POSTGRES_COLUMNS, table)
  const columns = rows.map((row) => String(row['name'])).filter((name) => name !== 'rowid')
  const inKey = rows.filter((row) => Number(row['place'] ?? 0) > 0)
  const key = inKey.sort((a, b) => Number(a['place']) - Number(b['place'])).map((row) => String(row['name']))
  const isNumbered = key.length === 1 && /^(?:integer|bigint)$/i.test(String(inKey[0]?.['type']))
  return { columns, key, numbered: isNumbered ? (key[0] ?? null) : null }
}

const SQLITE_COLUMNS = 'select name, type, pk as place from pragma_table_info(?) order by cid'
const POSTGRES_COLUMNS = `select columns.column_name as name, columns.data_type as type, keys.ordinal_position as place
  from information_schema.columns as columns
  left join information_schema.table_constraints as constraints
    on constraints.table_schema = columns.table_schema and constraints.table_name = columns.table_name
    and constraints.constraint_type = 'PRIMARY KEY'
  left join information_schema.key_column_usage as keys
    on keys.constraint_schema = constraints.constraint_schema and keys.constraint_name = constraints.constraint_name
    and keys.column_name = columns.column_name
  where columns.table_schema = current_schema() and columns.table_name = ?
  order by columns.ordinal_position`

async function tablesOf(db: Database): Promise<string[]> {
  const sql =
    db.kind === 'sqlite'
      ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name"
      : 'select table_name as name from information_schema.tables where table_schema = current_schema() order by table_name'
  return (await db.all(sql)).map((row) => String(row['name']))
}

async function countOf(db: Database, table: string): Promise<number> {
  return Number((await db.get(`select count(*) as count from ${table}`))?.['count'])
}
