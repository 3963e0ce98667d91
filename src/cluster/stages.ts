import { AppError } from '../errors.ts'
import { clusters } from './link/clusters.ts'
import { readLinkPlan } from './link/link-plan.ts'
import { pairs } from './link/pairs.ts'
import { routes } from './link/routes.ts'
import { openModelStage } from './models/models-in-units.ts'
import type { RunFolder } from './run-folder.ts'
import type { Stage } from './stage.ts'

const LINK_STAGES = { routes, pairs, clusters } as const

/** The names of all stages, in the order in which a run uses them. */
export const STAGES = [...Object.keys(LINK_STAGES), 'models']

/**
 * Prepares a stage for the run in `folder`. The stage `models` does a round of its plan. @throws `bad_usage` for an unknown name, `stage_failed` when other code made
 * the plan of the run
 */
export async function openStage(name: string, folder: RunFolder, round?: number): Promise<Stage> {
  if (name === 'models') return openModelStage(folder, round)
  if (!Object.hasOwn(LINK_STAGES, name))
    throw new AppError('bad_usage', `there is no stage '${name}': the stages are ${STAGES.join(', ')}`)
  return LINK_STAGES[name as keyof typeof LINK_STAGES](folder, await readLinkPlan(folder))
}
