import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseUnitResults } from '../../src/cluster/unit-results.ts'

const stage = { args: ['pairs', '--run', '/data/run'], units: 3 }
const line = (unit: number, counts: unknown = { rows: unit * 10 }): string => JSON.stringify({ unit, counts })
const failed = (message: RegExp) =>
  expect.objectContaining({ code: 'stage_failed', message: expect.stringMatching(message) as string })
const parse = (lines: readonly (string | null)[]) => () => parseUnitResults(stage, lines)

test('the results of all units come back in the order of the units, whatever the order of the lines', () => {
  const lines = [0, 1, 2, 3, 4, 5].map((unit) => line(unit))
  fc.assert(
    fc.property(fc.shuffledSubarray(lines, { minLength: lines.length }), (shuffled) => {
      const results = parseUnitResults({ ...stage, units: lines.length }, shuffled)
      expect(results).toEqual(lines.map((text) => JSON.parse(text) as unknown))
    }),
  )
})

test('a unit that does not come back fails the stage by its number', () => {
  expect(parse([line(0), line(2)])).toThrow(failed(/^stage pairs: unit 1 did not come back/))
})

test('units that do not come back are named up to five', () => {
  expect(() => parseUnitResults({ ...stage, units: 9 }, [line(1)])).toThrow(
    failed(/units 0, 2, 3, 4, 5 and 3 more did not come back/),
  )
})

test('a unit that comes back twice fails the stage by its number', () => {
  expect(parse([line(0), line(1), line(1), line(2)])).toThrow(failed(/unit 1 came back twice/))
})

test.each([[null], [''], ['  ']])('a lost line %j fails the stage by the unit that is missing', (lost) => {
  expect(parse([line(0), lost, line(2)])).toThrow(
    failed(/unit 1 did not come back .*1 lines came back empty/),
  )
})

test('a lost line besides the lines of all units fails the stage', () => {
  expect(parse([line(0), line(1), line(2), null])).toThrow(failed(/1 lines came back empty besides/))
})

test.each([[null], [undefined], [[]], [{ rows: -1 }], [{ rows: 0.5 }], [{ rows: '7' }]])(
  'a unit with the counts %j fails the stage by its number',
  (counts) => {
    const lines = [line(0), JSON.stringify({ unit: 1, counts }), line(2)]
    expect(parse(lines)).toThrow(failed(/unit 1 came back without counts/))
  },
)

test('a unit outside of the stage fails the stage', () => {
  expect(parse([line(0), line(1), line(2), line(3)])).toThrow(
    failed(/unit 3 came back, but the units are 0 to 2/),
  )
})

test('a line that is no result is shown, cut to 200 characters', () => {
  expect(parse([line(0), '{"unit":1,', line(2)])).toThrow(failed(/a line is not the result of a unit: "\{/))
  expect(parse([`warning ${'x'.repeat(5000)}`])).toThrow(failed(/^.{200,450}$/))
})
