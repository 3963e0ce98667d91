import type { CommandIo } from '../io.ts'
import { runSteps } from './nightly.ts'

export const summary = 'normalises and links what is loaded; --train learns the link model anew'
export const usage =
  'platbook link [--data DIR] [--sources DIR] [--full] [--train [--accept]] [--json]\n\n--train learns the link model anew. A model that fails its checks is not used; --accept uses it all the same.'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  return runSteps(argv, io, ['link'])
}
