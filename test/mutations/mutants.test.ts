import { expect, test } from 'vitest'
import { mutantsOf, recording } from './mutants.ts'

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

test('a wait that grows by at most 1 % gives no mutant, everything else with such a name does', () => {
  expect(mutated('const POLL_MS = 1_000; open({ timeout: 5_000 })')).toEqual(['const POLL_MS = 1_000; ;'])
  expect(
    mutated('const x = { timeout: 0, query_timeout: 50, isWaiting: true, graceDays: 400, BUSY: 5 }'),
  ).toEqual([
    'const x = { timeout: 1, query_timeout: 50, isWaiting: true, graceDays: 400, BUSY: 5 }',
    'const x = { timeout: 0, query_timeout: 51, isWaiting: true, graceDays: 400, BUSY: 5 }',
    'const x = { timeout: 0, query_timeout: 50, isWaiting: false, graceDays: 400, BUSY: 5 }',
    'const x = { timeout: 0, query_timeout: 50, isWaiting: true, graceDays: 401, BUSY: 5 }',
    'const x = { timeout: 0, query_timeout: 50, isWaiting: true, graceDays: 400, BUSY: 6 }',
  ])
})

test('an expression is recorded once and keys of objects are left as they are', () => {
  const source = 'const x = { 504: a > 3 ? 1 : 2 }'
  expect(recording(source, mutantsOf(source), 7)).toBe(
    'const x = { 504: __reached(7)(__reached(8)(a > __reached(9)(3))) ? __reached(10)(1) : __reached(11)(2) }',
  )
})
