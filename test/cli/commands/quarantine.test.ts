import { readFile, stat, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { landFile, rollSource } from '../../ingest/night.ts'
import { type Ended, runCommand } from '../../support/command.ts'
import { withFolder } from '../../support/folder.ts'

const HEADER = 'CO,PARCEL,OWNER,VALUE\n'
const ID = 'us/fl/invented.roll'

test('refused lines are shown, exported, corrected, replayed and discarded by commands', async () => {
  await withFolder(async (folder) => {
    const command = (...words: string[]): Promise<Ended> =>
      runCommand([...words, '--sources', `${folder}/sources`, '--data', folder])
    await landFile(folder, 'sources/roll.json', JSON.stringify({ ...rollSource(), id: ID }))
    const roll = `${HEADER}16,1,ANN,1\n16,2,JOHN "\u001b[2J" DOE,1\n16,3,EVE,1\n,4,BOB,1\n`
    await landFile(folder, 'landing/roll_20250601.csv', roll)
    expect(await command('quarantine', 'list')).toEqual({
      code: 1,
      stdout: '',
      stderr: `platbook: ${folder} contains no warehouse: \`platbook nightly\` builds it from the files in landing; --data names another folder\n`,
    })
    expect((await command('ingest')).code).toBe(0)
    const listed = await command('quarantine', 'list')
    expect(listed.code).toBe(0)
    expect(listed.stdout).toContain(`${ID}  2 refused: 2 waiting`)
    expect(listed.stdout).not.toContain('16,2')
    const shown = await command('quarantine', 'show', ID, '--line', '3')
    expect(shown.stdout.split('\n').slice(0, 8)).toEqual([
      `${ID}  roll_20250601.csv, line 3: a quote stands inside an unquoted field`,
      '  column  OWNER',
      expect.stringMatching(/^ {2}hint {4}put quotes around/),
      '         2 | 16,1,ANN,1',
      '>        3 | 16,2,JOHN "\\u001b[2J" DOE,1',
      '         4 | 16,3,EVE,1',
      '         5 | ,4,BOB,1',
      '',
    ])
    const to = `${folder}/exports`
    const quote = ['--reason', 'Unquoted field']
    expect(await command('quarantine', 'export', ID, '--to', to, ...quote)).toMatchObject({ code: 0 })
    const file = `${to}/1-roll_20250601.csv`
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const text = await readFile(file, 'utf8')
    expect(await command('quarantine', 'replay', file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /1-roll_20250601\.csv, line \d+ is refused again: a quote stands inside an unquoted field; column OWNER\n.*nothing was put into landing\n$/,
      ),
    })
    const split = text.replace(/JOHN.*DOE/, 'JOHN DOE')
    await writeFile(file, `${split.trimEnd()}\n16,9,JIM DOE,1\n`)
    expect(await command('quarantine', 'replay', file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/has 2 records, and 1 were exported: .*replay with --joined/),
    })
    expect(await command('quarantine', 'replay', file, '--joined')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^2 corrected records are in landing: corrections\/us-fl-invented-roll\//,
      ) as string,
    })
    // A correction that is replayed again before the next run replaces the first one.
    await writeFile(file, split)
    expect(await command('quarantine', 'replay', file)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^1 corrected record is in landing: corrections\/us-fl-invented-roll\//,
      ) as string,
    })
    await writeFile(file, `${split.trimEnd()}\n16,9,JIM DOE,1\n`)
    expect((await command('quarantine', 'replay', file, '--joined')).code).toBe(0)
    expect(await command('ingest')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 rows of 1 file\n') as string,
    })
    expect(await command('quarantine', 'replay', file)).toMatchObject({ code: 1, stdout: '' })
    expect(
      await command('quarantine', 'discard', ID, '--line', '5', '--why', 'no county', '--by', 'ann'),
    ).toMatchObject({
      code: 0,
      stdout: `${ID}  roll_20250601.csv: 1 line discarded\n`,
    })
    expect(await command('quarantine', 'discard', ID, '--line', '5', '--why', 'no county')).toMatchObject({
      code: 1,
      stderr: `no matching refused line of ${ID} is waiting; \`platbook quarantine list\` lists the waiting lines\n`,
    })
    const json = JSON.parse((await command('quarantine', 'list', '--json')).stdout) as unknown
    expect(json).toMatchObject({
      groups: [],
      sources: [{ source_id: ID, refused: 2, waiting: 0, replayed: 1, discarded: 1 }],
    })
    expect((await command('quarantine', 'discards')).stdout).toMatch(
      /ann +us\/fl\/invented\.roll +roll_20250601\.csv +1 +no county/,
    )
  })
}, 120_000)
