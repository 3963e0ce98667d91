import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COPIES = 2

/** The copies on disk and the test runs that are not over, for `endOnSignal`. */
const copies = new Set<string>()
const runs = new Set<ChildProcess>()

/** On SIGINT and SIGTERM, ends the test runs, removes the copies and exits with 128 + the signal's number. */
export function endOnSignal(): void {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    process.once(signal, () => {
      for (const run of runs) endGroup(run)
      // A test run or an unfinished copy may still write while its folder is removed.
      for (const copy of copies) rmSync(copy, { recursive: true, force: true, maxRetries: 10 })
      process.exit(128 + number)
    })
  }
}

/** Runs `work` for every item, in one copy of the tree for each of `COPIES` lanes. */
export async function inCopies<T>(
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
        copies.delete(copy)
      }
    }),
  )
}

/** A copy of the tree that a mutant can be put into; packages are shared. */
async function copyOfTree(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'platbook-mutations-'))
  copies.add(copy)
  for (const name of ['package.json', 'tsconfig.json', 'README.md', 'pipelines', 'src', 'sql', 'test']) {
    await cp(join(ROOT, name), join(copy, name), { recursive: true })
  }
  for (const name of ['reference', 'sample']) {
    await cp(join(ROOT, 'data', name), join(copy, 'data', name), { recursive: true })
  }
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/**
 * Returns the first test of `paths` that fails in `copy`; null when all pass. Ends the run when a file takes longer than
 * `longestMs` allows.
 */
export async function firstFailure(
  copy: string,
  paths: readonly string[],
  longestMs: (path: string) => number,
): Promise<string | null> {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
  const output = join(copy, 'outcome.json')
  await rm(output, { force: true })
  const reporters = [
    '--reporter=json',
    `--outputFile=${output}`,
    '--reporter=./test/mutations/ended-files.ts',
  ]
  const options = ['--config', 'test/mutations/vitest.config.ts', ...reporters]
  const child = spawn(process.execPath, [vitest, 'run', ...options, ...paths], {
    cwd: copy,
    env: { ...process.env, PLATBOOK_TEST_ORDER: paths.join(',') },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  })
  runs.add(child)
  let file = 0
  const timerOfFile = () => setTimeout(() => endGroup(child), longestMs(paths[file] ?? paths.at(-1)!))
  let timer = timerOfFile()
  child.on('message', () => {
    clearTimeout(timer)
    file++
    timer = timerOfFile()
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearTimeout(timer)
  endGroup(child)
  runs.delete(child)
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
