import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { linkMentions } from '../../../src/linkage/link-mentions.ts'
import { type FullRun, linkRecords } from '../../../src/linkage/link-records.ts'
import { DUPLICATE_FREE, type Mentions, SLOT } from '../../../src/linkage/mentions.ts'
import { withThreads } from '../../../src/linkage/threads.ts'
import { probabilityOf } from '../../../src/linkage/weights.ts'
import { openWarehouse } from '../../../src/warehouse/open.ts'
import { type ClusterFigures, clusterFigures, type Reliability, reliabilityOf } from './figures.ts'
import { truthOf } from './run-set.ts'
import { truthModel } from './truth-model.ts'
import { MILLION, WORLDS } from './worlds/all-worlds.ts'
import type { World } from './worlds/kit/world.ts'
import { fillWorldRecords, loadWorld, writeWorld } from './worlds/load-world.ts'

export interface WorldOptions {
  /** Names of worlds; none stands for all but the million. */
  readonly names: readonly string[]
  /** Each world also without each of its columns. */
  readonly leaveOut: boolean
  /** Write the worlds as files into this folder, and link nothing. */
  readonly writeTo: string | undefined
  readonly writeAs: 'csv' | 'parquet'
  readonly today: string
  readonly say: (text: string) => void
}

export interface WorldFigures {
  readonly name: string
  readonly records: number
  readonly truePairs: number
  readonly trained: ClusterFigures
  readonly truthTrained: ClusterFigures
  readonly bands: readonly Reliability[]
  readonly leftOut: readonly { readonly columns: string; readonly f1: number }[]
  readonly seconds: number
}

/** A band of probability is judged from so many pairs on, and may be off by so much. */
const JUDGED_PAIRS = 200
const MAY_BE_OFF = 0.05

/** Runs the invented worlds. */
export async function runWorlds(options: WorldOptions): Promise<WorldFigures[]> {
  const found: WorldFigures[] = []
  for (const world of chosenWorlds(options.names)) {
    const warehouse = await openWarehouse(':memory:', { memoryLimit: '4GB', threads: 2 })
    try {
      await fillWorldRecords(warehouse.db, world)
      if (options.writeTo === undefined) {
        found.push(await figuresOfWorld(warehouse.db, world, options))
      } else {
        await mkdir(options.writeTo, { recursive: true })
        const file = join(options.writeTo, `${world.name}.${options.writeAs}`)
        await writeWorld(warehouse.db, world, file)
        options.say(`${file}: ${world.records} records, truth in column truth`)
      }
    } finally {
      await warehouse.close()
    }
  }
  return found
}

function chosenWorlds(names: readonly string[]): readonly World[] {
  if (names.length === 0) return WORLDS.filter(({ name }) => name !== MILLION)
  return names.map((name) => {
    const world = WORLDS.find((one) => one.name === name)
    if (world !== undefined) return world
    throw new Error(`no world is called ${name}; there are ${WORLDS.map((one) => one.name).join(', ')}`)
  })
}

async function figuresOfWorld(
  db: DuckDBConnection,
  world: World,
  { leaveOut, today, say }: WorldOptions,
): Promise<WorldFigures> {
  await loadWorld(db, world)
  const started = performance.now()
  const run = await linkRecords(db, { threads: 2, today })
  const seconds = (performance.now() - started) / 1000
  const truth = await truthOf(db)
  const found = {
    name: world.name,
    records: run.mentions.count,
    truePairs: pairsOf(truth, run.mentions),
    trained: clusterFigures(run.clusters.smallest, truth, groupsOf(run.mentions)),
    truthTrained: await truthTrained(run, truth, today),
    bands: reliabilityOf(run.edges, truth, probabilityOf),
    leftOut: [] as { columns: string; f1: number }[],
    seconds,
  }
  say(worldLine(found))
  for (const line of bandLines(found.bands)) say(line)
  for (const columns of leaveOut ? world.columns : []) {
    await loadWorld(db, world, columns)
    const less = await linkRecords(db, { threads: 2, today })
    const { f1 } = clusterFigures(less.clusters.smallest, await truthOf(db), groupsOf(less.mentions))
    found.leftOut.push({ columns: columns.join(', '), f1 })
    say(
      `    without ${columns.join(', ').padEnd(40)} F1 ${f1.toFixed(4)}, which these columns raise by ${(found.trained.f1 - f1).toFixed(4)}`,
    )
  }
  return found
}

/** The same scorer and clusters with a model counted from the truth. */
export async function truthTrained(
  run: FullRun,
  truth: readonly string[],
  today: string,
): Promise<ClusterFigures> {
  const { model, terms } = truthModel(run, truth, today)
  const { clusters } = await withThreads(2, async (threads) =>
    linkMentions(run.mentions, run.blocks, model, terms.source(), threads),
  )
  return clusterFigures(clusters.smallest, truth, groupsOf(run.mentions))
}

// With sources that list nobody twice, figures are of pairs between records that may be one person.
function groupsOf({ count, rows, width, sources }: Mentions): Int32Array | undefined {
  if (!sources.some((traits) => (traits & DUPLICATE_FREE) !== 0)) return undefined
  return Int32Array.from({ length: count }, (_, i) => {
    const source = rows[i * width + SLOT.source]!
    return (sources[source]! & DUPLICATE_FREE) === 0 ? -1 - i : source
  })
}

function pairsOf(truth: readonly string[], mentions: Mentions): number {
  const groups = groupsOf(mentions)
  const sizes = new Map<string, number>()
  let pairs = 0
  truth.forEach((person, i) => {
    const own = `${person}/${groups?.[i] ?? i}`
    const all = sizes.get(person) ?? 0
    const together = sizes.get(own) ?? 0
    pairs += all - together
    sizes.set(person, all + 1)
    sizes.set(own, together + 1)
  })
  return pairs
}

export const HEADING = `${'world'.padEnd(28)} records  true pairs   trained F1 (precision, recall)   by truth   less     seconds`

function worldLine({ name, records, truePairs, trained, truthTrained: best, seconds }: WorldFigures): string {
  const figures = [trained.precision, trained.recall].map((value) => value.toFixed(4)).join(', ')
  return `${name.padEnd(28)}${String(records).padStart(8)}${String(truePairs).padStart(12)}   ${trained.f1.toFixed(4)} (${figures})          ${best.f1.toFixed(4)}    ${(best.f1 - trained.f1).toFixed(4)}  ${seconds.toFixed(1).padStart(7)}`
}

function bandLines(bands: readonly Reliability[]): string[] {
  return bands.map((band, b) => {
    const to = bands[b + 1]?.from ?? 1
    const judged = band.edges < JUDGED_PAIRS ? 'too few to judge' : isWithin(band) ? 'within .05' : 'OFF'
    return `    pairs of ${band.from} to ${to}: ${String(band.edges).padStart(8)}, stated ${band.expected.toFixed(4)}, held ${band.observed.toFixed(4)}, ${judged}`
  })
}

function isWithin({ expected, observed }: Reliability): boolean {
  return Math.abs(expected - observed) <= MAY_BE_OFF
}
