import { ENGINE_USAGE } from '../engine.ts'
import type { CommandIo } from '../io.ts'
import { runSteps } from './nightly.ts'

export const summary = 'links the loaded records to people, after it normalizes what is new'
export const usage = `platbook link [--data DIR] [--sources DIR] [--full] [--train [--accept]] [--engine NAME] [--json]

--full links all records again, also when nothing is new.
--train trains a new link model. A model that fails its checks is not used; --accept uses it anyway.
${ENGINE_USAGE}`

export async function run(argv: string[], io: CommandIo): Promise<number> {
  return runSteps(argv, io, ['normalize', 'link'])
}
