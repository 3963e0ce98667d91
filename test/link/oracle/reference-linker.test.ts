import type { DuckDBConnection } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { blockParts } from '../../../src/link/block/block-parts.ts'
import { joinedBlocks, RULE_COUNT, ruleBlocks } from '../../../src/link/block/blocking.ts'
import { PairFinder } from '../../../src/link/block/candidates.ts'
import { PairComparer } from '../../../src/link/compare/compare.ts'
import { comparisonsOf } from '../../../src/link/compare/levels.ts'
import { applyModel } from '../../../src/link/model/applied-model.ts'
import { birthCounts, birthsOf, countBirthPairs } from '../../../src/link/model/birth-pairs.ts'
import { countCandidates, countPairs } from '../../../src/link/model/count-patterns.ts'
import { namesakePairs, randomPairs, shuffled, totalPairs } from '../../../src/link/model/draw-pairs.ts'
import { mergedPatterns } from '../../../src/link/model/patterns.ts'
import { loadTerms } from '../../../src/link/model/stored-terms.ts'
import { estimate } from '../../../src/link/model/train.ts'
import { resetCoding } from '../../../src/link/records/coding.ts'
import { readRecords } from '../../../src/link/records/read-records.ts'
import { linkAllRecords } from '../../../src/link/run.ts'
import { explainScore, pairScorer } from '../../../src/link/score/score-pair.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { given, rowsOf, withWarehouse } from '../../support/warehouse.ts'
import { type MentionRow, randomMentions } from '../records/random-mentions.ts'
import { randomPeople } from './random-people.ts'
import { makeLevels, referenceLevels } from './reference-levels.ts'
import { referencePairs } from './reference-linker.ts'
import { referenceTraining } from './reference-training.ts'
import { makeScores, referenceEdges, referencePatterns, referenceTerms } from './reference-weights.ts'

// With so low a limit, nearly every rule splits a block.
const LIMIT = 7
const TODAY = '2026-01-01'

test.each([
  ['dense records 1', randomMentions(1).take(200)],
  ['dense records 2', randomMentions(2).take(200)],
  ['random people', randomPeople(3, 200)],
])('%s: the linker finds the candidate pairs of a second one in SQL', async (_name, rows) => {
  await withRecords(rows, async (db) => {
    const { records, ids } = await readAll(db)
    const parts = blockParts(records)
    const blocks = Array.from({ length: RULE_COUNT }, (_, rule) => ruleBlocks({ parts, limit: LIMIT }, rule))
    const finder = new PairFinder(records, joinedBlocks(blocks, records.count))
    const pairs = ids.flatMap((_, i) =>
      [...finder.candidates.subarray(0, finder.find(i))].map((j) => pairOf(ids, i, j)),
    )
    const expected = await referencePairs(db, LIMIT)
    expect(expected.length).toBeGreaterThan(1000)
    expect(difference(pairs, expected)).toEqual([])
  })
})

test('the linker finds the levels of a second one in SQL, and all levels occur', async () => {
  await withRecords(randomPeople(1, 110), async (db) => {
    const { records, ids } = await readAll(db)
    const comparer = new PairComparer(records)
    const comparisons = comparisonsOf(records.attributes)
    const found: string[] = []
    for (const [i, j] of everyTwo(records.count)) {
      comparer.compare(i, j)
      comparisons.forEach(({ name, levels }, c) => {
        const level = comparer.levels[c]!
        if (level !== 0) found.push(`${pairOf(ids, i, j)} ${name} ${levels[level - 1]!.name}`)
      })
    }
    await makeLevels(db)
    expect(difference(found, await referenceLevels(db))).toEqual([])
    const seen = new Set(found.map((line) => line.split(' ').slice(2).join(' ')))
    const all = comparisons.flatMap(({ name, levels }) => levels.map((level) => `${name} ${level.name}`))
    // The only trait with a typo is an employer.
    expect(difference([...seen], all)).toEqual(['gender near', 'birthplace near'])
  })
})

test('the linker gives every pair the terms, pattern, match weight and edge of a second one in SQL', async () => {
  await withRecords(randomPeople(2, 80), async (db) => {
    const { model: trained } = await linkAllRecords(db, { threads: 1, today: TODAY })
    const repeats = [
      { comparison: 'employer', of: 'place', agreement: 0.6 },
      { comparison: 'birthplace', of: 'employer', agreement: 0.9 },
    ]
    // The high prior gives enough edges.
    const model = { ...trained, repeats, match_probability: 0.2, block_limit: LIMIT }
    const { records, blocks, frequencies } = await linkAllRecords(db, { threads: 1, today: TODAY, model })
    const ids = await idsOf(db)
    await makeLevels(db)
    await makeScores(db, model)
    const comparisons = comparisonsOf(model.attributes)
    const expected = await referenceTerms(db)
    const scorer = pairScorer(applyModel(records, await loadTerms(db, model), model))
    const wrong: string[] = []
    for (const [i, j] of everyTwo(records.count)) {
      const found = termsOf(explainScore(i, j, scorer))
      const pair = pairOf(ids, i, j)
      for (const [term, bits] of expected.get(pair)!) {
        // The linker keeps frequency weights as 32-bit numbers.
        const error = Math.abs((found.get(term) ?? Number.NaN) - bits)
        if (!(error < 1e-4)) wrong.push(`${pair} ${term}: ${found.get(term)}, not ${bits}`)
        found.delete(term)
      }
      wrong.push(...[...found.keys()].map((term) => `${pair} ${term}: not expected`))
    }
    expect(wrong).toEqual([])

    await referencePairs(db, LIMIT)
    const counts = countCandidates({ records, blocks, frequencies, shift: 0 }, once(records.count))
    const counted = mergedPatterns([counts]).map(({ count, levels, frequency, sharedFrequency }) => {
      const names = comparisons.flatMap(({ name, levels: all }, c) => {
        const level = levels[c]!
        return level === 0 ? [] : [`${name} ${all[level - 1]!.name}`]
      })
      return [count, frequency, sharedFrequency, ...names].join(', ')
    })
    expect(difference(counted, await referencePatterns(db))).toEqual([])

    const edges = await referenceEdges(db)
    const stored = await rowsOf(
      db,
      `select least(l.record_id, r.record_id) || ' ' || greatest(l.record_id, r.record_id) as pair, bits from link.pair_edges
      join link.coded_records as l on l.record_number = left_number join link.coded_records as r on r.record_number = right_number`,
    )

    expect(stored.length).toBeGreaterThan(50)
    expect(difference(stored.map(({ pair }) => String(pair)), [...edges.keys()])).toEqual([]) // prettier-ignore
    for (const { pair, bits } of stored) expect(edges.get(String(pair))).toBeCloseTo(Number(bits), 4)
  })
})

test('training ends with the m, u and priors that expectation maximisation in SQL ends with', async () => {
  const rows = randomPeople(3, 40)
  // Half of the people have a second record.
  const more = rows
    .slice(0, 30)
    .map((row) => ({ ...row, record_id: `${String(row['record_id'])}b`, emails: [] }))
  await withRecords([...rows, ...more], async (db) => {
    const { model, records, blocks, frequencies } = await linkAllRecords(db, { threads: 1, today: TODAY })
    const order = shuffled(records)
    const births = birthsOf(records, order)
    const [drawn, namesakes] = [randomPairs(records, order), namesakePairs(records, order)]
    const input = {
      attributes: records.attributes,
      candidates: mergedPatterns([countCandidates({ records, blocks, frequencies, shift: 0 }, once(records.count))]), // prettier-ignore
      candidateScale: 2,
      random: mergedPatterns([countPairs({ records, pairs: drawn }, once(drawn.left.length))]),
      births: birthCounts(births, [countBirthPairs(births, once(births.dates.length))]),
      namesakes: mergedPatterns([countPairs({ records, pairs: namesakes, frequencies }, once(namesakes.left.length))]), // prettier-ignore
      // As if the random pairs were half of all pairs.
      totalPairs: 2 * totalPairs(records),
      recordCount: records.count,
      agreements: model.agreements,
    }
    const learned = estimate(input)
    const found = new Map<string, number>([
      ['match', learned.match_probability],
      ['household', learned.household_probability],
    ])
    for (const { comparison, levels } of learned.comparisons) {
      for (const { level, m, u, household, u_by_names: byNames } of levels) {
        const values = { m, differ: u, h: household, ...byNames }
        for (const [kind, value] of Object.entries(values))
          if (value !== null) found.set(`${kind} ${comparison} ${level}`, value)
      }
    }
    const { rounds, values } = await referenceTraining(db, input)
    expect(rounds).toBeGreaterThan(5)
    const wrong = [...found].filter(([key, value]) => !(Math.abs(value / values.get(key)! - 1) < 1e-6))
    expect(wrong.map(([key, value]) => `${key}: ${value}, not ${values.get(key)}`)).toEqual([])
  })
})

/** Calls `body` with a warehouse that has these rows as `link.records`. */
async function withRecords(rows: MentionRow[], body: (db: DuckDBConnection) => Promise<void>): Promise<void> {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', rows)
    await db.run(`insert into link.source_traits values ('voters', true, false), ('contacts', false, true)`)
    await body(db)
  })
}

async function readAll(db: DuckDBConnection) {
  await resetCoding(db)
  const records = await readRecords(db, { from: 'link.records', first: 0, attributes: undefined })
  return { records, ids: await idsOf(db) }
}

/** Returns the record ids by record number. */
async function idsOf(db: DuckDBConnection): Promise<string[]> {
  const rows = await rowsOf(db, 'select record_id from link.coded_records order by record_number')
  return rows.map(({ record_id }) => String(record_id))
}

function pairOf(ids: readonly string[], i: number, j: number): string {
  const [one, other] = [ids[i]!, ids[j]!]
  return one < other ? `${one} ${other}` : `${other} ${one}`
}

function* everyTwo(count: number): Generator<[number, number]> {
  for (let i = 0; i < count; i++) for (let j = 0; j < i; j++) yield [i, j]
}

/** Gives a thread all units of work. */
function once(units: number): () => [number, number] | undefined {
  let left: [number, number] | undefined = [0, units]
  return () => {
    const all = left
    left = undefined
    return all
  }
}

/** Returns the terms of a pair as `comparison level` and `comparison frequency`, and their sum as `sum`. */
function termsOf({ terms, bits: sum }: ReturnType<typeof explainScore>): Map<string, number> {
  const found = new Map([['sum', sum]])
  for (const { comparison, level, bits } of terms) {
    if (comparison === 'prior' || comparison === 'household') continue
    const key = `${comparison} ${level === 'repeats another agreement' ? 'frequency' : level}`
    found.set(key, (found.get(key) ?? 0) + bits)
  }
  return found
}

/** Returns what only one of the two has. A comparison of whole arrays would take minutes to print. */
function difference(one: readonly string[], other: readonly string[]): string[] {
  const [left, right] = [new Set(one), new Set(other)]
  return [...one.filter((line) => !right.has(line)), ...other.filter((line) => !left.has(line))].slice(0, 40)
}
