import type { CommandIo } from '../io.ts'
import { runSteps } from './nightly.ts'

export const summary = 'normalizes the names, addresses, phones and e-mails of the loaded files'
export const usage =
  'platbook normalize [--data DIR] [--sources DIR] [--full] [--json]\n\n--full normalizes all loaded files again, also when nothing is new.'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  return runSteps(argv, io, ['normalize'])
}
