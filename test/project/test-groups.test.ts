import { glob, readFile } from 'node:fs/promises'
import { dirname, join, matchesGlob, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isUnitTest, NOT_UNIT } from '../support/test-groups.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Modules that only tests of whole nightly runs and of real `platbook` processes import. */
const FORBIDDEN = ['pipelines/nightly.ts', 'test/support/command.ts', 'test/support/sample-nights.ts']

const testFiles: string[] = []
for await (const file of glob('**/*.test.ts', { cwd: join(ROOT, 'test') })) testFiles.push(file)

const known = new Map<string, Promise<string[]>>()

/** Returns the files that `file` imports directly. */
function importsOf(file: string): Promise<string[]> {
  const found = known.get(file) ?? readImports(file)
  known.set(file, found)
  return found
}

async function readImports(file: string): Promise<string[]> {
  const text = await readFile(join(ROOT, file), 'utf8').catch(() => '')
  const paths = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) => path)
  return paths.map((path) => normalize(join(dirname(file), path)))
}

/** Returns `file` and all files that it imports, directly or through other files. */
async function reachedFrom(file: string): Promise<Set<string>> {
  const reached = new Set([file])
  for (const each of reached) for (const imported of await importsOf(each)) reached.add(imported)
  return reached
}

test('a unit test imports neither nightly runs nor the platbook command', async () => {
  const wrong: string[] = []
  for (const file of testFiles.filter(isUnitTest)) {
    const imported = await reachedFrom(join('test', file))
    for (const module of FORBIDDEN.filter((name) => imported.has(name))) wrong.push(`${file} → ${module}`)
  }
  expect(wrong, 'add these files to NOT_UNIT in test/support/test-groups.ts').toEqual([])
})

test('each line of NOT_UNIT matches a test file', () => {
  const unused = NOT_UNIT.filter((pattern) => !testFiles.some((file) => matchesGlob(file, pattern)))
  expect(unused).toEqual([])
})
