import { expect, test } from 'vitest'
import { mutantsOf } from './mutants.ts'

/** The sources that the mutants of `source` give. */
function mutated(source: string): string[] {
  return mutantsOf(source).map(
    ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
  )
}

test('each mutant changes one operator, condition, number, boolean or call', () => {
  expect(mutated('const late: boolean = age as number > 3')).toEqual([
    'const late: boolean = age as number >= 3',
    'const late: boolean = age as number > 4',
  ])
  expect(mutated('if (ready) await start(true)')).toEqual([
    'if (!(ready)) await start(true)',
    'if (ready) ;',
    'if (ready) await start(false)',
  ])
})

test('sums of texts and log lines give no mutants', () => {
  expect(mutated('log.info({ rows }, `a` + b)')).toEqual([])
})
