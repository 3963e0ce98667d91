import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { RunFolder } from '../../cluster/run-folder.ts'
import { openStage, STAGES } from '../../cluster/stages.ts'
import { AppError } from '../../errors.ts'
import type { CommandIo } from '../io.ts'

export const summary = 'runs a stage of a run in units; `nightly --engine` starts it'
export const usage = `platbook stage ${STAGES.join('|')} --run DIR [--round N]

Reads unit numbers from standard input, one a line. Prints a JSON object for each unit: its number, its counts, and the
most memory that the process has used.
--run is the folder of the run, which \`platbook nightly --engine units\` makes. The stage models needs --round: a round of its plan.`

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { run: { type: 'string' }, round: { type: 'string' } },
  })
  const [name, ...rest] = positionals
  if (name === undefined || rest.length > 0 || values.run === undefined)
    throw new AppError('bad_usage', `usage: ${usage}`)
  const round = values.round === undefined ? undefined : Number(values.round)
  const stage = await openStage(name, new RunFolder(values.run), round)
  try {
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === '') continue
      const unit = Number(line)
      if (!Number.isInteger(unit) || unit < 0)
        throw new AppError(
          'bad_usage',
          `'${line.slice(0, 80)}' on standard input is not the number of a unit`,
        )
      const counts = await stage(unit)
      io.out(JSON.stringify({ unit, counts: { ...counts, memory_mib: memoryMib() } }))
    }
  } finally {
    // An open standard input would keep the process running after an error.
    process.stdin.destroy()
  }
  return 0
}

function memoryMib(): number {
  return Math.ceil(process.resourceUsage().maxRSS / 1024)
}
