import { mkdir, symlink } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { run } from '../../../src/cli/commands/ingest.ts'
import { loadConfig } from '../../../src/config.ts'
import { landFile, rollSource } from '../../ingest/night.ts'
import { withFolder } from '../../support/folder.ts'

test('on a terminal a run prints its report and then, in plain text, the warnings that the report does not contain', async () => {
  await withFolder(async (folder) => {
    await landFile(folder, 'sources/roll.json', JSON.stringify(rollSource()))
    await landFile(folder, 'data/landing/roll_20250601.csv', 'CO,PARCEL,OWNER_NAME,VALUE\n')
    await mkdir(`${folder}/data/landing`, { recursive: true })
    await symlink('nowhere', `${folder}/data/landing/roll_20250602.csv`)
    const out: string[] = []
    const err: string[] = []
    const io = {
      config: loadConfig({ PLATBOOK_DATA: `${folder}/data` }),
      out: (line: string) => void out.push(line),
      err: (line: string) => void err.push(line),
      isTerminal: true,
      now: () => new Date('2025-07-01T03:00:00Z'),
      signal: new AbortController().signal,
    }
    expect(await run(['--sources', `${folder}/sources`], io)).toBe(3)
    expect(out.join('\n')).toMatch(/roll_20250601\.csv, line 1: column OWNER is missing/)
    expect(err.filter((line) => !/^ {2}\w+ +\d+ parts? /.test(line))).toEqual([
      '  note: the file was removed during the run, or is a broken link: roll_20250602.csv',
    ])
  })
})
