import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromArrays, tableToIPC } from 'apache-arrow'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { withFolder } from '../../support/folder.ts'
import { INVENTED, publishedSnapshot } from '../../support/published.ts'

const CLI = fileURLToPath(new URL('../../../src/cli/platbook.mjs', import.meta.url))
const NOBODY = 65_534
const LIST = 'name,phone\nJane Smith,512-555-0101\n"Nobody\nWhatsoever",206-555-0142\n'
const DOUBTFUL = 'who,phone\njane.smith@example.com,x\nnobody@example.com,y\nnobody.else@example.com,z\n'

const TABLE = tableFromArrays({
  name: ['Jane Smith', 'Nobody\nWhatsoever'],
  phone: ['512-555-0101', '206-555-0142'],
})

let folder = ''
let end: () => void = () => undefined
let ended: Promise<void> = Promise.resolve()

// One published world serves all tests, which real processes read.
beforeAll(async () => {
  await new Promise<void>((ready, fail) => {
    ended = withFolder(async (made) => {
      await publishedSnapshot(join(made, 'data', 'snapshots'))
      await writeFile(join(made, 'list.csv'), LIST)
      await writeFile(join(made, 'doubtful.csv'), DOUBTFUL)
      folder = made
      ready()
      await new Promise<void>((resolve) => (end = resolve))
    })
    ended.catch(fail)
  })
})

afterAll(async () => {
  end()
  await ended
})

interface Told {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function start(argv: string[], options: { stdout?: 'pipe' | number; uid?: number } = {}): ChildProcess {
  const { uid, stdout = 'pipe' } = options
  return spawn(process.execPath, [CLI, 'enrich', ...argv, '--data', join(folder, 'data')], {
    stdio: ['pipe', stdout, 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
}

async function told(child: ChildProcess, input: string | Buffer = ''): Promise<Told> {
  // Who refuses doesn't read to the end.
  child.stdin!.on('error', () => undefined).end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, stdout, stderr }
}

async function parquetOf(csv: string): Promise<Buffer> {
  const [from, to] = [join(folder, 'made.csv'), join(folder, 'made.parquet')]
  await writeFile(from, csv)
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run(`copy (select * from read_csv('${from}')) to '${to}'`)
  return readFile(to)
}

test('a list comes from standard input, zipped or not, and goes to standard output; what is said goes beside it', async () => {
  for (const input of [LIST, gzipSync(LIST)]) {
    const { code, stdout, stderr } = await told(start(['-']), input)
    const rows: Record<string, string>[] = parse(stdout, { columns: true })
    expect([code, ...rows.map((row) => row['pb_person_id'])]).toEqual([0, INVENTED.jane, ''])
    expect(stderr).toMatch(/standard input: 2 columns[^]*phone {2}→ phone[^]*2 rows in /)
  }
  const { stderr } = await told(start(['-', '--out', '-', '--json']), LIST)
  expect(JSON.parse(stderr.trim().split('\n').at(-1)!)).toMatchObject({ rows: 2, output: 'standard output' })
})

test('Parquet and Arrow come from standard input too, and nothing is left of them', async () => {
  const out = join(folder, 'table.csv')
  for (const table of [tableToIPC(TABLE, 'file'), tableToIPC(TABLE, 'stream'), await parquetOf(LIST)]) {
    const input = Buffer.from(table)
    const shown = await told(start(['-']), input)
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringMatching(/^standard input: 2 columns/) })
    const written = await told(start(['-', '--out', out]), input)
    expect(written).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2 rows in /) })
    expect(await readFile(out, 'utf8')).toBe(shown.stdout)
    const rows: Record<string, string>[] = parse(shown.stdout, { columns: true })
    expect(rows.map((row) => [row['name'], row['pb_person_id']])).toEqual([
      ['Jane Smith', INVENTED.jane],
      ['Nobody\nWhatsoever', ''],
    ])
  }
  expect((await readdir(folder)).filter((name) => name.startsWith('table'))).toEqual(['table.csv'])
  expect(await readdir(join(folder, 'data', 'out'))).toEqual([])
  const resumed = await told(start(['-', '--out', out, '--resume']), Buffer.from(tableToIPC(TABLE)))
  expect(resumed).toMatchObject({ code: 2, stderr: expect.stringMatching(/--resume goes on with a file/) })
})

test('Ctrl-C while a table comes on standard input ends with 130 and leaves nothing', async () => {
  const out = join(folder, 'stopped.csv')
  const child = start(['-', '--out', out])
  child.stdin!.write(Buffer.from(tableToIPC(TABLE, 'stream')).subarray(0, 100))
  await vi.waitFor(() => expect(existsSync(`${out}.partial.input`)).toBe(true), { timeout: 60_000 })
  child.kill('SIGINT')
  const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')])
  expect([code, stderr]).toEqual([130, expect.stringMatching(/stopped while standard input was read/)])
  expect((await readdir(folder)).filter((name) => name.startsWith('stopped'))).toEqual([])
})

test('what is no list is refused by what it is', async () => {
  for (const [input, message] of [
    [gzipSync(tableToIPC(TABLE, 'file')), /standard input is Arrow, zipped as a whole: unzip it/],
    [Buffer.from('PK\u0003\u0004 and more'), /is a workbook or a zip archive: save its sheet as CSV/],
    ['[{"name":"Jane"}]', /is one JSON array: write an object a line/],
    ['', /is empty/],
  ] as const) {
    const { code, stdout, stderr } = await told(start(['-']), input)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)])
  }
})

test.skipIf(!existsSync('/dev/full'))(
  'standard output that takes no more is told in a sentence',
  async () => {
    const full = await open('/dev/full', 'w')
    try {
      const { code, stderr } = await told(start([join(folder, 'list.csv')], { stdout: full.fd }))
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/standard output can't be written: .*no space/),
      ])
      expect(stderr).not.toMatch(/\n {4}at /)
    } finally {
      await full.close()
    }
  },
)

test('folders and lists that this user may not write or read are told', async () => {
  await chmod(folder, 0o777)
  spawnSync('chmod', ['-R', 'a+rwX', join(folder, 'data')])
  const locked = join(folder, 'locked')
  await mkdir(locked, { mode: 0o555 })
  await writeFile(join(folder, 'secret.csv'), LIST, { mode: 0o000 })
  const user = process.getuid?.() === 0 ? { uid: NOBODY } : {}
  const write = await told(start([join(folder, 'list.csv'), '--out', join(locked, 'out.csv')], user))
  expect([write.code, write.stderr]).toEqual([1, expect.stringMatching(/out\.csv.*this user may not write there/)]) // prettier-ignore
  expect(await readdir(locked)).toEqual([])
  const read = await told(start([join(folder, 'secret.csv'), '--out', join(folder, 'out.csv')], user))
  expect([read.code, read.stderr]).toEqual([1, expect.stringMatching(/secret\.csv: this user may not read it/)]) // prettier-ignore
})

const hasScript = spawnSync('script', ['--version']).status === 0

/** Runs it on a terminal of its own (`script` of util-linux); `answer` is typed when it asks. */
async function onTerminal(argv: string[], answer: string): Promise<{ code: number | null; screen: string }> {
  const command = [process.execPath, CLI, 'enrich', ...argv, '--data', join(folder, 'data')]
  const child = spawn('script', ['-qec', command.map((word) => `'${word}'`).join(' '), '/dev/null'])
  let screen = ''
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString()
    if (answer !== '' && screen.includes('[y/N]')) {
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
    const out = join(folder, 'asked.csv')
    const argv = [join(folder, 'doubtful.csv'), '--out', out]
    for (const no of ['n\r', '\u0003']) {
      const { code, screen } = await onTerminal(argv, no)
      expect([code, screen]).toEqual([1, expect.stringMatching(/\? column 'phone' is called like phone[^]*go on with these columns\? \[y\/N\][^]*--map COLUMN=FIELD/)]) // prettier-ignore
      expect(screen).not.toMatch(/ {4}at /)
      expect(existsSync(out)).toBe(false)
    }
    const { code, screen } = await onTerminal(argv, 'y\r')
    expect([code, screen]).toEqual([0, expect.stringMatching(/3 rows in /)])
    const rows: Record<string, string>[] = parse(await readFile(out), { columns: true })
    expect(rows[0]).toMatchObject({ pb_person_id: INVENTED.jane })
    const piped = await told(start(argv))
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringMatching(/not clear: .*--map COLUMN=FIELD/)])
  },
)

test.skipIf(!hasScript)(
  'on a terminal a bar shows rows, rate and time left, and is gone at the end',
  async () => {
    const long = join(folder, 'long.csv')
    await writeFile(long, `name,phone,note\n${`Jane Smith,512-555-0101,${'x'.repeat(80)}\n`.repeat(20_000)}`)
    const { screen } = await onTerminal([long, '--out', join(folder, 'long.enriched.csv')], '')
    expect(screen).toMatch(/\[#*-*\] \d+ % {2}[\d,]+ rows, [\d,]+ rows\/s, [\d.]+ (?:ms|s) left/)
    expect(screen).toContain('\r\u001b[K20,000 rows in ')
  },
)

test('Ctrl-C ends a run with 130 in a state that --resume goes on from', async () => {
  const long = join(folder, 'interrupted.csv')
  const rows = 20_000
  const lines = Array.from({ length: rows }, (_, at) => `${at + 1},Jane Smith,512-555-0101,${'x'.repeat(60)}`)
  await writeFile(long, `id,name,phone,note\n${lines.join('\n')}\n`)
  const out = join(folder, 'interrupted.enriched.csv')
  const child = start([long, '--out', out])
  child.stderr!.on('data', (chunk: Buffer) => {
    if (chunk.includes('10 %')) child.kill('SIGINT')
  })
  const { code, stderr } = await told(child)
  expect([code, stderr]).toEqual([130, expect.stringMatching(/stopped after [\d,]+ rows; the same command with --resume goes on/)]) // prettier-ignore
  expect(existsSync(out)).toBe(false)
  expect(await told(start([long, '--out', out, '--resume']))).toMatchObject({ code: 0 })
  const done: Record<string, string>[] = parse(await readFile(out), { columns: true })
  const ids = done.map((row) => row['id'])
  expect(ids).toEqual(Array.from({ length: rows }, (_, at) => String(at + 1)))
})
