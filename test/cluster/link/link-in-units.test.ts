import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { linkInUnits } from '../../../src/cluster/link/link-in-units.ts'
import { linkAllRecords } from '../../../src/link/run.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { given, withWarehouse } from '../../support/warehouse.ts'
import { randomPeople } from '../../link/oracle/random-people.ts'
import { type MentionRow, randomMentions } from '../../link/records/random-mentions.ts'
import { linkageOf, runHere, withLocalEngine } from '../support.ts'

const TODAY = '2026-01-01'
// Low enough that nearly every rule splits a block, and that a key with few records is giant.
const LIMIT = 7

interface World {
  readonly name: string
  readonly rows: readonly MentionRow[]
  readonly units: number
  readonly giantRecords: number
  readonly sampleRecords?: number
  readonly limit?: number
}

const WORLDS: readonly World[] = [
  { name: 'one unit', rows: randomMentions(1).take(150), units: 1, giantRecords: 1000 },
  { name: 'many giants', rows: randomMentions(2).take(150), units: 4, giantRecords: 8, limit: LIMIT },
  { name: 'more units than keys', rows: randomMentions(3).take(20), units: 17, giantRecords: 1000 },
  {
    name: 'keys that look giant in a sample',
    rows: randomMentions(9).take(150),
    units: 4,
    giantRecords: 8,
    sampleRecords: 15,
    limit: LIMIT,
  },
  { name: 'few giants', rows: randomPeople(4, 200), units: 7, giantRecords: 20, limit: LIMIT },
  { name: 'components above the size limit', rows: randomMentions(5).take(420), units: 3, giantRecords: 100 },
]

test.each(WORLDS)(
  'units give the edges, match weights and clusters of one run, to the last bit: $name',
  async ({ name, rows, units, giantRecords, sampleRecords, limit }) => {
    await withRecords(rows, async (db) => {
      const { model: learned } = await linkAllRecords(db, { threads: 1, today: TODAY })
      const model = { ...learned, block_limit: limit ?? learned.block_limit }
      await linkAllRecords(db, { threads: 1, today: TODAY, model })
      const expected = await linkageOf(db)
      const stages: string[] = []
      const { edges, cut } = await withLocalEngine(
        async (engine, folder) => {
          const linked = await linkInUnits(db, model, { engine, folder, units, giantRecords, sampleRecords })
          const { giants } = JSON.parse(await readFile(folder.pathOf('link-plan.json'), 'utf8')) as {
            giants: []
          }
          // The key that all records have is giant in a world above the block limit.
          expect(giants.length > 1).toBe(name.includes('giant'))
          return linked
        },
        async (folder, stage) => {
          stages.push(stage.args[0]!)
          return runHere(folder, stage)
        },
      )
      expect(await linkageOf(db)).toEqual(expected)
      expect(edges).toBeGreaterThan(0)
      expect(cut > 0).toBe(name === 'components above the size limit')
      expect(stages.filter((stage) => stage === 'routes').length).toBe(sampleRecords === undefined ? 1 : 2)
    })
  },
)

test('records without an edge are linked too', async () => {
  const rows = [
    { record_id: 'a', source_id: 'x', first_name: 'ANN', last_name: 'NOWAK' },
    { record_id: 'b', source_id: 'x', first_name: 'LUIS', last_name: 'GARCIA' },
  ]
  await withRecords(rows, async (db) => {
    const { model } = await linkAllRecords(db, { threads: 1, today: TODAY })
    const expected = await linkageOf(db)
    const found = await withLocalEngine(async (engine, folder) =>
      linkInUnits(db, model, { engine, folder, units: 2 }),
    )
    expect(found).toMatchObject({ edges: 0, cut: 0, rounds: 0 })
    expect(await linkageOf(db)).toEqual(expected)
  })
})

test('a run goes on after the stages that are finished', async () => {
  await withRecords(randomMentions(6).take(80), async (db) => {
    const { model } = await linkAllRecords(db, { threads: 1, today: TODAY })
    const expected = await linkageOf(db)
    const stages: string[] = []
    let isBroken = true
    await withLocalEngine(
      async (engine, folder) => {
        const run = async () => linkInUnits(db, model, { engine, folder, units: 3 })
        await expect(run()).rejects.toThrow('the machine is gone')
        expect(stages).toEqual(['routes', 'pairs', 'clusters'])
        isBroken = false
        await run()
      },
      async (folder, stage) => {
        stages.push(stage.args[0]!)
        if (isBroken && stage.args[0] === 'clusters') throw new Error('the machine is gone')
        return runHere(folder, stage)
      },
    )
    expect(stages).toEqual(['routes', 'pairs', 'clusters', 'clusters'])
    expect(await linkageOf(db)).toEqual(expected)
  })
})

test('a unit that runs again writes the same rows', async () => {
  await withRecords(randomMentions(7).take(80), async (db) => {
    const { model } = await linkAllRecords(db, { threads: 1, today: TODAY })
    const expected = await linkageOf(db)
    await withLocalEngine(
      async (engine, folder) => linkInUnits(db, model, { engine, folder, units: 3 }),
      async (folder, stage) => {
        await runHere(folder, stage)
        return runHere(folder, stage)
      },
    )
    expect(await linkageOf(db)).toEqual(expected)
  })
})

async function withRecords(
  rows: readonly MentionRow[],
  body: (db: Parameters<Parameters<typeof withWarehouse>[0]>[0]) => Promise<void>,
): Promise<void> {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', [...rows])
    await body(db)
  })
}
