import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { scoreAndCluster } from '../../../src/link/run.ts'
import { type FullRun, linkAllRecords } from '../../../src/link/run.ts'
import { DUPLICATE_FREE, type Records, SLOT } from '../../../src/link/records/records.ts'
import { withThreads } from '../../../src/link/threads/threads.ts'
import { probabilityOf } from '../../../src/link/model/weights.ts'
import { openWarehouse } from '../../../src/warehouse/open.ts'
import { type ClusterFigures, clusterFigures, type Reliability, reliabilityOf } from './figures.ts'
import { truthOf } from './run-set.ts'
import { pythonWithSplink, splinkFigures } from './splink.ts'
import { type Subject, SUBJECTS } from './subjects.ts'
import { truthModel } from './truth-model.ts'
import { judgementOf, saveResults, type WorldFigures } from './world-results.ts'
import { fillWorldRecords, writeWorld } from './worlds/load-world.ts'

export interface WorldOptions {
  /** Names of worlds and public sets; none stands for all but those of a million records. */
  readonly names: readonly string[]
  /** Each world also without each of its columns. */
  readonly leaveOut: boolean
  /** Each world also by Splink. */
  readonly splink: boolean
  /** Put the figures into `results/worlds.md`. */
  readonly save: boolean
  readonly today: string
  readonly say: (text: string) => void
}

const HEADING = `${'world'.padEnd(26)} records  true pairs  trained F1 (precision, recall)  truth-trained  difference  seconds`

/** Links invented worlds and public sets, and holds each against the same scorer with a model counted from the truth. */
export async function runWorlds(options: WorldOptions): Promise<WorldFigures[]> {
  const { say } = options
  const python = options.splink ? await pythonWithSplink(say) : undefined
  const found: WorldFigures[] = []
  say(`\n${HEADING}`)
  for (const subject of chosen(options.names)) {
    await withMemory(async (db) => {
      const missing = await subject.load(db)
      if (missing !== undefined) return console.error(`SKIPPED ${subject.name}: ${missing}`)
      found.push(await figuresOfSubject(db, subject, python, options))
      return undefined
    })
    const order = SUBJECTS.map(({ name }) => name)
    if (options.save) saveResults(found, order)
  }
  return found
}

/** Writes invented worlds as files for other tools, with their truth. */
export async function writeWorlds(
  names: readonly string[],
  folder: string,
  format: 'csv' | 'parquet',
  say: (text: string) => void,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const { name, world } of chosen(names)) {
    if (world === undefined) continue
    await withMemory(async (db) => {
      await fillWorldRecords(db, world)
      const file = join(folder, `${name}.${format}`)
      await writeWorld(db, world, file)
      say(`${file}: ${world.records} records, truth in column truth`)
    })
  }
}

async function withMemory(body: (db: DuckDBConnection) => Promise<void>): Promise<void> {
  const warehouse = await openWarehouse(':memory:', { memoryLimit: '4GB', threads: 2 })
  try {
    await body(warehouse.db)
  } finally {
    await warehouse.close()
  }
}

function chosen(names: readonly string[]): readonly Subject[] {
  if (names.length === 0) return SUBJECTS.filter(({ isLarge }) => !isLarge)
  return names.map((name) => {
    const subject = SUBJECTS.find((one) => one.name === name)
    if (subject !== undefined) return subject
    throw new Error(`no world is called ${name}; there are ${SUBJECTS.map((one) => one.name).join(', ')}`)
  })
}

async function figuresOfSubject(
  db: DuckDBConnection,
  subject: Subject,
  python: string | undefined,
  { leaveOut, today, say }: WorldOptions,
): Promise<WorldFigures> {
  const { name, setting, world, columns, loadWithout } = subject
  const started = performance.now()
  const run = await linkAllRecords(db, { threads: 2, today })
  const seconds = (performance.now() - started) / 1000
  const truth = await truthOf(db)
  const found: WorldFigures = {
    name,
    setting,
    records: run.records.count,
    truePairs: pairsOf(truth, run.records),
    trained: figuresOf(run.clusters.smallest, truth, run.records),
    truthTrained: await truthTrained(run, truth, today),
    bands: reliabilityOf(run.edges, truth, probabilityOf),
    seconds,
    measuredOn: today,
  }
  say(worldLine(found))
  for (const line of bandLines(found.bands)) say(line)
  if (python !== undefined && world !== undefined) {
    try {
      found.splink = await splinkFigures(db, world, python)
      const { f1, precision, recall, threshold } = found.splink
      say(
        `    Splink ${f1.toFixed(4)} (${precision.toFixed(4)}, ${recall.toFixed(4)}) at threshold ${threshold}`,
      )
    } catch (cause) {
      console.error(`SKIPPED Splink on ${name}: ${(cause as Error).message.trim().split('\n').at(-1)}`)
    }
  }
  if (leaveOut && loadWithout !== undefined) {
    found.leftOut = []
    for (const group of columns) {
      await loadWithout(db, group)
      const less = await linkAllRecords(db, { threads: 2, today })
      const { f1 } = figuresOf(less.clusters.smallest, await truthOf(db), less.records)
      const change = found.trained.f1 - f1
      found.leftOut.push({ columns: group.join(', '), f1, change })
      say(`    without ${group.join(', ').padEnd(40)} F1 ${f1.toFixed(4)}, they add ${change.toFixed(4)}`)
    }
  }
  return found
}

/** The same scorer and clusters with a model counted from the truth. */
async function truthTrained(run: FullRun, truth: readonly string[], today: string): Promise<ClusterFigures> {
  const { model, terms } = truthModel(run, truth, today)
  const { clusters } = await withThreads(2, async (threads) =>
    scoreAndCluster(run.records, run.blocks, model, terms.source(), threads),
  )
  return figuresOf(clusters.smallest, truth, run.records)
}

function figuresOf(smallest: Int32Array, truth: readonly string[], records: Records): ClusterFigures {
  return clusterFigures(smallest, truth, groupsOf(records))
}

// With sources that list nobody twice, figures are of pairs between records that may be one person.
function groupsOf({ count, rows, width, sources }: Records): Int32Array | undefined {
  if (!sources.some((traits) => (traits & DUPLICATE_FREE) !== 0)) return undefined
  return Int32Array.from({ length: count }, (_, i) => {
    const source = rows[i * width + SLOT.source]!
    return (sources[source]! & DUPLICATE_FREE) === 0 ? -1 - i : source
  })
}

function pairsOf(truth: readonly string[], records: Records): number {
  const groups = groupsOf(records)
  const sizes = new Map<string, number>()
  let pairs = 0
  truth.forEach((person, i) => {
    const own = `${person}/${groups?.[i] ?? -1 - i}`
    const all = sizes.get(person) ?? 0
    const together = sizes.get(own) ?? 0
    pairs += all - together
    sizes.set(person, all + 1)
    sizes.set(own, together + 1)
  })
  return pairs
}

function worldLine({ name, records, truePairs, trained, truthTrained: best, seconds }: WorldFigures): string {
  const figures = [trained.precision, trained.recall].map((value) => value.toFixed(4)).join(', ')
  return `${name.padEnd(26)}${String(records).padStart(8)}${String(truePairs).padStart(12)}  ${trained.f1.toFixed(4)} (${figures})         ${best.f1.toFixed(4)}         ${(best.f1 - trained.f1).toFixed(4).padStart(7)}     ${seconds.toFixed(1).padStart(6)}`
}

function bandLines(bands: readonly Reliability[]): string[] {
  return bands.map((band, b) => {
    const to = bands[b + 1]?.from ?? 1
    return `    pairs of ${band.from} to ${to}: ${String(band.edges).padStart(8)}, stated ${band.expected.toFixed(4)}, held ${band.observed.toFixed(4)}, ${judgementOf(band)}`
  })
}
