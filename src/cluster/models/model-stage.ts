import { readFile } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { codeHash } from '../code-hash.ts'
import type { RunFolder } from '../run-folder.ts'
import type { Stage } from '../stage.ts'
import { runModelTasks } from './model-units.ts'
import type { ModelPlan } from './plan-models.ts'

/** The file of a run folder that has the plan, and the hash of the code that made it. */
export const PLAN_FILE = 'model-plan.json'

/**
 * Opens the stage `models`: the tasks of a round of the plan in the run folder.
 * @throws `stage_failed` when other code made the plan
 */
export async function openModelStage(folder: RunFolder, round: number | undefined): Promise<Stage> {
  const path = folder.pathOf(PLAN_FILE)
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new AppError('stage_failed', `${path} cannot be read: give the folder of a run as --run`, { cause })
  })
  const { code, plan } = JSON.parse(text) as { code: string; plan: ModelPlan }
  if (code !== (await codeHash()))
    throw new AppError(
      'stage_failed',
      `${path} was made by another version of Platbook: install the same version on every machine`,
    )
  const planned = plan.rounds[round ?? -1]
  if (planned === undefined)
    throw new AppError('bad_usage', `give --round: the plan has the rounds 0 to ${plan.rounds.length - 1}`)
  return (unit) => runModelTasks(folder, planned.tasks, { unit, units: plan.units })
}
