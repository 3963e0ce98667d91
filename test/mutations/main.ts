/**
 * Puts small faults into `src`, one at a time, and runs the tests of the folder: `npm run test:mutations -- [FOLDER…]
 * [--count N] [--seed S] [--only FILE:LINE]`. A mutant that no test notices is a survivor. Prints each survivor and, last,
 * how many mutants each folder's tests caught. Takes about half a minute a mutant; run by hand, on copies of the tree.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cp, glob, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Mutant, mutantsOf, recording } from './mutants.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COPIES = 2
/** The longest that one test file may take without a mutant. */
const LONGEST_MS = 400_000

/** The tests that hold a folder of `src`. A mutant is given to those of them that evaluate its expression. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  state: [
    'test/state/*.test.ts',
    'test/pipelines/schedule.test.ts',
    'test/api/{keys,account,internal,billing}.test.ts',
    'test/cli/commands/{backup,keys,suppress}.test.ts',
  ],
  webhooks: ['test/webhooks/*.test.ts', 'test/api/webhooks*.test.ts'],
  publish: ['test/publish/*.test.ts', 'test/lookup/*.test.ts', 'test/api/snapshots.test.ts'],
  api: ['test/api/*.test.ts'],
  events: [
    'test/events/*.test.ts',
    'test/pipelines/release.test.ts',
    'test/api/{events,regions}.test.ts',
    'test/webhooks/release.test.ts',
  ],
  ingest: ['test/ingest/*.test.ts', 'test/pipelines/{sources,counties}.test.ts'],
}

interface Placed extends Mutant {
  readonly folder: string
  readonly file: string
  readonly line: number
  readonly source: string
}

/** Numbers in [0, 1), the same ones for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

async function placedMutants(folder: string): Promise<Placed[]> {
  const files: string[] = []
  for await (const file of glob(`src/${folder}/**/*.ts`, { cwd: ROOT })) files.push(file)
  const found = await Promise.all(
    files.sort().map(async (file) => {
      const source = await readFile(join(ROOT, file), 'utf8')
      return mutantsOf(source).map((mutant) => ({
        ...mutant,
        folder,
        file,
        source,
        line: source.slice(0, mutant.start).split('\n').length,
      }))
    }),
  )
  return found.flat()
}

/** A copy of the tree that a mutant can be put into; packages are shared. */
async function copyOfTree(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'platbook-mutations-'))
  for (const name of ['package.json', 'tsconfig.json', 'README.md', 'pipelines', 'src', 'sql', 'test']) {
    await cp(join(ROOT, name), join(copy, name), { recursive: true })
  }
  for (const name of ['reference', 'sample']) {
    await cp(join(ROOT, 'data', name), join(copy, 'data', name), { recursive: true })
  }
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** The first test of `paths` that fails in `copy`; null when all pass. */
async function firstFailure(
  copy: string,
  paths: readonly string[],
  longestMs: number,
): Promise<string | null> {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const output = join(copy, 'outcome.json')
  await rm(output, { force: true })
  const options = ['--config', 'test/mutations/vitest.config.ts', '--reporter=json', `--outputFile=${output}`]
  const child = spawn(process.execPath, [vitest, 'run', ...options, ...paths], {
    cwd: copy,
    env: { ...process.env, PLATBOOK_TEST_ORDER: paths.join(',') },
    stdio: 'ignore',
    detached: true,
  })
  const timer = setTimeout(() => endGroup(child), longestMs)
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearTimeout(timer)
  endGroup(child)
  if (code === 0) return null
  if (code === null) return 'the tests do not end'
  return failureIn(await readFile(output, 'utf8').catch(() => '{}'))
}

function failureIn(outcome: string): string {
  const { testResults = [] } = JSON.parse(outcome) as {
    testResults?: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[]
  }
  const file = testResults.find(({ status }) => status === 'failed')
  const failed = file?.assertionResults.find(({ status }) => status === 'failed')
  return `${basename(file?.name ?? 'the run')}: ${failed?.fullName ?? 'the file fails'}`
}

// Processes that a failed test left behind belong to the group of its runner.
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // None is left.
  }
}

/** The test file with the same name as the mutant's source file. */
function ownTest({ file }: Placed): string {
  return file.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts')
}

/** The first test that notices the mutant; null when none does. */
async function noticedBy(copy: string, mutant: Placed, paths: readonly string[]): Promise<string | null> {
  const { source, start, end, replacement, file } = mutant
  await writeFile(join(copy, file), source.slice(0, start) + replacement + source.slice(end))
  const longestMs = paths.reduce((sum, path) => sum + 4 * (durations.get(path) ?? 0), 60_000)
  try {
    return await firstFailure(copy, paths, longestMs)
  } finally {
    await writeFile(join(copy, file), source)
  }
}

/** Puts a recorder around the expression of every drawn mutant in `copy`. */
async function record(copy: string, mutants: readonly Placed[]): Promise<void> {
  let first = 0
  for (const [file, ofFile] of Map.groupBy(mutants, (mutant) => mutant.file)) {
    const up = '../'.repeat(file.split('/').length - 1)
    const text = recording(ofFile[0]!.source, ofFile, first)
    await writeFile(join(copy, file), `import { __reached } from '${up}reached.ts'; ${text}`)
    for (const mutant of ofFile) numbers.set(mutant, first++)
  }
}

/** A module that appends the numbers of expressions to `path`, each once in a thread. */
function recorder(path: string): string {
  return `import { appendFileSync } from 'node:fs'
const seen = (globalThis.__platbookReached ??= new Set())
const same = (value: any) => value
export function __reached(number: number) {
  if (!seen.has(number)) {
    seen.add(number)
    appendFileSync(${JSON.stringify(path)}, number + '\\n')
  }
  return same
}
`
}

/** Runs `work` for every item, in one copy of the tree for each of `COPIES` lanes. */
async function inCopies<T>(
  items: readonly T[],
  work: (copy: string, item: T) => Promise<void>,
  prepare: (copy: string) => Promise<void> = async () => {},
): Promise<void> {
  const waiting = [...items]
  await Promise.all(
    Array.from({ length: Math.min(COPIES, items.length) }, async () => {
      const copy = await copyOfTree()
      try {
        await prepare(copy)
        for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(copy, item)
      } finally {
        await rm(copy, { recursive: true, force: true })
      }
    }),
  )
}

function short(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 60)
}

async function filesOf(patterns: readonly string[]): Promise<string[]> {
  const files: string[] = []
  for await (const file of glob([...patterns], { cwd: ROOT })) files.push(file)
  return files.sort()
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '240' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
  },
})
const folders = positionals.length > 0 ? positionals : Object.keys(TESTS)
const random = seeded(Number(values.seed))
const all = (await Promise.all(folders.map(placedMutants))).flat()
const drawn = values.only
  ? all.filter(({ file, line }) => values.only?.includes(`${file}:${line}`))
  : folders.flatMap((folder) => {
      const mutants = all.filter((mutant) => mutant.folder === folder)
      const share = Math.ceil(Number(values.count) / folders.length)
      return mutants
        .map((mutant) => ({ mutant, rank: random() }))
        .sort((left, right) => left.rank - right.rank)
        .slice(0, share)
        .map(({ mutant }) => mutant)
    })
console.log(`${drawn.length} of ${all.length} possible mutants, seed ${values.seed}`)

const tests = new Map<string, readonly string[]>()
for (const folder of folders) tests.set(folder, await filesOf(TESTS[folder] ?? []))
const numbers = new Map<Placed, number>()
const durations = new Map<string, number>()
const reached = new Map<string, ReadonlySet<number>>()

// Each test file runs alone and without a fault: how long it takes, and which of the expressions it evaluates. A file that
// fails here would count every mutant as caught, so it is left out.
await inCopies(
  [...new Set([...tests.values()].flat())],
  async (copy, path) => {
    const log = join(copy, 'reached.txt')
    await writeFile(join(copy, 'reached.ts'), recorder(log))
    await writeFile(log, '')
    const started = performance.now()
    const failure = await firstFailure(copy, [path], LONGEST_MS)
    if (failure !== null) {
      console.log(`LEFT OUT ${path}: it fails without a mutant (${failure})`)
      return
    }
    durations.set(path, performance.now() - started)
    reached.set(path, new Set((await readFile(log, 'utf8')).split('\n').filter(Boolean).map(Number)))
  },
  (copy) => record(copy, drawn),
)
console.log(`${durations.size} test files pass without a mutant`)

const caught = new Map<string, number>()
await inCopies(drawn, async (copy, mutant) => {
  const paths = (tests.get(mutant.folder) ?? [])
    .filter((path) => reached.get(path)?.has(numbers.get(mutant) ?? -1))
    .sort(
      (left, right) =>
        Number(right === ownTest(mutant)) - Number(left === ownTest(mutant)) ||
        (durations.get(left) ?? 0) - (durations.get(right) ?? 0),
    )
  const noticed = paths.length === 0 ? null : await noticedBy(copy, mutant, paths)
  if (noticed !== null) caught.set(mutant.folder, (caught.get(mutant.folder) ?? 0) + 1)
  const fault = `${mutant.file}:${mutant.line}  ${short(mutant.source.slice(mutant.start, mutant.end))} → ${short(mutant.replacement)}`
  console.log(
    noticed === null
      ? `SURVIVED ${fault}  (${paths.length} test files evaluate it)`
      : `caught   ${fault}  (${noticed})`,
  )
})
for (const folder of folders) {
  const count = drawn.filter((mutant) => mutant.folder === folder).length
  const share = ((100 * (caught.get(folder) ?? 0)) / count).toFixed(1)
  console.log(`${folder.padEnd(9)} ${caught.get(folder) ?? 0} of ${count} caught (${share} %)`)
}
