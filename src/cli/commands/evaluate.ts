import { parseArgs } from 'node:util'
import { access } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { type Figures, evaluateCrosswalk } from '../../link/evaluate.ts'
import type { CommandIo } from '../io.ts'
import { readWarehouse } from '../read-warehouse.ts'

export const summary = 'compares the person ids with a truth file'
export const usage = 'platbook evaluate --truth FILE [--data DIR] [--json]'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: { truth: { type: 'string' }, data: { type: 'string' }, json: { type: 'boolean' } },
  })
  const { truth } = values
  if (truth === undefined) throw new AppError('bad_usage', `evaluate needs --truth FILE\nusage: ${usage}`)
  await access(truth).catch((cause: unknown) => {
    throw new AppError('bad_usage', `there is no truth file ${truth}`, { cause })
  })
  const found = await readWarehouse(io.config, (db) => evaluateCrosswalk(db, truth))
  if (values.json === true) {
    io.out(JSON.stringify(found))
    return 0
  }
  io.out(`${found.records} records compared, ${found.missing} of the truth are no mention`)
  io.out(line('pairwise', found.pairwise))
  io.out(line('B³', found.bCubed))
  io.out(`${found.split} true people became several, ${found.merged} people are of several true ones`)
  return 0
}

function line(name: string, { precision, recall, f1 }: Figures): string {
  return `${name.padEnd(10)} precision ${precision.toFixed(4)}  recall ${recall.toFixed(4)}  F1 ${f1.toFixed(4)}`
}
