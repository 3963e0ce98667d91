import type { RunFolder } from '../run-folder.ts'
import type { Stage } from '../stage.ts'
import { clusters } from './clusters.ts'
import { readLinkPlan } from './link-plan.ts'
import { pairs } from './pairs.ts'
import { routes } from './routes.ts'

const LINK_STAGES = { routes, pairs, clusters } as const

export type LinkStage = keyof typeof LINK_STAGES

/** Prepares a stage of a link run. @throws `stage_failed` when other code made the plan of the run */
export async function openLinkStage(name: LinkStage, folder: RunFolder): Promise<Stage> {
  return LINK_STAGES[name](folder, await readLinkPlan(folder))
}
