import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { checkModel, clusterEvidence } from '../../../src/link/model/check-model.ts'
import { defaultModel } from '../../../src/link/model/default-model.ts'
import { comparisonsOf } from '../../../src/link/compare/levels.ts'
import { type FullRun, linkAll } from '../../../src/link/run.ts'
import { SLOT } from '../../../src/link/records/records.ts'
import type { LinkModel } from '../../../src/link/model/model.ts'
import { withThreads } from '../../../src/link/threads/threads.ts'
import { referenceRows } from '../../../src/normalize/reference.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { given, withWarehouse } from '../../support/warehouse.ts'
import { inventedRecords } from '../records/invented-records.ts'

const TODAY = '2026-01-01'

type Level = LinkModel['comparisons'][number]['levels'][number]

/** The same model with a level changed. */
function damaged(model: LinkModel, comparison: string, level: string, change: Partial<Level>): LinkModel {
  return {
    ...model,
    comparisons: model.comparisons.map((one) =>
      one.comparison === comparison
        ? { ...one, levels: one.levels.map((own) => (own.level === level ? { ...own, ...change } : own)) }
        : one,
    ),
  }
}

async function withRun(
  body: (run: FullRun, faults: (model: LinkModel, before?: LinkModel) => Promise<string[]>, db: DuckDBConnection) => Promise<void>, // prettier-ignore
): Promise<void> {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', inventedRecords(700))
    await withThreads(1, async (threads) => {
      const run = await linkAll(db, { threads: 1, today: TODAY }, threads)
      const faults = async (model: LinkModel, before?: LinkModel): Promise<string[]> =>
        (await checkModel({ ...run, model }, before, threads)).map(({ check, what }) => `${check}: ${what}`)
      await body(run, faults, db)
    })
  })
}

test('a good model passes, and every kind of damage is named with its figures', async () => {
  await withRun(async ({ model }, faults) => {
    expect(await faults(model)).toEqual([])
    expect(await faults(model, model)).toEqual([])
    // What namesakes look like when training takes them for one person.
    expect(await faults(damaged(model, 'birth_date', 'different', { m: 0.71 }))).toEqual([
      expect.stringMatching(/^contradiction: birth date differs in 71 % of the pairs of one person by this model; at most 30 % is plausible; among almost certain pairs of one person, [\d.]+ % differ$/), // prettier-ignore
    ])
    expect(await faults(damaged(model, 'last_name', 'different', { m: 0.66 }))).toEqual([
      expect.stringMatching(/^contradiction: last name differs in 66 %/),
    ])
    expect(await faults(damaged(model, 'birth_date', 'one_digit', { u: 1e-12 }))).toEqual([
      expect.stringMatching(/^order: birth date: the level 'one digit' has a match weight of \+\d\d\.\d, and 'exact', which agrees more, only \+[\d.]+$/), // prettier-ignore
    ])
    const many = { ...model, match_probability: 12 * model.match_probability }
    expect(await faults(many)).toEqual([expect.stringMatching(/^pairs: the model expects [\d.]+ pairs of one person per record, but the clusters contain 0\.\d+; a factor of at most 4 is/)]) // prettier-ignore
    const few = { ...model, match_probability: model.match_probability / 2 ** 40 }
    expect(await faults(few)).toEqual([expect.stringMatching(/^pairs:/), expect.stringMatching(/^anchors: the model takes [\d.]+ % of [\d,]+ pairs with an equal birth date or identifier/)]) // prettier-ignore
    // The model before found hardly anything among the same records.
    expect(await faults(model, few)).toEqual([
      expect.stringMatching(/^growth: the model takes 0\.\d+ pairs per record for one person, but the model of 2026-01-01 takes 0\.0\d among the same records; a factor of at most 2/), // prettier-ignore
    ])
    expect(await faults(model, { ...few, is_default: true })).toEqual([])
  })
})

test('the default model has weights for every level, is valid, and joins nobody wrongly', async () => {
  await withRun(async ({ records, model }, _, db) => {
    const shipped = defaultModel(records, model, TODAY)
    expect(shipped).toMatchObject({ is_default: true, attributes: model.attributes })
    for (const { comparison, levels } of shipped.comparisons) {
      expect(
        levels.reduce((sum, { m }) => sum + m, 0),
        comparison,
      ).toBeCloseTo(1, 6)
      for (const { level, m, u } of levels) expect([m > 0, u > 0 && u < 1], `${comparison} ${level}`).toEqual([true, true]) // prettier-ignore
      const [best, worst] = [levels[0]!, levels.at(-1)!]
      expect(Math.log2(best.m / best.u), comparison).toBeGreaterThan(0)
      expect(Math.log2(worst.m / worst.u), comparison).toBeLessThan(0)
    }
    await withThreads(1, async (threads) => {
      const run = await linkAll(db, { threads: 1, today: TODAY, model: shipped }, threads)
      const { clusters } = run
      const reader = await db.runAndReadAll('select record_id from link.coded_records order by record_number')
      const ids = reader.getColumns()[0]!.map(String)
      const [right, wrong] = [0, 1].map((other) => ids.filter((id, i) => clusters.smallest[i] !== i && Number(personOf(id) !== personOf(ids[clusters.smallest[i]!]!)) === other).length) // prettier-ignore
      expect([right! > 150, wrong]).toEqual([true, 0])
    })
  })
})

function personOf(id: string): string {
  return id.split('-')[0]!
}

test('every level of the default model is one that is compared', () => {
  const attributes = [{ kind: 'gender', isIdentifier: false }, { kind: 'employer', isIdentifier: false }, { kind: 'identifier', isIdentifier: true }, { kind: 'trait', isIdentifier: false }] // prettier-ignore
  const known = comparisonsOf(attributes).flatMap(({ name, levels }) => levels.map((level) => `${name} ${level.name}`)) // prettier-ignore
  const shipped = referenceRows('default-link-model.csv').map(
    ([comparison, level]) => `${comparison} ${level}`,
  )
  expect(shipped.filter((level) => !known.includes(level))).toEqual([])
})

test('birth dates of a cluster contradict each other by pairs; a missing part contradicts nothing', () => {
  const births = [
    date(1970, 3, 4),
    date(1970, 3, 4),
    date(1951, 11, 23),
    date(1980, 6, 7),
    date(1980, 0, 0),
    0,
  ]
  const records = { width: 16, count: births.length, rows: new Int32Array(16 * births.length) }
  births.forEach((birth, i) => (records.rows[16 * i + SLOT.birth] = birth))
  // Three records of which one has another date; two, of which one has only a year; one alone.
  expect(clusterEvidence(records, Int32Array.of(0, 0, 0, 3, 3, 5))).toEqual({
    foundPairs: 4,
    datedClusters: 1,
    contradicting: 2 / 3,
  })
})

function date(year: number, month: number, day: number): number {
  return year * 512 + month * 32 + day
}
