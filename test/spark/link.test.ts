import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkInUnits } from '../../src/cluster/link/link-in-units.ts'
import { RunFolder } from '../../src/cluster/run-folder.ts'
import { openSparkEngine } from '../../src/cluster/spark/spark-engine.ts'
import { linkAllRecords } from '../../src/link/run.ts'
import { linkageOf, withLocalEngine } from '../cluster/support.ts'
import { randomPeople } from '../link/oracle/random-people.ts'
import { createRecordTables } from '../support/linkage.ts'
import { given, withWarehouse } from '../support/warehouse.ts'
import { installedSpark } from './install-spark.ts'
import { SMALL, type SparkCluster, startSparkCluster } from './spark-cluster.ts'

const TODAY = '2026-01-01'
/** Keys with more records are divided among units, and blocks with more than `LIMIT` are divided. */
const PARTS = { units: 4, giantRecords: 20 }
const LIMIT = 7

let folder: string
let sparkHome: string
let cluster: SparkCluster

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platbook-spark-'))
  sparkHome = await installedSpark()
  cluster = await startSparkCluster(sparkHome, folder)
  await cluster.addWorker()
  await cluster.addWorker()
})

afterAll(async () => {
  await cluster?.close()
  await rm(folder, { recursive: true, force: true })
})

test('Spark, units on one machine and the embedded run link equally; an interrupted run on Spark goes on', async () => {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', [...randomPeople(4, 200)])
    const { model: learned } = await linkAllRecords(db, { threads: 1, today: TODAY })
    const model = { ...learned, block_limit: LIMIT }
    await linkAllRecords(db, { threads: 1, today: TODAY, model })
    const expected = await linkageOf(db)
    expect(expected['edges']).not.toEqual([])

    await withLocalEngine(async (engine, run) => linkInUnits(db, model, { engine, folder: run, ...PARTS }))
    expect(await linkageOf(db)).toEqual(expected)

    const run = new RunFolder(join(folder, 'run'))
    await mkdir(run.path)
    const stages = new Set<string>()
    const linkOnSpark = async (signal: AbortSignal, onStep?: (step: string) => void) => {
      const engine = await openSparkEngine({
        cluster: { master: cluster.master, sparkHome, conf: SMALL },
        work: run.path,
        signal,
        onTasks: (step) => stages.add(step),
      })
      try {
        await linkInUnits(db, model, { engine, folder: run, onStep, ...PARTS })
      } finally {
        await engine.close()
      }
    }
    const stop = new AbortController()
    const interrupted = linkOnSpark(stop.signal, (step) => {
      if (step === 'pairs') stop.abort('SIGINT')
    })
    await expect(interrupted).rejects.toBe('SIGINT')
    expect([...stages]).toEqual(['stage routes', 'exchange of routed to to_pair', 'stage pairs'])

    stages.clear()
    await linkOnSpark(new AbortController().signal)
    expect(await linkageOf(db)).toEqual(expected)
    expect([...stages].filter((step) => step.startsWith('stage'))).toEqual(['stage clusters'])
  })
}, 600_000)
