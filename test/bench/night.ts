/**
 * A whole night over a generated world, as a process of its own: time, memory, the step that took it, the second
 * night on day 2's files, and how the time grows with twice the people. `BENCH_PEOPLE` sets the larger size.
 */
import { spawn } from 'node:child_process'
import { cp, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const CLI = fileURLToPath(new URL('../../src/cli/platbook.mjs', import.meta.url))
const OUT = fileURLToPath(new URL('out', import.meta.url))

const Report = z.object({
  sources: z.array(
    z.object({
      source_id: z.string(),
      files: z.array(z.object({ loaded_rows: z.int(), refused_rows: z.int(), status: z.string() })),
    }),
  ),
  link: z.object({ records: z.int(), people: z.int() }).nullable(),
  seconds: z.number(),
})

export interface Night {
  readonly seconds: number
  readonly peakGiB: number
  readonly steps: string[]
  readonly report: z.output<typeof Report>
}

/** The folder of a generated world of `people`, made when it is not there yet (seed 1, both days). */
export async function generatedWorld(people: number): Promise<string> {
  const folder = join(OUT, `world-${people}`)
  if ((await stat(join(folder, 'truth.csv')).catch(() => null)) === null) {
    const made = await runCommand([
      'generate',
      '--people',
      String(people),
      '--out',
      folder,
      '--truth',
      join(folder, 'truth.csv'),
    ])
    console.log(
      `generated ${people.toLocaleString('en-US')} people in ${made.seconds.toFixed(1)} s, peak ${made.peakGiB.toFixed(2)} GiB`,
    )
  }
  return folder
}

/** Puts a day of the world into the landing of `data` and runs the night on it. */
export async function runNightOn(world: string, day: 'day-1' | 'day-2', data: string): Promise<Night> {
  await mkdir(join(data, 'landing'), { recursive: true })
  await cp(join(world, day), join(data, 'landing', day), { recursive: true })
  const { seconds, peakGiB, stdout, stderr } = await runCommand(['nightly', '--json', '--data', data])
  const report = Report.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''))
  return { seconds, peakGiB, report, steps: stderr.split('\n').filter((line) => line.startsWith('  ')) }
}

export async function run(): Promise<void> {
  const people = Number(process.env['BENCH_PEOPLE'] ?? 1_000_000)
  const half = await nightOf(people / 2)
  const whole = await nightOf(people)
  console.log(
    `twice the people take ${(whole.seconds / half.seconds).toFixed(2)} times as long (at most 2.2 wanted)`,
  )
}

async function nightOf(people: number): Promise<Night> {
  const world = await generatedWorld(people)
  const data = join(OUT, `data-${people}`)
  await rm(data, { recursive: true, force: true })
  const first = await runNightOn(world, 'day-1', data)
  print(`night over ${people.toLocaleString('en-US')} people`, first)
  const second = await runNightOn(world, 'day-2', data)
  print(
    `the next night, day 2's files (${((100 * second.seconds) / first.seconds).toFixed(0)} % of the first)`,
    second,
  )
  return first
}

function print(title: string, night: Night): void {
  const files = night.report.sources.flatMap((source) => source.files)
  const loaded = files.reduce((sum, file) => sum + file.loaded_rows, 0)
  const { link } = night.report
  if (loaded === 0 || link === null || link.people === 0)
    throw new Error(`${title}: ${loaded} rows were loaded and ${link?.people ?? 0} people linked`)
  const refused = files.reduce((sum, file) => sum + file.refused_rows, 0)
  console.log(`${title}: ${night.seconds.toFixed(1)} s, peak ${night.peakGiB.toFixed(2)} GiB`)
  console.log(
    `  ${files.length} files, ${loaded.toLocaleString('en-US')} rows, ${refused.toLocaleString('en-US')} quarantined; ${link.records.toLocaleString('en-US')} records, ${link.people.toLocaleString('en-US')} people`,
  )
  for (const step of night.steps) console.log(step)
}

interface Seen {
  peakKiB: number
  ownKiB: number
  ticks: number
}

async function watchProcess(pid: number | undefined, seen: Seen): Promise<void> {
  // The process may end between the two.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const kibibytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0)
  seen.peakKiB = Math.max(seen.peakKiB, kibibytes('VmHWM'))
  seen.ownKiB = Math.max(seen.ownKiB, kibibytes('RssAnon') + kibibytes('RssShmem'))
  const fields = line.slice(line.lastIndexOf(')')).split(' ')
  seen.ticks = Math.max(seen.ticks, Number(fields[12] ?? 0) + Number(fields[13] ?? 0))
}

// What the kernel counts processor time in, on every Linux that there is.
const TICKS_A_SECOND = 100

interface Ended {
  readonly seconds: number
  readonly peakGiB: number
  /** Without pages of files that are mapped, such as the index's. */
  readonly peakOwnGiB: number
  readonly busySeconds: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `platbook` as a process of its own; of what it uses of memory and processor the highest seen. */
export async function runCommand(argv: string[]): Promise<Ended> {
  const started = performance.now()
  const child = spawn(process.execPath, [CLI, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LOG_LEVEL: 'warn' },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
  const seen: Seen = { peakKiB: 0, ownKiB: 0, ticks: 0 }
  const watch = setInterval(() => {
    // Linux keeps the high-water mark; elsewhere all of this stays 0 and says so by that.
    void watchProcess(child.pid, seen)
  }, 250)
  const code = await new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  )
  clearInterval(watch)
  if (code !== 0) throw new Error(`platbook ${argv[0]} ended with ${code}:\n${output.stderr}`)
  return {
    seconds: (performance.now() - started) / 1000,
    peakGiB: seen.peakKiB / 2 ** 20,
    peakOwnGiB: seen.ownKiB / 2 ** 20,
    busySeconds: seen.ticks / TICKS_A_SECOND,
    ...output,
  }
}
