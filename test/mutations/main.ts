/**
 * Puts small faults into `src`, one at a time, and runs the tests of the folder: `npm run test:mutations -- [FOLDER…]
 * [--count N] [--seed S] [--only FILE:LINE]`. A mutant that no test notices is a survivor. Prints each survivor and, last,
 * how many mutants each folder's tests caught. Takes about half a minute a mutant; run by hand, on copies of the tree.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cp, glob, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Mutant, mutantsOf } from './mutants.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COPIES = 2
/** A mutant may loop for ever: its run counts as failed after this. */
const LONGEST_MS = 400_000

/** The tests that hold a folder of `src`, the quickest first. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  state: ['test/state', 'test/pipelines/schedule', 'test/api'],
  webhooks: ['test/webhooks', 'test/api/webhooks', 'test/pipelines/release'],
  publish: ['test/publish', 'test/lookup', 'test/api/snapshots'],
  api: ['test/api'],
  events: ['test/events', 'test/pipelines/release', 'test/api/events'],
  ingest: ['test/ingest', 'test/pipelines/sources', 'test/cli/commands'],
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

/** Whether the tests at `paths` pass in `copy`. */
async function passes(copy: string, paths: readonly string[]): Promise<boolean> {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const config = [
    '--config',
    'test/vitest.config.ts',
    '--bail',
    '1',
    '--reporter',
    'dot',
    '--maxWorkers',
    '1',
  ]
  const child = spawn(process.execPath, [vitest, 'run', ...config, ...paths], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
  })
  const timer = setTimeout(() => endGroup(child), LONGEST_MS)
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearTimeout(timer)
  endGroup(child)
  return code === 0
}

// Processes that a failed test left behind belong to the group of its runner.
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // None is left.
  }
}

/** The tests to run for a mutant, in order: the file's own ones, then all of its folder. */
function runsFor({ folder, file }: Placed): string[][] {
  const own = file.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts')
  return [...(existsSync(join(ROOT, own)) ? [[own]] : []), [...(TESTS[folder] ?? [])]]
}

async function survives(copy: string, mutant: Placed): Promise<boolean> {
  const { source, start, end, replacement, file } = mutant
  await writeFile(join(copy, file), source.slice(0, start) + replacement + source.slice(end))
  try {
    for (const paths of runsFor(mutant)) if (!(await passes(copy, paths))) return false
    return true
  } finally {
    await writeFile(join(copy, file), source)
  }
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

// Tests that fail without any fault would count every mutant as caught.
const untouched = await copyOfTree()
try {
  for (const folder of new Set(drawn.map((mutant) => mutant.folder))) {
    if (!(await passes(untouched, TESTS[folder] ?? []))) {
      throw new Error(`the tests of ${folder} fail without a mutant: ${(TESTS[folder] ?? []).join(' ')}`)
    }
  }
} finally {
  await rm(untouched, { recursive: true, force: true })
}

const waiting = [...drawn]
const caught = new Map<string, number>()
const survivors: Placed[] = []
await Promise.all(
  Array.from({ length: COPIES }, async () => {
    const copy = await copyOfTree()
    try {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const survived = await survives(copy, mutant)
        if (survived) survivors.push(mutant)
        else caught.set(mutant.folder, (caught.get(mutant.folder) ?? 0) + 1)
        const was = mutant.source.slice(mutant.start, mutant.end).replaceAll(/\s+/g, ' ').slice(0, 60)
        console.log(
          `${survived ? 'SURVIVED' : 'caught  '} ${mutant.file}:${mutant.line}  ${was} → ${mutant.replacement.replaceAll(/\s+/g, ' ').slice(0, 60)}`,
        )
      }
    } finally {
      await rm(copy, { recursive: true, force: true })
    }
  }),
)
for (const folder of folders) {
  const count = drawn.filter((mutant) => mutant.folder === folder).length
  const share = ((100 * (caught.get(folder) ?? 0)) / count).toFixed(1)
  console.log(`${folder.padEnd(9)} ${caught.get(folder) ?? 0} of ${count} caught (${share} %)`)
}
