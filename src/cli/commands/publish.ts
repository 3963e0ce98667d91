import type { CommandIo } from '../io.ts'
import { runSteps } from './nightly.ts'

export const summary = 'builds the published tables from the linked records and publishes a snapshot of them'
export const usage = 'platbook publish [--data DIR] [--sources DIR] [--full] [--json]'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  return runSteps(argv, io, ['publish'])
}
