import { expect, test } from 'vitest'
import { chosenEngine } from '../../src/cli/engine.ts'
import { loadConfig } from '../../src/config.ts'

const context = {
  config: loadConfig({}),
  signal: new AbortController().signal,
  progress: () => undefined,
}

test('without --engine, this process does everything', async () => {
  expect(await chosenEngine({}, context)).toEqual({})
})

test.each([
  [{ engine: 'flink' }, "there is no engine 'flink': --engine is embedded, units or spark"],
  [{ units: '4' }, '--units and --work need --engine units or --engine spark'],
  [{ spark: 'sc://a' }, '--spark and --master need --engine spark'],
  [{ engine: 'units', master: 'local[2]' }, '--spark and --master need --engine spark'],
  [{ engine: 'units', units: '0' }, '--units 0: give a number from 1 to 100000'],
  [{ engine: 'spark', spark: 'sc://a' }, '--engine spark needs --work DIR'],
  [{ engine: 'spark', work: '/data' }, '--engine spark needs either --spark sc://HOST:PORT'],
  [
    { engine: 'spark', work: '/data', spark: 'sc://a', master: 'local[2]' },
    '--engine spark needs either --spark sc://HOST:PORT',
  ],
])('the options %j are refused: %s', async (values, message) => {
  await expect(chosenEngine(values, context)).rejects.toMatchObject({
    code: 'bad_usage',
    message: expect.stringContaining(message) as string,
  })
})
