import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NightlyReport, runNightly, STEPS } from '../../pipelines/nightly.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import { silentLog } from '../../src/log.ts'
import { prepared } from './prepared.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** When the nights of the sample's two days are; what the calendar says when a test runs doesn't matter. */
export const NIGHTS = {
  'day-1': new Date('2026-01-06T02:00:00Z'),
  'day-2': new Date('2026-01-07T02:00:00Z'),
} as const

type Day = keyof typeof NIGHTS

/** The night in which the files of `day` have come. */
export async function sampleNight(config: Config, day: Day): Promise<NightlyReport> {
  await cp(join(ROOT, 'data/sample', day), join(config.paths.landing, day), { recursive: true })
  return runNightly({
    config,
    sourceFolders: [join(ROOT, 'pipelines/sources')],
    steps: STEPS,
    full: false,
    now: () => NIGHTS[day],
    signal: new AbortController().signal,
    log: silentLog,
    progress: () => {},
  })
}

/** A data folder after the first night of the sample, once for a whole test run: read only. */
export function afterFirstNight(): Promise<string> {
  return prepared('after-day-1', (data) => keptNight(data, 'day-1'))
}

/** A data folder after the first and the second night of the sample, once for a whole test run: read only. */
export function afterBothNights(): Promise<string> {
  return prepared('after-day-2', async (data) => {
    await cp(await afterFirstNight(), data, { recursive: true })
    await keptNight(data, 'day-2')
  })
}

async function keptNight(data: string, day: Day): Promise<void> {
  const report = await sampleNight(loadConfig({ DUCKDB_THREADS: '1' }, { data }), day)
  await writeFile(reportOf(data, day), JSON.stringify(report))
}

const reportOf = (data: string, day: Day): string => join(data, `${day}.json`)

/** What such a night reported. */
export async function nightReport(data: string, day: Day): Promise<NightlyReport> {
  return JSON.parse(await readFile(reportOf(data, day), 'utf8')) as NightlyReport
}
