import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromArrays, tableToIPC } from 'apache-arrow'
import { parse } from 'csv-parse/sync'
import { expect, test, vi } from 'vitest'
import { CLI, type CommandOptions, type Ended, runCommand, withCommand } from '../../support/command.ts'
import { withFolder } from '../../support/folder.ts'
import { heldOpen } from '../../support/held-open.ts'
import { inventedSnapshot } from '../../support/invented-snapshot.ts'
import { INVENTED } from '../../support/published.ts'

const NOBODY = 65_534
const LIST = 'name,phone\nJane Smith,512-555-0101\n"Nobody\nWhatsoever",206-555-0142\n'
const DOUBTFUL = 'who,phone\njane.smith@example.com,x\nnobody@example.com,y\nnobody.else@example.com,z\n'

const TABLE = tableFromArrays({
  name: ['Jane Smith', 'Nobody\nWhatsoever'],
  phone: ['512-555-0101', '206-555-0142'],
})

// One published world serves all tests, which real processes read.
const world = heldOpen<string>((body) =>
  withFolder(async (folder) => {
    await inventedSnapshot(join(folder, 'data', 'snapshots'))
    await writeFile(join(folder, 'list.csv'), LIST)
    await writeFile(join(folder, 'doubtful.csv'), DOUBTFUL)
    await body(folder)
  }),
)

const argvOf = (argv: string[]): string[] => ['enrich', ...argv, '--data', join(world(), 'data')]
const enrich = (argv: string[], options: CommandOptions = {}): Promise<Ended> =>
  runCommand(argvOf(argv), { input: '', ...options })

async function parquetOf(csv: string): Promise<Buffer> {
  const [from, to] = [join(world(), 'made.csv'), join(world(), 'made.parquet')]
  await writeFile(from, csv)
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(`copy (select * from read_csv('${from}')) to '${to}'`)
  return readFile(to)
}

test('a list comes from standard input, zipped or not, and goes to standard output; what is said goes beside it', async () => {
  for (const [input, argv] of [
    [LIST, []],
    [gzipSync(LIST), ['--threads', '0']],
  ] as const) {
    const { code, stdout, stderr } = await enrich(['-', ...argv], { input })
    const rows: Record<string, string>[] = parse(stdout, { columns: true })
    expect([code, ...rows.map((row) => row['pb_person_id'])]).toEqual([0, INVENTED.jane, ''])
    expect(stderr).toMatch(/standard input: 2 columns[^]*phone {2}→ phone[^]*2 rows in /)
  }
  const { stderr } = await enrich(['-', '--out', '-', '--json', '--threads', '0'], { input: LIST })
  expect(JSON.parse(stderr.trim().split('\n').at(-1)!)).toMatchObject({ rows: 2, output: 'standard output' })
})

test('Parquet and Arrow come from standard input too, and nothing is left of them', async () => {
  const out = join(world(), 'table.csv')
  for (const table of [tableToIPC(TABLE, 'file'), tableToIPC(TABLE, 'stream'), await parquetOf(LIST)]) {
    const input = Buffer.from(table)
    const shown = await enrich(['-'], { input })
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringMatching(/^standard input: 2 columns/m) })
    const written = await enrich(['-', '--out', out, '--force'], { input })
    expect(written).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2 rows in /) })
    expect(await readFile(out, 'utf8')).toBe(shown.stdout)
    const rows: Record<string, string>[] = parse(shown.stdout, { columns: true })
    expect(rows.map((row) => [row['name'], row['pb_person_id']])).toEqual([
      ['Jane Smith', INVENTED.jane],
      ['Nobody\nWhatsoever', ''],
    ])
  }
  expect((await readdir(world())).filter((name) => name.startsWith('table'))).toEqual(['table.csv'])
  expect(await readdir(join(world(), 'data', 'out'))).toEqual([])
  const resumed = await enrich(['-', '--out', out, '--resume'], { input: Buffer.from(tableToIPC(TABLE)) })
  expect(resumed).toMatchObject({ code: 2, stderr: expect.stringMatching(/--resume needs an input file/) })
})

test('Ctrl-C while a table comes on standard input ends with 130 and leaves nothing', async () => {
  const out = join(world(), 'stopped.csv')
  const { code, stderr } = await withCommand(
    argvOf(['-', '--out', out]),
    async ({ process: child, ended }) => {
      child.stdin!.write(Buffer.from(tableToIPC(TABLE, 'stream')).subarray(0, 100))
      await vi.waitFor(() => expect(existsSync(`${out}.partial.input`)).toBe(true), { timeout: 60_000 })
      child.kill('SIGINT')
      return ended
    },
    { input: null },
  )
  expect([code, stderr]).toEqual([130, expect.stringMatching(/stopped while standard input was read/)])
  expect((await readdir(world())).filter((name) => name.startsWith('stopped'))).toEqual([])
})

test('a reader who closes standard output early is no failure, and nothing is left of a table that came', async () => {
  const names = Array.from({ length: 20_000 }, () => 'Jane Smith')
  const table = tableFromArrays({ name: names, note: names.map(() => 'x'.repeat(80)) })
  const ended = await withCommand(
    argvOf(['-']),
    (running) => {
      const { stdout } = running.process
      stdout!.once('data', () => stdout!.destroy())
      return running.ended
    },
    { input: tableToIPC(table, 'stream') },
  )
  expect(ended).toMatchObject({ code: 0 })
  expect(await readdir(join(world(), 'data', 'out'))).toEqual([])
})

test('what is no list is refused by what it is', async () => {
  for (const [input, message] of [
    [gzipSync(tableToIPC(TABLE, 'file')), /standard input is Arrow, zipped as a whole: unzip it/],
    [Buffer.from('PK\u0003\u0004 and more'), /is a workbook or a zip archive: save its sheet as CSV/],
    ['', /is empty/],
  ] as const) {
    const { code, stdout, stderr } = await enrich(['-'], { input })
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)])
  }
})

test.skipIf(!existsSync('/dev/full'))(
  'standard output that takes no more is told in a sentence',
  async () => {
    const full = await open('/dev/full', 'w')
    try {
      const { code, stderr } = await enrich([join(world(), 'list.csv')], { stdout: full.fd })
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/cannot write to standard output: .*no space/),
      ])
      expect(stderr).not.toMatch(/\n {4}at /)
    } finally {
      await full.close()
    }
  },
)

test('folders and lists that this user may not write or read are told', async () => {
  await chmod(world(), 0o777)
  spawnSync('chmod', ['-R', 'a+rwX', join(world(), 'data'), join(world(), 'list.csv')])
  const locked = join(world(), 'locked')
  await mkdir(locked)
  await chmod(locked, 0o555)
  const closed = join(world(), 'closed')
  await mkdir(closed, { mode: 0o700 })
  await writeFile(join(world(), 'secret.csv'), LIST, { mode: 0o000 })
  const user = process.getuid?.() === 0 ? { uid: NOBODY } : {}
  const write = await enrich([join(world(), 'list.csv'), '--out', join(locked, 'out.csv')], user)
  expect([write.code, write.stderr]).toEqual([1, expect.stringMatching(/out\.csv.*this user may not write there/)]) // prettier-ignore
  expect(await readdir(locked)).toEqual([])
  const beyond = await enrich([join(world(), 'list.csv'), '--out', join(closed, 'out.csv')], user)
  expect([beyond.code, beyond.stderr]).toEqual([1, expect.stringMatching(/closed\/out\.csv.*this user may not write there/)]) // prettier-ignore
  const read = await enrich([join(world(), 'secret.csv'), '--out', join(world(), 'out.csv')], user)
  expect([read.code, read.stderr]).toEqual([1, expect.stringMatching(/secret\.csv: this user may not read it/)]) // prettier-ignore
})

const hasScript = spawnSync('script', ['--version']).status === 0

/** Runs it on a terminal of its own (`script` of util-linux); `answer` is typed when the screen shows `question`. */
async function onTerminal(
  argv: string[],
  answer: string,
  question = /\[y\/N\]/,
): Promise<{ code: number | null; screen: string }> {
  const command = [process.execPath, CLI, ...argvOf(argv)]
  const child = spawn('script', ['-qec', command.map((word) => `'${word}'`).join(' '), '/dev/null'])
  let screen = ''
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString()
    if (answer !== '' && question.test(screen)) {
      child.stdin.write(answer)
      answer = ''
    }
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, screen }
}

test.skipIf(!hasScript)(
  'on a terminal a doubtful mapping is asked about: yes goes on, no and Ctrl-C write nothing',
  async () => {
    const out = join(world(), 'asked.csv')
    const argv = [join(world(), 'doubtful.csv'), '--out', out]
    for (const no of ['n\r', '\u0003']) {
      const { code, screen } = await onTerminal(argv, no)
      expect([code, screen]).toEqual([1, expect.stringMatching(/\? the name of column 'phone' means phone[^]*continue with these columns\? \[y\/N\][^]*--map COLUMN=FIELD/)]) // prettier-ignore
      expect(screen).not.toMatch(/ {4}at /)
      expect(existsSync(out)).toBe(false)
    }
    const { code, screen } = await onTerminal(argv, 'y\r')
    expect([code, screen]).toEqual([0, expect.stringMatching(/3 rows in /)])
    const rows: Record<string, string>[] = parse(await readFile(out), { columns: true })
    expect(rows[0]).toMatchObject({ pb_person_id: INVENTED.jane })
    const piped = await enrich([...argv, '--force'])
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringMatching(/not clear: .*--map COLUMN=FIELD/)])
  },
)

test.skipIf(!hasScript)(
  'on a terminal a bar shows rows, rate and time left, and is gone at the end',
  async () => {
    const long = join(world(), 'long.csv')
    await writeFile(long, `name,phone,note\n${`Jane Smith,512-555-0101,${'x'.repeat(80)}\n`.repeat(20_000)}`)
    const { screen } = await onTerminal([long, '--out', join(world(), 'long.enriched.csv')], '')
    expect(screen).toMatch(/\[#*-*\] \d+ % {2}[\d,]+ rows, [\d,]+ rows\/s, [\d.]+ (?:ms|s) left/)
    expect(screen).toContain('\r\u001b[K20,000 rows in ')
  },
)

test('a file that exists is replaced only with --force', async () => {
  const [list, out, page] = ['list.csv', 'kept.csv', 'kept.html'].map((name) => join(world(), name)) as [string, string, string] // prettier-ignore
  await writeFile(out, 'an analyst’s work of a week\n')
  const refused = await enrich([list, '--out', out])
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/--out .*kept\.csv exists already: choose another name, or replace it with --force/)]) // prettier-ignore
  expect(await readFile(out, 'utf8')).toBe('an analyst’s work of a week\n')
  await writeFile(page, 'a report')
  expect(await enrich([list, '--out', join(world(), 'new.csv'), '--report', page])).toMatchObject({ code: 2 })
  expect(existsSync(join(world(), 'new.csv'))).toBe(false)
  expect(await enrich([list, '--out', out, '--report', page, '--force'])).toMatchObject({ code: 0 })
  expect(await readFile(out, 'utf8')).toContain(INVENTED.jane)
})

test.skipIf(!hasScript)('on a terminal Ctrl-C clears the bar before the message', async () => {
  const long = join(world(), 'stopped.csv')
  await writeFile(long, `name,phone,note\n${`Jane Smith,512-555-0101,${'x'.repeat(80)}\n`.repeat(60_000)}`)
  const { code, screen } = await onTerminal(
    [long, '--out', join(world(), 'stopped.enriched.csv')],
    '\u0003',
    / rows\/s/,
  )
  expect([code, screen]).toEqual([130, expect.stringContaining('\r\u001b[Kstopped after ')])
})

test('Ctrl-C ends a run with 130 in a state that --resume goes on from', async () => {
  const long = join(world(), 'interrupted.csv')
  const rows = 20_000
  const lines = Array.from({ length: rows }, (_, at) => `${at + 1},Jane Smith,512-555-0101,${'x'.repeat(60)}`)
  await writeFile(long, `id,name,phone,note\n${lines.join('\n')}\n`)
  const out = join(world(), 'interrupted.enriched.csv')
  const { code, stderr } = await withCommand(argvOf([long, '--out', out]), ({ process: child, ended }) => {
    child.stderr!.on('data', (chunk: Buffer) => {
      if (chunk.includes('10 %')) child.kill('SIGINT')
    })
    return ended
  })
  expect([code, stderr]).toEqual([130, expect.stringMatching(/stopped after [\d,]+ rows; continue with the same command and --resume/)]) // prettier-ignore
  expect(existsSync(out)).toBe(false)
  expect(await enrich([long, '--out', out, '--resume'])).toMatchObject({ code: 0 })
  const done: Record<string, string>[] = parse(await readFile(out), { columns: true })
  const ids = done.map((row) => row['id'])
  expect(ids).toEqual(Array.from({ length: rows }, (_, at) => String(at + 1)))
})
