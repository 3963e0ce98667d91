import { AppError } from '../errors.ts'
import type { LinkStage } from './link/link-stages.ts'
import type { RunFolder } from './run-folder.ts'
import type { Stage } from './stage.ts'

const LINK_STAGES: readonly LinkStage[] = ['routes', 'pairs', 'clusters']

/** The names of all stages, in the order in which a run uses them. */
export const STAGES: readonly string[] = [...LINK_STAGES, 'models']

/**
 * Prepares a stage for the run in `folder`. The stage `models` does one round of its plan.
 * @throws `bad_usage` for an unknown name, `stage_failed` when other code made the plan of the run
 */
export async function openStage(name: string, folder: RunFolder, round?: number): Promise<Stage> {
  // A run starts many processes, so each loads only the code of its stage.
  if (name === 'models') {
    const { openModelStage } = await import('./models/model-stage.ts')
    return openModelStage(folder, round)
  }
  const known = LINK_STAGES.find((stage) => stage === name)
  if (known === undefined)
    throw new AppError('bad_usage', `there is no stage '${name}': the stages are ${STAGES.join(', ')}`)
  const { openLinkStage } = await import('./link/link-stages.ts')
  return openLinkStage(known, folder)
}
