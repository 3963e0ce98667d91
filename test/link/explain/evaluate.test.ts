import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { evaluatePersonIds } from '../../../src/link/explain/evaluate.ts'
import { withFolder } from '../../support/folder.ts'
import { given, withWarehouse } from '../../support/warehouse.ts'

test('pairs and B³ of a crosswalk that splits one person, merges two, and lacks a record of a third', async () => {
  await withFolder(async (folder) => {
    const truth = join(folder, 'truth.csv')
    await writeFile(truth, 'record_id,cluster\na,1\nb,1\nc,1\nd,2\ne,3\nlost,3\n')
    await withWarehouse(async (db) => {
      // P1 {a b}, P2 {c d}, P3 {e}: of the true pairs ab ac bc e-lost one is found, and cd is wrong.
      await given(db, 'link.person_mentions', [
        { mention_key: 'a', person_id: 'P1' },
        { mention_key: 'b', person_id: 'P1' },
        { mention_key: 'c', person_id: 'P2' },
        { mention_key: 'd', person_id: 'P2' },
        { mention_key: 'e', person_id: 'P3' },
      ])
      const found = await evaluatePersonIds(db, truth)
      expect(found).toMatchObject({ records: 6, missing: 1, split: 2, merged: 1 })
      expect(found.pairwise.precision).toBeCloseTo(1 / 2)
      expect(found.pairwise.recall).toBeCloseTo(1 / 4)
      expect(found.bCubed.precision).toBeCloseTo((1 + 1 + 0.5 + 0.5 + 1 + 1) / 6)
      expect(found.bCubed.recall).toBeCloseTo((2 / 3 + 2 / 3 + 1 / 3 + 1 + 1 / 2 + 1 / 2) / 6)
    })
  })
})
