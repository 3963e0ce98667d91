/**
 * Puts small faults into `src`, one at a time, and runs the tests of the folder: `npm run test:mutations -- [FOLDER…]
 * [--count N] [--seed S] [--from N] [--only FILE:LINE]`. A mutant that no test notices is a survivor. Prints each mutant with
 * the test that noticed it, and last the share that was caught. `--from` leaves out the first mutants of a draw: a stopped run
 * goes on there. Takes about half a minute a mutant; run by hand, on copies of the tree. SIGINT and SIGTERM end the test runs
 * and remove the copies.
 */
import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { baselines, idOf, type Placed } from './baseline.ts'
import { endOnSignal, firstFailure, inCopies, ROOT } from './copies.ts'
import { mutantsOf } from './mutants.ts'

/** The tests that hold a folder of `src`. A mutant is given to those of them that evaluate its expression. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  state: [
    'test/state/*.test.ts',
    'test/pipelines/schedule.test.ts',
    'test/api/{keys,account,internal,billing}.test.ts',
    'test/cli/commands/{backup,keys,suppress}.test.ts',
  ],
  webhooks: ['test/webhooks/*.test.ts', 'test/api/webhooks*.test.ts'],
  publish: [
    'test/publish/*.test.ts',
    'test/lookup/*.test.ts',
    'test/events/*.test.ts',
    'test/api/snapshots.test.ts',
    'test/cli/disk-full.test.ts',
  ],
  api: [
    'test/api/*.test.ts',
    'test/cli/workers.test.ts',
    'test/cli/commands/serve.test.ts',
    'test/enrich/{jobs,screened-result}.test.ts',
  ],
  events: [
    'test/events/*.test.ts',
    'test/pipelines/release.test.ts',
    'test/api/{events,regions}.test.ts',
    'test/webhooks/release.test.ts',
  ],
  ingest: [
    'test/ingest/*.test.ts',
    'test/pipelines/{sources,counties,sample}.test.ts',
    'test/cli/commands/{quarantine,sources,doctor}.test.ts',
  ],
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

/** The test file with the same name as the mutant's source file. */
function ownTest({ file }: Placed): string {
  return file.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts')
}

function durationOf(path: string): number {
  return baseline.get(path)?.durationMs ?? 0
}

/** The first test that notices the mutant; null when none does. */
async function noticedBy(copy: string, mutant: Placed, paths: readonly string[]): Promise<string | null> {
  const { source, start, end, replacement, file } = mutant
  await writeFile(join(copy, file), source.slice(0, start) + replacement + source.slice(end))
  try {
    return await firstFailure(copy, paths, (path) => 60_000 + 4 * durationOf(path))
  } finally {
    await writeFile(join(copy, file), source)
  }
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
    from: { type: 'string', default: '0' },
    only: { type: 'string', multiple: true },
  },
})
endOnSignal()
const folders = positionals.length > 0 ? positionals : Object.keys(TESTS)
const random = seeded(Number(values.seed))
const all = (await Promise.all(folders.map(placedMutants))).flat()
const whole = values.only
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
// A run that was stopped goes on behind the mutants that it has printed.
const drawn = whole.slice(Number(values.from))
console.log(`${drawn.length} of ${all.length} possible mutants, seed ${values.seed}`)

const tests = new Map<string, readonly string[]>()
for (const folder of folders) tests.set(folder, await filesOf(TESTS[folder] ?? []))
const baseline = await baselines([...new Set([...tests.values()].flat())], all)
console.log(`${baseline.size} test files pass without a mutant`)

const caught = new Map<string, number>()
await inCopies(drawn, async (copy, mutant) => {
  const paths = (tests.get(mutant.folder) ?? [])
    .filter((path) => baseline.get(path)?.reached.has(idOf(mutant)))
    .sort(
      (left, right) =>
        Number(right === ownTest(mutant)) - Number(left === ownTest(mutant)) ||
        durationOf(left) - durationOf(right),
    )
  const noticed = paths.length === 0 ? null : await noticedBy(copy, mutant, paths)
  if (noticed !== null) caught.set(mutant.folder, (caught.get(mutant.folder) ?? 0) + 1)
  const fault = `${whole.indexOf(mutant)} ${mutant.file}:${mutant.line}  ${short(mutant.source.slice(mutant.start, mutant.end))} → ${short(mutant.replacement)}`
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
