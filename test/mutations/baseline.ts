import { createHash } from 'node:crypto'
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { firstFailure, inCopies, ROOT } from './copies.ts'
import { type Mutant, recording } from './mutants.ts'

/** The longest that one test file may take without a mutant. */
const LONGEST_MS = 400_000
const KEPT = join(ROOT, 'node_modules', '.cache', 'platbook-mutations')

/** A mutant with the file that it changes. */
export interface Placed extends Mutant {
  readonly folder: string
  readonly file: string
  readonly line: number
  readonly source: string
}

/** A test file's run without a mutant: its duration, and which mutants' expressions it evaluates (`idOf`). */
export interface Baseline {
  readonly durationMs: number
  readonly reached: ReadonlySet<string>
}

export function idOf({ file, start, end, replacement }: Placed): string {
  return `${file}:${start}:${end}:${replacement}`
}

/**
 * Runs each test file of `paths` alone and without a mutant. A file that fails here would count every mutant as caught, so it
 * is left out. Results are kept until a source, the test file or what it shares with other tests changes.
 */
export async function baselines(
  paths: readonly string[],
  mutants: readonly Placed[],
): Promise<Map<string, Baseline>> {
  const found = new Map<string, Baseline>()
  const unknown: string[] = []
  const shared = await hashOf(['{src,sql,pipelines,test/support,test/fixtures}/**/*', 'package-lock.json'])
  for (const path of paths) {
    const kept = await readFile(await keptAt(path, shared, mutants), 'utf8').catch(() => null)
    if (kept === null) unknown.push(path)
    else found.set(path, fromText(kept))
  }
  await inCopies(
    unknown,
    async (copy, path) => {
      const log = join(copy, 'reached.txt')
      await writeFile(join(copy, 'reached.ts'), recorder(log))
      await writeFile(log, '')
      const started = performance.now()
      const failure = await firstFailure(copy, [path], () => LONGEST_MS)
      if (failure !== null) {
        console.log(`LEFT OUT ${path}: it fails without a mutant (${failure})`)
        return
      }
      const durationMs = performance.now() - started
      const numbers = (await readFile(log, 'utf8')).split('\n').filter(Boolean).map(Number)
      const text = JSON.stringify({ durationMs, reached: numbers.map((number) => idOf(mutants[number]!)) })
      const kept = await keptAt(path, shared, mutants)
      await mkdir(dirname(kept), { recursive: true })
      await writeFile(kept, text)
      found.set(path, fromText(text))
    },
    (copy) => record(copy, mutants),
  )
  return found
}

function fromText(text: string): Baseline {
  const { durationMs, reached } = JSON.parse(text) as { durationMs: number; reached: string[] }
  return { durationMs, reached: new Set(reached) }
}

async function keptAt(path: string, shared: string, mutants: readonly Placed[]): Promise<string> {
  const hash = createHash('sha256').update(shared).update(path)
  for (const mutant of mutants) hash.update(idOf(mutant))
  hash.update(await readFile(join(ROOT, path)))
  hash.update(await hashOf([`${dirname(path)}/**/!(*.test).ts`]))
  return join(KEPT, `${hash.digest('hex')}.json`)
}

/** The hash of every file's path and content; the same in another folder that holds the same tree. */
async function hashOf(patterns: readonly string[]): Promise<string> {
  const files: string[] = []
  for await (const entry of glob([...patterns], { cwd: ROOT, withFileTypes: true })) {
    if (entry.isFile()) files.push(relative(ROOT, join(entry.parentPath, entry.name)))
  }
  const hash = createHash('sha256')
  for (const file of files.sort()) hash.update(file).update(await readFile(join(ROOT, file)))
  return hash.digest('hex')
}

/** Puts a recorder around the expression of every mutant in `copy`. */
async function record(copy: string, mutants: readonly Placed[]): Promise<void> {
  let first = 0
  for (const [file, ofFile] of Map.groupBy(mutants, (mutant) => mutant.file)) {
    const up = '../'.repeat(file.split('/').length - 1)
    const text = recording(ofFile[0]!.source, ofFile, first)
    await writeFile(join(copy, file), `import { __reached } from '${up}reached.ts'; ${text}`)
    first += ofFile.length
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
