import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { rowsOf } from '../support/warehouse.ts'
import { landFile } from './night.ts'

const TABLES = [
  'raw.us_fl_test_roll__roll',
  'raw.us_fl_other_roll__roll',
  'raw.us_fl_test_feed__names',
  'staging.parcels',
  'staging.parcel_owners',
  'staging.past_parcel_owners',
  'staging.deed_parties',
  'ledger.files',
  'ledger.quarantine',
  'ledger.sources',
  'ledger.landing',
]

/** Files for three sources, some refused lines among them, in two issues. */
export async function landWorld(landing: string, rowCount: number): Promise<void> {
  for (const [source, county] of [
    ['test', '16'],
    ['other', '21'],
  ] as const) {
    for (const day of ['01', '02']) {
      const lines = Array.from({ length: rowCount }, (_, index) =>
        index % 997 === 5
          ? `${county},"broken ${index},1\n`
          : `${county},${index},"OWNER ${(index * 31 + Number(day)) % 5000}, ANN",${index}\n`,
      )
      const content = `CO,PARCEL,OWNER,VALUE\n${lines.join('')}`
      const name = `us-fl-${source}-roll/roll_202507${day}.csv`
      if (day === '01') await landFile(landing, name, content)
      else await landFile(landing, `${name}.gz`, gzipSync(content))
    }
  }
  for (let day = 1; day <= 9; day++) {
    const lines = Array.from(
      { length: rowCount / 10 },
      (_, index) => `${day * 100 + index}|DOE,JANE ${day}|D|\n`,
    )
    await landFile(landing, `us-fl-test-feed/07-0${day}-2025nme.txt`, lines.join(''))
  }
}

/**
 * Runs a night in a process of its own; kills it so many milliseconds after it opened the warehouse. `killed`: whether it was still at
 * work then; `workedMs`: from the open warehouse to the end, however that came.
 */
export async function night(
  warehouse: string,
  landing: string,
  killAfterMs: number | null,
): Promise<{ killed: boolean; workedMs: number }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'night-process.ts'), warehouse, landing], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  await once(child.stdout, 'data')
  const opened = performance.now()
  const timer = killAfterMs === null ? null : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  const [code, signal] = (await exit) as [number | null, string | null]
  const workedMs = performance.now() - opened
  if (timer !== null) clearTimeout(timer)
  if (signal === 'SIGKILL') return { killed: true, workedMs }
  if (code !== 0) throw new Error(`the night ended with ${code}`)
  return { killed: false, workedMs }
}

/** Every row of every table that a night fills, in order. */
export async function contentOf(path: string): Promise<Record<string, unknown[]>> {
  const warehouse = await openWarehouse(path, { memoryLimit: '1GB', threads: 1 })
  try {
    const content: Record<string, unknown[]> = {}
    for (const table of TABLES)
      content[table] = await rowsOf(warehouse.db, `select * from ${table} order by all`)
    return content
  } finally {
    await warehouse.close()
  }
}

/**
 * Kills nights one after the other, each when the given share of what the killed ones left of an undisturbed night's `nightMs` has gone
 * by; runs one to its end, and gives what is then there.
 */
export async function contentAfterKills(
  folder: string,
  landing: string,
  nightMs: number,
  shares: number[],
): Promise<{ content: Record<string, unknown[]>; killed: number }> {
  const warehouse = join(folder, 'killed.duckdb')
  await rm(warehouse, { force: true })
  let killed = 0
  let left = nightMs
  for (const share of shares) {
    const moment = share * left
    if ((await night(warehouse, landing, moment)).killed) killed++
    left -= moment
  }
  await night(warehouse, landing, null)
  return { content: await contentOf(warehouse), killed }
}
