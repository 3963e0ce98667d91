import { join } from 'node:path'
import { expect, test } from 'vitest'
import { explainBestPair, pathBetween, waterfall } from '../../src/link/explain/explain.ts'
import { linkAllRecords } from '../../src/link/run.ts'
import { driftBetween, readModel, saveModel } from '../../src/link/model/model-file.ts'
import { createRecordTables } from '../support/linkage.ts'
import { blockParts } from '../../src/link/block/block-parts.ts'
import { joinedEdges } from '../../src/link/cluster/edges.ts'
import { randomPairs, shuffled } from '../../src/link/model/draw-pairs.ts'
import { candidatePatterns, patternsOf } from '../../src/link/model/count-patterns.ts'
import { BLOCK_BY_RULES, RULE_COUNT } from '../../src/link/block/blocking.ts'
import { FIND_EDGES } from '../../src/link/score/score.ts'
import { type Amount, LinkThreads } from '../../src/link/threads/threads.ts'
import { levelWeights } from '../../src/link/model/weights.ts'
import { withFolder } from '../support/folder.ts'
import { given, rowsOf, withWarehouse } from '../support/warehouse.ts'
import { type MentionRow, randomMentions } from './records/random-mentions.ts'

const TODAY = '2026-01-01'

test('the same records give the same model, edges and clusters, to the last bit, whatever order they stand in', async () => {
  const rows = randomMentions(11).take(200)
  expect(await linked(rows.toReversed())).toEqual(await linked(rows))
})

test('three threads find the blocks, the patterns and the edges that one does, to the last bit', async () => {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', randomMentions(12).take(300))
    const { records, blocks, frequencies, model } = await linkAllRecords(db, { threads: 1, today: TODAY })
    const found = async (count: number): Promise<unknown> => {
      const threads = new LinkThreads(count, 0)
      const input = { records, blocks, frequencies }
      const weights = levelWeights(model, records.attributes)
      const amount = (units: number): Amount => ({ units, records: records.count })
      const toBlock = { parts: blockParts(records), limit: 7 }
      const rules = await threads.run(BLOCK_BY_RULES, toBlock, amount(RULE_COUNT))
      const patterns = await candidatePatterns({ ...input, shift: 0 }, threads)
      const random = await patternsOf(randomPairs(records, shuffled(records)), records, threads)
      const edges = await threads.run(FIND_EDGES, { ...input, weights }, amount(records.count))
      await threads.close()
      return {
        rules: rules.flat().sort((a, b) => a.rule - b.rule),
        patterns,
        random,
        edges: joinedEdges(edges.flatMap((part) => part.edges)),
      }
    }
    expect(await found(3)).toEqual(await found(1))
  })
})

test('an explanation adds up to the weight of the edge, and the path leads from one to the other', async () => {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', randomMentions(5).take(150))
    const { model } = await linkAllRecords(db, { threads: 1, today: TODAY })
    const [edge] = await rowsOf(
      db,
      `select l.record_id as a, r.record_id as b, bits from link.pair_edges
      join link.coded_records as l on l.record_number = left_number
      join link.coded_records as r on r.record_number = right_number order by bits desc, a, b limit 1`,
    )
    const [a, b] = [String(edge!['a']), String(edge!['b'])]
    const explained = await explainBestPair(db, model, [a], [b])
    expect(explained.bits).toBe(edge!['bits'])
    expect(explained.terms.reduce((sum, { bits }) => sum + bits, 0)).toBeCloseTo(explained.bits, 9)
    expect(explained.keys.length).toBeGreaterThan(0)
    expect(waterfall(explained).at(-1)).toMatch(/^sum .* probability /)
    const path = await pathBetween(db, b, a)
    expect(path.at(0)?.left_id).toBe(b)
    expect(path.at(-1)?.right_id).toBe(a)
    await expect(explainBestPair(db, model, [a], ['nobody'])).rejects.toMatchObject({ code: 'unknown_id' })
  })
})

test('a model comes back from its file as it went, and says where fresh training would differ', async () => {
  await withFolder(async (folder) => {
    await withWarehouse(async (db) => {
      await createRecordTables(db)
      await given(db, 'link.records', randomMentions(8).take(150))
      const { model } = await linkAllRecords(db, { threads: 1, today: TODAY })
      const counts = await rowsOf(db, 'from link.term_counts order by all')
      const file = join(folder, 'models', 'link-model.json')
      expect(await readModel(db, file)).toBeUndefined()
      await saveModel(db, file, model)
      await db.run('drop table link.term_counts')
      expect(await readModel(db, file)).toEqual(model)
      expect(await rowsOf(db, 'from link.term_counts order by all')).toEqual(counts)
      expect(driftBetween(model, model)).toEqual([])
      const other = structuredClone(model)
      other.comparisons[2]!.levels[0]!.m /= 4
      expect(driftBetween(model, other)).toMatchObject([{ comparison: 'last_name', level: 'exact' }])
    })
  })
})

test('how strangers agree has drifted where chance does not explain it', async () => {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', randomMentions(8).take(150))
    const { model } = await linkAllRecords(db, { threads: 1, today: TODAY })
    const other = structuredClone(model)
    const [was, now] = [model, other].map(
      ({ comparisons }) => comparisons.find(({ comparison }) => comparison === 'last_name')!.levels[3]!,
    )
    now!.u *= 2
    const drift = [
      {
        comparison: 'last_name',
        level: 'near',
        fresh: expect.closeTo(Math.log2(now!.m / now!.u), 9) as number,
      },
    ]
    const u = was!.u
    // The difference is u: it is told when three errors of both models together are less.
    for (const [one, another, found] of [
      [u / 10, u / 10, drift],
      [u / 3, u / 3, []],
      [0, u / 4, drift],
      [0, u / 2, []],
      // A model of before tells no error: it was learned as the other was.
      [undefined, u / 3, []],
      [undefined, undefined, drift],
    ] as const) {
      was!.u_error = one
      now!.u_error = another
      expect(driftBetween(model, other)).toMatchObject(found)
    }
  })
})

async function linked(order: MentionRow[]): Promise<unknown> {
  return withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', order)
    const { model, edges, clusters } = await linkAllRecords(db, { threads: 1, today: TODAY })
    return { model, left: [...edges.left], bits: [...edges.bits], smallest: [...clusters.smallest] }
  })
}
