import type { CommandIo } from '../io.ts'
import { runSteps } from './nightly.ts'

export const summary = 'links the loaded records to people, after it normalizes what is new'
export const usage =
  'platbook link [--data DIR] [--sources DIR] [--full] [--train [--accept]] [--json]\n\n--full links all records again, also when nothing is new.\n--train trains a new link model. A model that fails its checks is not used; --accept uses it anyway.'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  return runSteps(argv, io, ['normalize', 'link'])
}
