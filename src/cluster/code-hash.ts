import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Everything that decides the rows of a stage: the code, the SQL, and the versions of the packages. */
const SOURCES = ['src', 'sql', 'package.json']

let known: Promise<string> | undefined

/** Returns a hash of the code of this installation. Two machines with the same hash give the same rows. */
export async function codeHash(): Promise<string> {
  known ??= hashOfCode()
  return known
}

async function hashOfCode(): Promise<string> {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    for (const file of await filesOf(source))
      hash.update(`${file}\0`).update(await readFile(join(ROOT, file)))
  }
  return hash.digest('hex')
}

async function filesOf(source: string): Promise<string[]> {
  if (source.endsWith('.json')) return [source]
  const names = await readdir(join(ROOT, source), { recursive: true })
  return names
    .filter((name) => /\.(?:ts|mjs|sql)$/.test(name))
    .sort()
    .map((name) => `${source}/${name}`)
}
