import type { CommandIo } from '../io.ts'
import { runSteps } from './nightly.ts'

export const summary = 'loads new files into the warehouse'
export const usage = 'platbook ingest [--data DIR] [--sources DIR] [--full] [--json]'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  return runSteps(argv, io, ['ingest'])
}
