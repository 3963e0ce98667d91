import { parseArgs } from 'node:util'
import { AppError } from '../../errors.ts'
import { DEFAULT_COUNTIES } from '../../generate/counties.ts'
import { generate } from '../../generate/generate.ts'
import type { CommandIo } from '../io.ts'
import { wholeNumber } from '../whole-number.ts'

export const summary = 'generates invented people, parcels and deeds in the file layouts of the sources'
export const usage =
  'platbook generate --people N [--counties fips,…] [--seed S] --out DIR [--truth FILE] [--leads N] [--days 2]'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      people: { type: 'string' },
      counties: { type: 'string' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string' },
      truth: { type: 'string' },
      leads: { type: 'string', default: '0' },
      days: { type: 'string', default: '2' },
    },
  })
  if (values.people === undefined || values.out === undefined) {
    throw new AppError('bad_usage', `generate needs --people and --out\nusage: ${usage}`)
  }
  const days = wholeNumber('days', values.days, 1, 2)
  const world = await generate({
    people: wholeNumber('people', values.people, 100, 5_000_000),
    counties: values.counties?.split(',').map((fips) => fips.trim()) ?? DEFAULT_COUNTIES,
    seed: wholeNumber('seed', values.seed, 0, 4_294_967_295),
    out: values.out,
    truth: values.truth ?? null,
    leads: wholeNumber('leads', values.leads, 0, 100_000_000),
    days: days === 1 ? 1 : 2,
    signal: io.signal,
    progress: (step, seconds) => io.err(`${step.padEnd(16)} ${seconds.toFixed(1)} s`),
  })
  const { people, parcels, deeds } = world
  io.out(
    `${people.sex.length} people, ${parcels.kind.length} parcels, ${deeds.kind.length} deeds in ${values.out}`,
  )
  return 0
}
