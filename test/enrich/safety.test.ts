import { appendFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { surviveKills } from './kills.ts'
import { hasCheckpoint } from '../../src/enrich/run/checkpoint.ts'
import { openFile } from '../../src/enrich/write/output.ts'
import { withFolder } from '../support/folder.ts'
import { type Desk, withDesk } from './support.ts'

/** A list of several chunks; every seventh row holds a line end. */
function longList(rows: number): string {
  const lines = Array.from(
    { length: rows },
    (_, at) => `${at + 1},${at % 7 === 0 ? '"Jane\nSmith"' : 'John Smith'},512-555-0101,${'x'.repeat(60)}`,
  )
  return `id,name,phone,note\n${lines.join('\n')}\n`
}

/** Starts a run and stops it once it has written something. */
async function stopped(desk: Desk, argv: string[]): Promise<number> {
  const stop = new AbortController()
  const { code } = await desk.enrich(argv, {
    signal: stop.signal,
    onErr(line) {
      if (/^\d+ %/.test(line)) stop.abort()
    },
  })
  return code
}

test('a run that was stopped goes on where it was, and comes to the very same', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', longList(8_000))
    await desk.enrich([list, '--out', desk.path('whole.csv'), '--dedupe'])
    const argv = [list, '--out', desk.path('out.csv'), '--dedupe']
    expect(await stopped(desk, argv)).toBe(130)
    expect(await stat(desk.path('out.csv')).catch(() => null)).toBeNull()
    const saved = JSON.parse(await readFile(desk.path('out.csv.partial.json'), 'utf8')) as { chunks: number }
    expect(saved.chunks).toBeGreaterThan(0)
    // What was written behind the last checkpoint, as a kill leaves it, is done again.
    appendFileSync(desk.path('out.csv.partial'), 'half a ro')
    const { code } = await desk.enrich([...argv, '--resume'])
    expect(code).toBe(0)
    expect(await readFile(desk.path('out.csv'), 'utf8')).toBe(await readFile(desk.path('whole.csv'), 'utf8'))
    expect((await readdir(desk.folder)).sort()).toEqual(['leads.csv', 'out.csv', 'whole.csv'])
    const ids = (await desk.rows('out.csv')).map((row) => row['id'])
    expect(ids).toEqual(Array.from({ length: 8_000 }, (_, at) => String(at + 1)))
  })
})

test('a run that is killed again and again comes to the very same, no row lost or twice', async () => {
  await surviveKills({ kills: 4, rows: 20_000, seed: 3 })
})

test('a stopped run is resumed only with the same list, options and version', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', longList(8_000))
    const argv = [list, '--out', desk.path('out.csv')]
    await expect(desk.enrich([...argv, '--resume'])).rejects.toThrow(/no stopped run to resume/)
    await stopped(desk, argv)
    await expect(desk.enrich([...argv, '--resume', '--min-score', '70'])).rejects.toThrow(
      /an option differs from the stopped run/,
    )
    appendFileSync(list, '99999,Jane Smith,,\n')
    await expect(desk.enrich([...argv, '--resume'])).rejects.toThrow(
      /the input file differs from the stopped run/,
    )
    expect(await hasCheckpoint(desk.path('out.csv'))).toBe(true)
    const file = desk.path('out.csv.partial.json')
    const saved = JSON.parse(await readFile(file, 'utf8')) as { format: number }
    await writeFile(file, JSON.stringify({ ...saved, format: saved.format - 1 }))
    expect(await hasCheckpoint(desk.path('out.csv'))).toBe(false)
    await expect(desk.enrich([...argv, '--resume'])).rejects.toThrow(/another version of Platbook/)
  })
})

test('a list that changes while it is read gives no output', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', longList(8_000))
    let isChanged = false
    const run = desk.enrich([list, '--out', desk.path('out.csv')], {
      onErr(line) {
        if (isChanged || !/^\d+ %/.test(line)) return
        isChanged = true
        appendFileSync(list, '99999,Jane Smith,,\n')
      },
    })
    await expect(run).rejects.toMatchObject({ code: 'input_changed' })
    expect(await stat(desk.path('out.csv')).catch(() => null)).toBeNull()
  })
})

test('what stood under the output’s name stays until the new list is whole', async () => {
  await withDesk(async (desk) => {
    await desk.put('out.csv', 'of yesterday')
    await stopped(desk, [
      await desk.put('leads.csv', longList(8_000)),
      '--out',
      desk.path('out.csv'),
      '--force',
    ])
    expect(await readFile(desk.path('out.csv'), 'utf8')).toBe('of yesterday')
  })
})

test.each([
  ['a column twice', 'name,name\na,b\n', [], /the column 'name' twice/],
  [
    '5,000 columns',
    `${Array.from({ length: 5_000 }, (_, at) => `c${at}`).join(',')}\n`,
    [],
    /5000 columns, and the limit is 1000/,
  ],
  ['nothing', '', [], /is empty/],
  ['no header', 'Jane Smith,jane@example.com\n', [], /a row of data instead of a header/],
  [
    'unknown fields',
    'name\nJane\n',
    ['--fields', 'phones,shoe_size'],
    /no field 'shoe_size'; there are phones/,
  ],
  ['unknown requirements', 'name\nJane\n', ['--require', 'shoes'], /shoes can't be required/],
  [
    'a score of 200',
    'name\nJane\n',
    ['--min-score', '200'],
    /--min-score takes a whole number from 1 to 99, not '200'/,
  ],
  ['an unknown encoding', 'name\nJane\n', ['--encoding', 'morse'], /--encoding morse is unknown/],
  [
    'columns that are not clear',
    'phone,name\njane@example.com,Jane\nj@example.com,J\nk@example.com,K\n',
    [],
    /not clear: the name of column 'phone'.*--map COLUMN=FIELD/,
  ],
  ['a broken gzip', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [], /can't be unzipped/],
  ['a broken Parquet file', Buffer.from('PAR1 and nothing more'), [], /can't be read as Parquet/],
])('%s: a clear message, and nothing is written', async (_, content, options, message) => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', content)
    await expect(desk.enrich([list, '--out', desk.path('out.csv'), ...options])).rejects.toThrow(message)
    expect(await readdir(desk.folder)).toEqual(['leads.csv'])
  })
})

test('files that are not there, folders, the list itself and unknown extensions are told before anything is read', async () => {
  await withDesk(async (desk) => {
    const list = await desk.put('leads.csv', 'name,phone\nJane Smith,512-555-0101\n')
    await expect(desk.enrich([desk.path('no.csv'), '--out', desk.path('o.csv')])).rejects.toThrow(
      /there is no such file/,
    )
    await expect(desk.enrich([desk.folder, '--out', desk.path('o.csv')])).rejects.toThrow(/is a folder/)
    await expect(desk.enrich([list, '--out', list])).rejects.toThrow(/is also the input file/)
    const argv = ['--out', desk.path('o.csv'), '--report', list]
    await expect(desk.enrich([list, ...argv])).rejects.toThrow(/--report .*leads.csv is also the input file/)
    await expect(desk.enrich([desk.path('no.csv'), '--suppress', list, ...argv])).rejects.toThrow(
      /is also the suppression list/,
    )
    // Who mends the rows that could not be read and sends them again must not lose them.
    const mended = await desk.put('o.rejected.csv', 'name,phone\nJane Smith,512-555-0101\n')
    await expect(desk.enrich([mended, '--out', desk.path('o.csv')])).rejects.toThrow(/is also the input file/)
    await rm(mended)
    await expect(desk.enrich([list, '--out', desk.path('o.xlsx')])).rejects.toThrow(/one of \.csv, \.tsv/)
    await expect(desk.enrich([list, '--out', desk.path('no/o.csv')])).rejects.toThrow(
      /the folder .* does not exist/,
    )
    await expect(
      desk.enrich([list, '--out', desk.path('o.csv'), '--report', desk.path('no/r.html')]),
    ).rejects.toThrow(/r\.html can't be written: the folder .* does not exist/)
    await expect(desk.enrich([list, '--out', desk.path('o.csv'), '--prefix', ''])).rejects.toThrow(
      /--prefix is empty/,
    )
    await expect(desk.enrich([list, list])).rejects.toThrow(/takes one input file/)
    expect(await readdir(desk.folder)).toEqual(['leads.csv'])
  })
})

test('a full disk is told, and what is done can be gone on with once there is space', async (context) => {
  await withDesk(async (desk) => {
    const disk = desk.path('disk')
    await mkdir(disk)
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'tmpfs', disk], { stdio: 'ignore' })
    } catch {
      context.skip('this user may not mount a small disk')
      return
    }
    try {
      const list = await desk.put('leads.csv', longList(6_000))
      const argv = [list, '--out', join(disk, 'out.csv')]
      await expect(desk.enrich(argv)).rejects.toMatchObject({
        code: 'disk_full',
        message: expect.stringMatching(/is full: delete files/),
      })
      expect(await stat(join(disk, 'out.csv')).catch(() => null)).toBeNull()
      execFileSync('mount', ['-o', 'remount,size=20m', disk])
      expect(await desk.enrich([...argv, '--resume'])).toMatchObject({ code: 0 })
      await desk.enrich([list, '--out', desk.path('whole.csv')])
      expect(await readFile(join(disk, 'out.csv'), 'utf8')).toBe(await readFile(desk.path('whole.csv'), 'utf8')) // prettier-ignore
      expect(await readdir(disk)).toEqual(['out.csv'])
    } finally {
      execFileSync('umount', [disk])
    }
  })
})

test('of two runs that write to one output, the first does not give its name to what the second wrote', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'out.csv.partial')
    const first = await openFile(path, 0)
    await first.write(Buffer.from('first'))
    await first.checkOwn()
    const second = await openFile(path, 0)
    await second.write(Buffer.from('2nd'))
    await first.write(Buffer.from(' and more'))
    await expect(first.checkOwn()).rejects.toThrow(/another run has replaced .*out.csv.partial/)
    await second.checkOwn()
    expect(await readFile(path, 'utf8')).toBe('2nd')
    await Promise.all([first.close(), second.close()])
  })
})
