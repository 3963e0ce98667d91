import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { linkInUnits } from '../../../src/cluster/link/link-in-units.ts'
import { openStage } from '../../../src/cluster/stages.ts'
import { linkAllRecords } from '../../../src/link/run.ts'
import { createRecordTables } from '../../support/linkage.ts'
import { given, withWarehouse } from '../../support/warehouse.ts'
import { randomMentions } from '../../link/records/random-mentions.ts'
import { withLocalEngine } from '../support.ts'

test('a stage refuses another model than that of the plan, and other code', async () => {
  await withWarehouse(async (db) => {
    await createRecordTables(db)
    await given(db, 'link.records', randomMentions(8).take(30))
    const { model } = await linkAllRecords(db, { threads: 1, today: '2026-01-01' })
    await withLocalEngine(async (engine, folder) => {
      await linkInUnits(db, model, { engine, folder, units: 2 })
      await expect(openStage('pairs', folder)).resolves.toBeTypeOf('function')

      const modelFile = folder.pathOf('link-model.json')
      const written = await readFile(modelFile, 'utf8')
      await writeFile(modelFile, written.replace('"block_limit":', '"block_limit":1'))
      await expect(openStage('pairs', folder)).rejects.toMatchObject({ code: 'stage_failed' })
      await writeFile(modelFile, written)

      const planFile = folder.pathOf('link-plan.json')
      const plan = JSON.parse(await readFile(planFile, 'utf8')) as Record<string, unknown>
      await writeFile(planFile, JSON.stringify({ ...plan, code: 'another version' }))
      await expect(openStage('pairs', folder)).rejects.toThrow('another version of Platbook')
    })
  })
})

test('a folder without a run, and an unknown stage, are errors', async () => {
  await withLocalEngine(async (_engine, folder) => {
    await expect(openStage('pairs', folder)).rejects.toThrow('link-plan.json cannot be read')
    await expect(openStage('pears', folder)).rejects.toThrow("there is no stage 'pears'")
  })
})
