import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SourceDefinition, SourceDefinitionInput } from '../../src/ingest/definition.ts'
import { exportLines, ExportNote, notePath } from '../../src/ingest/quarantine-export.ts'
import {
  type Discard,
  quarantineAccounts,
  quarantinedLines,
  quarantineGroups,
} from '../../src/ingest/quarantine.ts'
import { faultyColumn } from '../../src/ingest/refusal-hints.ts'
import { correctedFile, landCorrection, tryCorrection } from '../../src/ingest/replay.ts'
import { withFolder } from '../support/folder.ts'
import { withWarehouse } from '../support/warehouse.ts'
import { feedSource, type Night, rollSource, withFormat, withNight } from './night.ts'

const AT = '2025-07-01T03:00:00.000Z'
const HEADER = 'CO,PARCEL,OWNER,VALUE\r\n'

/** A roll of six good parcels and two lines that are refused: a stray quote, and no county. */
const ROLL =
  HEADER +
  [1, 2, 3].map((n) => `16,${n},OWNER ${n},1\r\n`).join('') +
  '16,4,JOHN "JACK" DOE,7\r\n' +
  '"16",5,"A ""B"", C",1\r\n' +
  ',6,NOBODY,1\r\n' +
  [7, 8].map((n) => `16,${n},OWNER ${n},1\r\n`).join('')

interface ExportedFile {
  readonly path: string
  readonly text: string
  readonly note: ExportNote
}

/** Exports the waiting lines of one landed file, and runs `body` on the export. */
async function withExport<T>(
  { db, landing }: Pick<Night, 'db' | 'landing'>,
  source: SourceDefinition,
  file: string,
  body: (exported: ExportedFile) => Promise<T>,
): Promise<T> {
  return await withFolder(async (folder) => {
    const lines = await quarantinedLines(db, [], { file }, ['waiting'], 100)
    const kind = source.files.find((each) => each.kind === lines[0]?.kind)
    if (kind === undefined) throw new Error(`nothing of ${file} waits`)
    const path = join(folder, 'export.csv')
    await exportLines({ lines, kind, landing, scratch: folder, target: path, isForced: false, at: AT })
    const note = ExportNote.parse(JSON.parse(await readFile(notePath(path), 'utf8')))
    return await body({ path, text: await readFile(path, 'latin1'), note })
  })
}

/** Replaces what waits of a landed file by `text`; resolves to the correction's name in landing. */
async function correct(night: Night, source: SourceDefinition, file: string, text: string): Promise<string> {
  return await withExport(night, source, file, async ({ path, note }) => {
    const found = await correctedFile(night.db, note)
    if (found === null) throw new Error(`${file} is not loaded`)
    await writeFile(path, text)
    return await landCorrection(path, note, found, night.landing)
  })
}

async function staged({ rows }: Night): Promise<unknown[]> {
  return (
    await rows(
      `select parcel_number, market_value_usd::integer as value, record_key, as_of_on
       from staging.parcels order by parcel_number, record_key`,
    )
  ).map((row) => Object.values(row))
}

async function account({ db }: Night, discards: readonly Discard[] = []): Promise<unknown> {
  const [found] = await quarantineAccounts(db, discards)
  return found
}

test('refused lines are grouped by reason, and exported as the file has them', async () => {
  await withNight(async (night) => {
    await night.land('roll_20250601.csv', ROLL)
    await night.run([rollSource()])
    expect(await quarantineGroups(night.db, [])).toEqual([
      expect.objectContaining({ reason: 'a quote stands inside an unquoted field', rows: 1, line_number: 5 }),
      expect.objectContaining({ reason: 'blank key', column: 'CO', rows: 1, line_number: 7 }),
    ])
    await withExport(night, rollSource(), 'roll_20250601.csv', async ({ path, text, note }) => {
      expect(text).toBe(`${HEADER}16,4,JOHN "JACK" DOE,7\r\n,6,NOBODY,1\r\n`)
      expect(note.line_numbers).toEqual([5, 7])
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      expect((await stat(notePath(path))).mode & 0o777).toBe(0o600)
      const lines = await quarantinedLines(night.db, [], {}, ['waiting'], 100)
      const [kind] = rollSource().files
      const again = exportLines({ lines, kind: kind!, landing: night.landing, scratch: night.landing, target: path, isForced: false, at: AT }) // prettier-ignore
      await expect(again).rejects.toMatchObject({ code: 'output_unwritable' })
    })
  })
})

test('a file that changed in landing since it was loaded is not exported', async () => {
  await withNight(async (night) => {
    await night.land('roll_20250601.csv', ROLL)
    await night.run([rollSource()])
    await night.land('roll_20250601.csv', ROLL.replace('OWNER 1', 'OWNER X'))
    await expect(
      withExport(night, rollSource(), 'roll_20250601.csv', () => Promise.resolve()),
    ).rejects.toMatchObject({ code: 'source_unreadable' })
  })
})

test('a correction adds its rows to the issue, clears the lines, and survives a rebuild', async () => {
  const source = rollSource()
  const text = `${HEADER}16,4,"JOHN ""JACK"" DOE",7\r\n16,6,NOBODY,9\r\n`
  await withNight(async (night) => {
    const { land, run, rows, landing } = night
    await land('roll_20250601.csv', ROLL)
    await run([source])
    const name = await correct(night, source, 'roll_20250601.csv', text)
    expect(name).toMatch(
      /^corrections\/us-fl-test-roll\/20250701T030000-[0-9a-f]{8}-roll_20250601\.csv\.correction$/,
    )
    expect(await run([source], '2025-07-02')).toMatchObject({ changed: true, exitCode: 0, unclaimed: [] })
    const corrected = await staged(night)
    expect(corrected).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((n) => [
        String(n),
        n === 4 ? 7 : n === 6 ? 9 : 1,
        `us/fl/test.roll/roll/16|${n}`,
        '2025-06-01',
      ]),
    )
    expect(await rows(`select full_name from staging.parcel_owners where parcel_number = '4'`)).toEqual([
      { full_name: 'JOHN "JACK" DOE' },
    ])
    expect(await account(night)).toMatchObject({ refused: 2, waiting: 0, replayed: 2 })
    // The lines of a correction are numbered as they lie in landing, behind its first line and its header.
    expect(
      await rows(
        'select physical_rows, loaded_rows, refused_rows, corrected_lines from ledger.files order by file_id',
      ),
    ).toEqual([
      { physical_rows: 8, loaded_rows: 6, refused_rows: 2, corrected_lines: null },
      { physical_rows: 2, loaded_rows: 2, refused_rows: 0, corrected_lines: [5, 7] },
    ])
    expect(await rows(`select line_number from staging.parcels where parcel_number = '6'`)).toEqual([
      { line_number: 4 },
    ])
    expect(await run([source], '2025-07-03')).toMatchObject({ changed: false, exitCode: 0 })
    await withNight(async (rebuilt) => {
      await rebuilt.land('roll_20250601.csv', ROLL)
      await rebuilt.land(name, await readFile(join(landing, name)))
      await rebuilt.run([source], '2025-08-01')
      expect(await staged(rebuilt)).toEqual(corrected)
      expect(await account(rebuilt)).toMatchObject({ refused: 2, waiting: 0, replayed: 2 })
    })
  })
})

test('a corrected record with the key of another row of the file is its second copy, after a rebuild too', async () => {
  const source = rollSource()
  await withNight(async (night) => {
    await night.land('roll_20250601.csv', ROLL)
    await night.run([source])
    const name = await correct(
      night,
      source,
      'roll_20250601.csv',
      `${HEADER}16,1,ANN DOE,7\r\n16,6,NOBODY,9\r\n`,
    )
    await night.run([source])
    const keys = (await staged(night)).flatMap((row) => (row as unknown[])[2])
    expect(keys.filter((key) => String(key).includes('16|1'))).toEqual([
      'us/fl/test.roll/roll/16|1',
      'us/fl/test.roll/roll/16|1~2',
    ])
    await withNight(async (rebuilt) => {
      await rebuilt.land('roll_20250601.csv', ROLL)
      await rebuilt.land(name, await readFile(join(night.landing, name)))
      await rebuilt.run([source])
      expect(await staged(rebuilt)).toEqual(await staged(night))
    })
  })
})

test('a newer issue supersedes the rows of a correction with those of its file, which come back with the file', async () => {
  const source = rollSource()
  await withNight(async (night) => {
    await night.land('roll_20250601.csv', ROLL)
    await night.run([source])
    await correct(night, source, 'roll_20250601.csv', `${HEADER}16,4,JOHN DOE,7\r\n16,6,NOBODY,9\r\n`)
    await night.run([source])
    await night.land('roll_20250701.csv', `${HEADER}16,1,OWNER 1,1\r\n16,4,JOHN DOE,8\r\n`)
    await night.run([source], '2025-07-02')
    expect((await staged(night)).map((row) => (row as unknown[]).slice(0, 2))).toEqual([
      ['1', 1],
      ['4', 8],
    ])
    expect(
      await night.rows('select parcel_number, superseded_on from staging.past_parcel_owners order by 1'),
    ).toEqual(
      ['2', '3', '5', '6', '7', '8'].map((parcel_number) => ({ parcel_number, superseded_on: '2025-07-01' })),
    )
  })
})

test('lines of a correction that are refused again say why and can be corrected in turn', async () => {
  const source = rollSource()
  await withNight(async (night) => {
    await night.land('roll_20250601.csv', ROLL)
    await night.run([source])
    const first = await correct(
      night,
      source,
      'roll_20250601.csv',
      `${HEADER}16,4,JOHN DOE,7\r\n,6,NOBODY,9\r\n`,
    )
    expect((await night.run([source])).failed).toEqual([])
    expect(await account(night)).toMatchObject({ refused: 3, waiting: 1, replayed: 2 })
    expect(await quarantineGroups(night.db, [])).toMatchObject([
      { reason: 'blank key', column: 'CO', file_name: first, line_number: 4 },
    ])
    const second = await correct(night, source, first, `${HEADER}16,6,NOBODY,9\r\n`)
    await night.run([source])
    expect(await account(night)).toMatchObject({ refused: 3, waiting: 0, replayed: 3 })
    expect(await staged(night)).toHaveLength(8)
    await withNight(async (rebuilt) => {
      for (const name of ['roll_20250601.csv', first, second]) {
        await rebuilt.land(name, await readFile(join(night.landing, name)))
      }
      await rebuilt.run([source])
      expect(await staged(rebuilt)).toEqual(await staged(night))
    })
  })
})

test('a correction above the refused limit fails, and its lines wait until a better one replaces it', async () => {
  const source = rollSource({ refusedLimit: 0.3 })
  await withNight(async (night) => {
    await night.land('roll_20250601.csv', ROLL)
    await night.run([source])
    const text = `${HEADER}16,4,JOHN DOE,7\r\n,6,NOBODY,9\r\n`
    await withExport(night, source, 'roll_20250601.csv', async ({ path, note }) => {
      const found = await correctedFile(night.db, note)
      await writeFile(path, text)
      const trial = await withWarehouse((db) =>
        tryCorrection({
          db,
          source,
          kind: source.files[0]!,
          corrected: found!,
          path,
          scratch: night.landing,
          at: AT,
        }),
      )
      expect(trial).toEqual({
        records: 2,
        refused: [{ line_number: 3, reason: 'blank key', column: 'CO' }],
      })
    })
    const name = await correct(night, source, 'roll_20250601.csv', text)
    const { failed, exitCode } = await night.run([source])
    expect(exitCode).toBe(3)
    expect(failed).toMatchObject([
      { file_name: name, reason: expect.stringContaining('1 of 2 records refused') },
    ])
    expect(await account(night)).toMatchObject({ waiting: 2, replayed: 0, failed: 1 })
    expect(await staged(night)).toHaveLength(6)
    const better = await correct(night, source, 'roll_20250601.csv', `${HEADER}16,4,A,7\r\n16,6,B,9\r\n`)
    expect(better).toBe(name)
    expect(await night.run([source])).toMatchObject({ exitCode: 0, failed: [] })
    expect(await account(night)).toMatchObject({ refused: 2, waiting: 0, replayed: 2 })
  })
})

test('a correction without its file fails by name and is loaded when the file is back', async () => {
  const source = rollSource()
  await withNight(async (night) => {
    await night.land('roll_20250601.csv', ROLL)
    await night.run([source])
    const name = await correct(night, source, 'roll_20250601.csv', `${HEADER}16,4,A,7\r\n16,6,B,9\r\n`)
    await withNight(async (rebuilt) => {
      await rebuilt.land(name, await readFile(join(night.landing, name)))
      expect((await rebuilt.run([source])).failed).toMatchObject([
        {
          file_name: name,
          reason: expect.stringContaining('corrects roll_20250601.csv, which is not loaded'),
        },
      ])
      await rebuilt.land('roll_20250601.csv', ROLL)
      expect(await rebuilt.run([source])).toMatchObject({ exitCode: 0, failed: [] })
      expect(await staged(rebuilt)).toHaveLength(8)
    })
  })
})

test('a second correction of the same line fails, and the rows are there once', async () => {
  const source = rollSource()
  await withNight(async (night) => {
    await night.land('roll_20250601.csv', ROLL)
    await night.run([source])
    const name = await correct(night, source, 'roll_20250601.csv', `${HEADER}16,4,A,7\r\n16,6,B,9\r\n`)
    const copy = (await readFile(join(night.landing, name), 'utf8')).replace(',A,', ',C,')
    await night.land(`${name.replace('.correction', '')}.b.correction`, copy)
    expect((await night.run([source])).failed).toMatchObject([
      { reason: expect.stringMatching(/corrects line 5 of roll_20250601\.csv, which another correction/) },
    ])
    expect(await staged(night)).toHaveLength(8)
  })
})

test('a definition that could read a corrected line now keeps the correction, not both', async () => {
  const [kind] = rollSource().files
  const strict = rollSource({
    files: [
      { ...kind!, refuse: [{ when: { is: 'VALUE', in: ['7'] }, reason: 'seven' }] },
    ] as SourceDefinitionInput['files'],
  })
  await withNight(async (night) => {
    await night.land('roll_20250601.csv', `${HEADER}16,1,A,1\r\n16,2,B,7\r\n`)
    await night.run([strict])
    await correct(night, strict, 'roll_20250601.csv', `${HEADER}16,2,B,70\r\n`)
    await night.run([strict])
    await night.run([rollSource()])
    expect((await staged(night)).map((row) => (row as unknown[]).slice(0, 2))).toEqual([
      ['1', 1],
      ['2', 70],
    ])
    expect(await account(night)).toMatchObject({ refused: 1, waiting: 0, replayed: 1 })
  })
})

test('a feed in Latin-1 without header and a fixed-width file are exported and corrected in their own format', async () => {
  const feed = feedSource()
  await withNight(async (night) => {
    const cut = Buffer.from('2|JOS\u00c9|\n', 'latin1')
    await night.land('06-01-2025nme.txt', Buffer.concat([Buffer.from('1|ANN|D|\n'), cut]))
    await night.run([feed])
    await withExport(night, feed, '06-01-2025nme.txt', ({ text }) => {
      expect(text).toBe('2|JOS\u00c9|\n')
      return Promise.resolve()
    })
    await correct(night, feed, '06-01-2025nme.txt', '2|JOSE|D|\n')
    await night.run([feed])
    expect(await night.rows('select full_name from staging.deed_parties order by 1')).toEqual([
      { full_name: 'ANN' },
      { full_name: 'JOSE' },
    ])
  })
  const fixed = withFormat(
    rollSource(),
    {
      type: 'fixed',
      recordLength: 12,
      columns: [
        { name: 'CO', start: 1, end: 2 },
        { name: 'PARCEL', start: 3, end: 4 },
        { name: 'OWNER', start: 5, end: 10 },
        { name: 'VALUE', start: 11, end: 12 },
      ],
    },
    'roll_(?<date>\\d{8})\\.txt',
  )
  await withNight(async (night) => {
    await night.land('roll_20250601.txt', '1601OWNER1 1\n1602OWNER2\n')
    await night.run([fixed])
    await withExport(night, fixed, 'roll_20250601.txt', ({ text }) => {
      expect(text).toBe('1602OWNER2\n')
      return Promise.resolve()
    })
    await correct(night, fixed, 'roll_20250601.txt', '1602OWNER2 5\n')
    await night.run([fixed])
    expect((await staged(night)).map((row) => (row as unknown[]).slice(0, 2))).toEqual([
      ['01', 1],
      ['02', 5],
    ])
  })
})

test('a newer file with all groups of the old one clears its count, in a rebuild too; another county does not', async () => {
  await withNight(async (night) => {
    const source = rollSource()
    await night.land('roll_20250601.csv', ROLL)
    await night.run([source])
    await night.land('roll_20250701.csv', `${HEADER}21,1,A,1\r\n`)
    await night.run([source])
    expect(await account(night)).toMatchObject({ refused: 2, waiting: 2, superseded: 0 })
    await night.land('roll_20250801.csv', `${HEADER}16,1,A,1\r\n`)
    await night.run([source])
    expect(await account(night)).toMatchObject({ refused: 2, waiting: 0, superseded: 2 })
    expect(await quarantineGroups(night.db, [])).toEqual([])
    // The old content is sent once more: it is the newest again, and so are its refused lines.
    await night.land('roll_20250901.csv', ROLL)
    await night.run([source])
    expect(await account(night)).toMatchObject({ waiting: 2, superseded: 0 })
    await rm(join(night.landing, 'roll_20250901.csv'))
    await withNight(async (rebuilt) => {
      for (const name of ['roll_20250601.csv', 'roll_20250701.csv', 'roll_20250801.csv']) {
        await rebuilt.land(name, await readFile(join(night.landing, name)))
      }
      await rebuilt.run([source])
      expect(await account(rebuilt)).toMatchObject({ refused: 2, waiting: 0, superseded: 2 })
    })
  })
})

test('discarded lines do not count, and the states add up', async () => {
  await withNight(async (night) => {
    await night.land('roll_20250601.csv', ROLL)
    await night.run([rollSource()])
    const [line] = await quarantinedLines(night.db, [], { reason: 'blank key' }, ['waiting'], 10)
    const { source_id, kind, container_sha256: sha256, member, line_number } = line!
    const discard = { source_id, kind, sha256, member, line_numbers: [line_number] }
    expect(await account(night, [discard])).toEqual({
      source_id,
      refused: 2,
      waiting: 1,
      failed: 0,
      replayed: 0,
      discarded: 1,
      superseded: 0,
    })
  })
})

test.each([
  ['a quote stands inside an unquoted field', '16,4,JOHN "JACK" DOE,7', 'OWNER'],
  ['a closing quote is followed by text', '"16",4,"A" B,7', 'OWNER'],
  ['a quoted field does not end', '16,"4,A,7', 'PARCEL'],
  ['the line has 3 fields instead of 4', '16,4,A', null],
])('%s: the column is found', (reason, text, column) => {
  const [kind] = rollSource().files
  expect(faultyColumn(reason, Buffer.from(text), kind!, ['CO', 'PARCEL', 'OWNER', 'VALUE'])).toBe(column)
})
