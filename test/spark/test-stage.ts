// Stands for `platbook stage` in the tests: `test-stage.ts stage <name> <folder>`. Reads unit numbers from standard input.
import { existsSync, watch } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DuckDBInstance } from '@duckdb/node-api'

const [, , , name = '', folder = ''] = process.argv

const quoted = (path: string): string => `'${path.replaceAll("'", "''")}'`

/** Writes the rows of a SELECT as the file of a unit. */
async function write(unit: number, select: string): Promise<void> {
  await mkdir(join(folder, 'written'), { recursive: true })
  const partial = join(folder, 'written', `_${unit}.${process.pid}`)
  await duckdb(`copy (${select}) to ${quoted(partial)} (format parquet, compression zstd)`)
  await rename(partial, join(folder, 'written', `from-${unit}.parquet`))
}

async function duckdb(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const db = await instance.connect()
  try {
    return (await db.runAndReadAll(sql)).getRowObjectsJson()
  } finally {
    db.closeSync()
    instance.closeSync()
  }
}

/** Ends when the file exists. */
async function exists(path: string): Promise<void> {
  const changes = watch(join(path, '..'))
  if (existsSync(path)) return changes.close()
  await new Promise<void>((resolve) => changes.on('change', () => existsSync(path) && resolve()))
  changes.close()
}

/** Unit u has the rows 10 u to 10 u + 9. */
const rowsOf = (unit: number, to: string): string => `
  select n, ${to}, 'row ' || n as text,
    n / 7.0::double as ratio, n % 2 = 0 as is_even, date '2026-01-01' + n::integer as seen_on,
    case when n % 5 = 0 then null else ['a', 'b' || n] end as words, encode('x' || n) as bytes
  from range(${unit * 10}, ${unit * 10 + 10}) as rows (n)`

const ONE_UNIT = 'cast(n % 3 as integer) as unit'
const TWO_UNITS = '[cast(n % 3 as integer), 2::integer] as units'

const STAGES: Record<string, (unit: number) => Promise<string>> = {
  async rows(unit) {
    await write(unit, rowsOf(unit, ONE_UNIT))
    return line(unit, { rows: 10 })
  },
  async copies(unit) {
    await write(unit, rowsOf(unit, TWO_UNITS))
    return line(unit, { rows: 10 })
  },
  async 'no-rows'(unit) {
    await write(unit, `select * from (${rowsOf(unit, TWO_UNITS)}) where false`)
    return line(unit, { rows: 0 })
  },
  /** Counts the rows and columns of the folder `moved`. */
  async moved(unit) {
    const files = quoted(join(folder, 'moved', `unit=${unit}`, '*.parquet'))
    const from = `read_parquet(${files}, hive_partitioning = false)`
    const [counts] = await duckdb(
      `select count(*)::integer as rows, coalesce(sum(n), 0)::integer as sum from ${from}`,
    )
    const columns = await duckdb(`describe from ${from}`)
    return line(unit, { ...counts, columns: columns.length })
  },
  'without-counts': async (unit) => line(unit, unit === 1 ? null : { rows: 1 }),
  twice: async (unit) => (unit === 1 ? `${line(unit, {})}\n${line(unit, {})}` : line(unit, {})),
  never: async (unit) => (unit === 1 ? '' : line(unit, {})),
  garbage: async (unit) => (unit === 1 ? 'no result' : line(unit, {})),
  /** Unit 1 always fails. */
  async fails(unit) {
    if (unit !== 1) return line(unit, {})
    console.error('the model of the plan is another one')
    return process.exit(1)
  },
  /** The first process of unit 1 is killed. */
  async 'killed-once'(unit) {
    const marker = join(folder, 'killed')
    if (unit === 1 && !existsSync(marker)) {
      await writeFile(marker, '')
      process.kill(process.pid, 'SIGKILL')
    }
    await write(unit, rowsOf(unit, ONE_UNIT))
    return line(unit, { rows: 10 })
  },
  /** Every process writes a file `started-<unit>` and waits for the file `go`. */
  async waits(unit) {
    await writeFile(join(folder, `started-${unit}`), '')
    await exists(join(folder, 'go'))
    return line(unit, { rows: unit })
  },
}

function line(unit: number, counts: unknown): string {
  return JSON.stringify({ unit, counts })
}

for await (const text of createInterface({ input: process.stdin })) {
  const printed = await STAGES[name]!(Number(text))
  if (printed !== '') process.stdout.write(`${printed}\n`)
}
