import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../src/cli/commands/generate.ts'
import type { CommandIo } from '../../../src/cli/io.ts'
import { loadConfig } from '../../../src/config.ts'
import { withFolder } from '../../support/folder.ts'

function io(lines: string[]): CommandIo {
  return {
    config: loadConfig({}),
    out: (line) => void lines.push(line),
    err() {},
    isTerminal: false,
    now: () => new Date(0),
    signal: new AbortController().signal,
  }
}

test('generate writes both days and the truth, and says what it made', async () => {
  await withFolder(async (folder) => {
    const said: string[] = []
    const truth = join(folder, 'truth.csv')
    const code = await run(
      ['--people', '300', '--counties', '12011,48201', '--out', folder, '--truth', truth],
      io(said),
    )
    expect(code).toBe(0)
    expect(readdirSync(folder).sort()).toEqual(['day-1', 'day-2', 'truth.csv', 'truth.day-1.csv'])
    expect(said).toEqual([expect.stringMatching(/^300 people, \d+ parcels, \d+ deeds in /)])
  })
})

test.each([
  [['--out', 'x'], /generate needs --people and --out/],
  [['--people', 'many', '--out', 'x'], /--people takes a whole number from 100 to 5000000, not 'many'/],
  [['--people', '300', '--days', '3', '--out', 'x'], /--days takes a whole number from 1 to 2, not '3'/],
  [['--people', '300', '--counties', '06037', '--out', 'x'], /county 06037/],
])('generate %j is refused before anything is written', async (argv, message) => {
  await expect(run(argv, io([]))).rejects.toThrow(message)
})
