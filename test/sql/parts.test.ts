import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadModels, loadTextQueries } from '../../src/warehouse/models.ts'
import { readPartition } from '../../src/warehouse/partition.ts'
import { createPart, differences, type Divided, inParts } from '../support/parts.ts'
import { randomStaging } from '../support/random-staging.ts'
import { afterBothNights } from '../support/sample-nights.ts'
import { withPublished } from '../support/staged-world.ts'
import { withWarehouse } from '../support/warehouse.ts'

const PARTS = 7
/** These tests build about 48 models eight times. */
const LONG = { timeout: 240_000 }
const SAME = { missing: [], added: [] }

test('each model gives the same rows whole and in parts, on the sample', LONG, async () => {
  const warehouse = join(await afterBothNights(), 'warehouse/warehouse.duckdb')
  await withWarehouse(async (db) => {
    await db.run(`attach '${warehouse}' as sample (read_only)`)
    await createPart(db)
    for (const model of await loadModels()) {
      await inParts(db, 'sample', model, PARTS)
      expect(await differences(db), model.name).toEqual(SAME)
    }
    // A text may be in several parts, so it counts once.
    for (const query of await loadTextQueries()) {
      await inParts(db, 'sample', query, PARTS)
      await db.run('create or replace temp table parts as select distinct * from temp.parts')
      expect(await differences(db), query.name).toEqual(SAME)
    }
  })
})

test('each model gives the same rows whole and in parts, on random small worlds', LONG, async () => {
  const models = await loadModels()
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 2, max: 9 }), async (seed, parts) => {
      await withPublished(randomStaging(seed, 60), async (db) => {
        await createPart(db)
        for (const model of models) {
          await inParts(db, 'memory', model, parts)
          expect(await differences(db), model.name).toEqual(SAME)
        }
      })
    }),
    { numRuns: 2 },
  )
})

test('a model whose header is wrong gives other rows in parts', async () => {
  const models = await loadModels()
  const withHeader = (name: string, lines: string): Divided => {
    const { select, reads, file } = models.find((model) => model.name === name)!
    return { name, select, partition: readPartition(lines, reads, file) }
  }
  const mentions = '--   normal.person_mentions: mention_key in mention_key of link.person_mentions\n'
  const wrong = [
    withHeader('published.person_phones', `-- by: person_id\n--   published.phones: whole\n${mentions}--   normal.newest_mentions: whole\n`),
    withHeader('published.person_addresses', `-- by: mention_key\n--   normal.parcels: whole\n--   normal.newest_mentions: whole\n`),
    withHeader('published.coverage', `-- by: record_key\n--   normal.person_mentions: mention_key\n`),
  ] // prettier-ignore
  await withPublished(randomStaging(1, 60), async (db) => {
    await createPart(db)
    for (const model of wrong) {
      await inParts(db, 'memory', model, PARTS)
      expect(await differences(db), model.name).not.toEqual(SAME)
    }
  })
})
