import { once } from 'node:events'
import { watch } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Engine } from '../../src/cluster/engine.ts'
import { openSparkEngine } from '../../src/cluster/spark/spark-engine.ts'
import { installedSpark } from './install-spark.ts'
import { SMALL, type SparkCluster, type SparkWorker, startSparkCluster } from './spark-cluster.ts'

const COMMAND = [process.execPath, fileURLToPath(new URL('test-stage.ts', import.meta.url)), 'stage']

let folder: string
let work: string
let cluster: SparkCluster
let worker: SparkWorker
let engine: Engine
let stop: AbortController
let isClosed = false
const progress: { step: string; done: number; all: number }[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platbook-spark-'))
  // The path has the characters that shells and Spark SQL treat specially.
  work = join(folder, `it's a "work" $HOME $(false)`)
  await mkdir(work)
  const sparkHome = await installedSpark()
  cluster = await startSparkCluster(sparkHome, folder)
  await cluster.addWorker()
  worker = await cluster.addWorker()
  stop = new AbortController()
  engine = await openSparkEngine({
    cluster: { master: cluster.master, sparkHome, conf: SMALL },
    work,
    command: COMMAND,
    signal: stop.signal,
    onTasks: (step, { done, all }) => progress.push({ step, done, all }),
  })
})

afterAll(async () => {
  if (!isClosed) await engine?.close()
  await cluster?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs a stage of `test-stage.ts` in the folder `at` below the work folder. */
async function run(name: string, at: string, units: number) {
  const path = join(work, at)
  await mkdir(path, { recursive: true })
  return engine.run({ args: [name, path], units })
}

/** Waits until a folder has so many files whose names begin with `started-`, and returns the names. */
async function started(at: string, count: number): Promise<string[]> {
  const path = join(work, at)
  await mkdir(path, { recursive: true })
  const changes = watch(path)
  const names = async () => (await readdir(path)).filter((name) => name.startsWith('started-'))
  try {
    for (let found = await names(); ; found = await names()) {
      if (found.length >= count) return found
      await once(changes, 'change')
    }
  } finally {
    changes.close()
  }
}

const failed = (message: RegExp) =>
  expect.objectContaining({ code: 'stage_failed', message: expect.stringMatching(message) as string })

test('a stage runs every unit, and an exchange gives each unit its rows with all columns', async () => {
  expect(await run('rows', 'a', 4)).toEqual([0, 1, 2, 3].map((unit) => ({ unit, counts: { rows: 10 } })))
  await engine.exchange({ from: 'a/written', by: 'unit', to: 'a/moved', units: 3 })
  expect(await run('moved', 'a', 3)).toEqual([
    { unit: 0, counts: { rows: 14, sum: 273, columns: 7 } },
    { unit: 1, counts: { rows: 13, sum: 247, columns: 7 } },
    { unit: 2, counts: { rows: 13, sum: 260, columns: 7 } },
  ])
  expect(progress).toContainEqual({ step: 'stage rows', done: 4, all: 4 })
})

test('an exchange copies a row to each of its units, and once with distinct', async () => {
  await run('copies', 'b', 3)
  await engine.exchange({ from: 'b/written', by: 'units', to: 'b/moved', units: 3 })
  const counts = async (at: string) => (await run('moved', at, 3)).map(({ counts: { rows } }) => rows)
  expect(await counts('b')).toEqual([10, 10, 40])
  await engine.exchange({ from: 'b/written', by: 'units', to: 'b/moved', units: 3, distinct: true })
  expect(await counts('b')).toEqual([10, 10, 30])
})

test('values of all types are the same after an exchange', async () => {
  await run('rows', 'c', 1)
  await engine.exchange({ from: 'c/written', by: 'unit', to: 'c/moved', units: 3 })
  const differences = await engine.select({
    sql: `select count(*) as n from before
      full join after on before.n = after.n and before.text = after.text and before.ratio = after.ratio
        and before.is_even = after.is_even and before.seen_on = after.seen_on and before.words <=> after.words
        and before.bytes = after.bytes
      where before.n is null or after.n is null`,
    folders: { before: 'c/written', after: 'c/moved' },
  })
  expect(differences).toEqual([{ n: 0n }])
})

test('folders without rows keep their columns in stages, exchanges and selects', async () => {
  await run('no-rows', 'd', 2)
  await engine.exchange({ from: 'd/written', by: 'units', to: 'd/moved', units: 3 })
  const none = [0, 1, 2].map((unit) => ({ unit, counts: { rows: 0, sum: 0, columns: 7 } }))
  expect(await run('moved', 'd', 3)).toEqual(none)
  await engine.select({
    sql: 'select n, text, 1 as unit from moved where n > 3',
    folders: { moved: 'd/moved' },
    to: 'd/selected',
  })
  await engine.exchange({ from: 'd/selected', by: 'unit', to: 'd/moved', units: 2 })
  const two = [0, 1].map((unit) => ({ unit, counts: { rows: 0, sum: 0, columns: 2 } }))
  expect(await run('moved', 'd', 2)).toEqual(two)
  const rows = await engine.select({ sql: 'select n, text from moved', folders: { moved: 'd/moved' } })
  expect(rows).toEqual([])
})

test('a unit without rows keeps its columns', async () => {
  await run('rows', 'e', 1)
  await engine.exchange({ from: 'e/written', by: 'unit', to: 'e/moved', units: 5 })
  const counts = (await run('moved', 'e', 5)).map(({ counts: { rows, columns } }) => [rows, columns])
  expect(counts).toEqual([
    [4, 7],
    [3, 7],
    [3, 7],
    [0, 7],
    [0, 7],
  ])
})

test('a select joins folders, and writes rows that a later select reads', async () => {
  await run('rows', 'f', 3)
  await engine.select({
    sql: `select least(a.n, b.n) as low, greatest(a.n, b.n) as high, bit_xor(b.n) as mixed
      from a join b on a.unit = b.unit where a.n < 3 group by all`,
    folders: { a: 'f/written', b: 'f/written' },
    to: 'f/pairs',
  })
  const rows = await engine.select({
    sql: 'select low, count(*) as n, max(high) as highest, sum(mixed) as mixed from pairs group by low order by low',
    folders: { pairs: 'f/pairs' },
  })
  expect(rows).toEqual([
    { low: 0n, n: 10n, highest: 27n, mixed: 135n },
    { low: 1n, n: 10n, highest: 28n, mixed: 145n },
    { low: 2n, n: 10n, highest: 29n, mixed: 155n },
  ])
})

test('a row of an unknown unit fails the exchange by the number of the unit', async () => {
  await run('rows', 'g', 1)
  await expect(engine.exchange({ from: 'g/written', by: 'unit', to: 'g/moved', units: 2 })).rejects.toEqual(
    failed(/^exchange of g\/written to g\/moved: .*names the unit 2, but the units are 0 to 1/),
  )
})

test.each([
  ['without-counts', /^stage without-counts: unit 1 came back without counts/],
  ['twice', /^stage twice: unit 1 came back twice/],
  ['never', /^stage never: unit 1 did not come back/],
  ['garbage', /^stage garbage: a line is not the result of a unit: "no result"/],
  [
    'fails',
    /^stage fails: unit 1 failed every time: its process ended with status 1: the model of the plan is another one$/,
  ],
])('the stage %s fails by its unit', async (name, message) => {
  await expect(run(name, 'h', 3)).rejects.toEqual(failed(message))
})

test('a folder that does not exist fails by its name', async () => {
  await expect(engine.select({ sql: 'select 1 from t', folders: { t: 'nowhere' } })).rejects.toEqual(
    failed(/^select: Spark: \[PATH_NOT_FOUND\].*nowhere/),
  )
})

test('a unit whose process is killed runs again', async () => {
  const results = await run('killed-once', 'i', 3)
  expect(results.map(({ counts }) => counts['rows'])).toEqual([10, 10, 10])
  expect((await readdir(join(work, 'i', 'written'))).filter((name) => !name.startsWith('_')).sort()).toEqual([
    'from-0.parquet',
    'from-1.parquet',
    'from-2.parquet',
  ])
})

test('units of a worker that is killed run on another worker', async () => {
  const running = run('waits', 'j', 4)
  expect(await started('j', 2)).toHaveLength(2)
  await worker.kill()
  await writeFile(join(work, 'j', 'go'), '')
  expect(await running).toEqual([0, 1, 2, 3].map((unit) => ({ unit, counts: { rows: unit } })))
})

test('an abort interrupts the job: no further unit starts', async () => {
  const running = run('waits', 'k', 4)
  const rejected = expect(running).rejects.toBe('SIGINT')
  await started('k', 1)
  stop.abort('SIGINT')
  await rejected
  await writeFile(join(work, 'k', 'go'), '')
  await engine.close()
  isClosed = true
  expect(await readdir(join(work, 'k'))).toEqual(['go', 'started-0'])
})
