import { mkdir, writeFile } from 'node:fs/promises'
import { DICTIONARY_TABLES } from '../../normalize/run/dictionaries.ts'
import { loadModels, loadTextQueries } from '../../warehouse/models.ts'
import { codeHash } from '../code-hash.ts'
import type { Engine } from '../engine.ts'
import { FinishedSteps } from '../finished-steps.ts'
import type { RunFolder } from '../run-folder.ts'
import { PLAN_FILE } from './model-stage.ts'
import { type PlannedDictionary, type PlannedQuery, planModels } from './plan-models.ts'

interface StepQueries {
  readonly models: readonly PlannedQuery[]
  readonly dictionaries: readonly PlannedDictionary[]
}

/** Returns what a step (`normalize`, `link` or `publish`) builds. */
async function queriesOf(step: string): Promise<StepQueries> {
  const models = (await loadModels()).filter((model) => model.step === step)
  const texts = step === 'normalize' ? await loadTextQueries() : []
  return {
    models,
    dictionaries: texts.map((query) => ({ ...query, tables: DICTIONARY_TABLES[query.name] ?? [] })),
  }
}

/** Returns the tables that a step reads and does not build. They must be in the run folder before it is built. */
export async function givenTables(step: string): Promise<string[]> {
  const { models, dictionaries } = await queriesOf(step)
  const built = new Set([...models.map(({ name }) => name), ...dictionaries.flatMap(({ tables }) => tables)])
  const reads = new Set([...models, ...dictionaries].flatMap((query) => query.reads))
  return [...reads].filter((table) => !built.has(table)).sort()
}

/**
 * Builds the tables of a step in units, from the tables in the run folder, into the run folder. Returns the number of rows
 * of each table. After a killed run it goes on with the round that did not finish.
 */
export async function buildInUnits(
  engine: Engine,
  folder: RunFolder,
  step: string,
  units: number,
): Promise<Map<string, number>> {
  const { models, dictionaries } = await queriesOf(step)
  const plan = planModels(models, dictionaries, units)
  await mkdir(folder.path, { recursive: true })
  await writeFile(folder.pathOf(PLAN_FILE), JSON.stringify({ code: await codeHash(), plan }), { flush: true })
  const steps = new FinishedSteps(folder)
  const rows = new Map<string, number>()
  for (const [round, { tasks, exchanges, unneeded }] of plan.rounds.entries()) {
    const counts = await steps.once(`${step}-${round}`, async () => {
      const args = ['models', '--round', String(round), '--run', folder.path]
      const results = await engine.run({ args, units })
      for (const exchange of exchanges) await engine.exchange(exchange)
      const sums: Record<string, number> = {}
      for (const result of results) {
        for (const [table, count] of Object.entries(result.counts)) sums[table] = (sums[table] ?? 0) + count
      }
      return sums
    })
    // A round that is not recorded is done again and needs its input, so folders are removed after it is recorded.
    for (const table of unneeded) await folder.clear(table)
    for (const task of tasks) {
      const tables = task.kind === 'build' ? [task.to] : task.kind === 'dictionary' ? task.tables : []
      for (const table of tables) rows.set(table, counts[table] ?? 0)
    }
  }
  return rows
}
