import { readFile } from 'node:fs/promises'
import { glob } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Folders that a folder of src may import from, besides itself and the files directly in src. */
const MAY_IMPORT: Record<string, string[]> = {
  normalize: [],
  warehouse: [],
  lookup: ['normalize'],
  state: [],
  webhooks: ['state', 'normalize', 'events'],
  events: ['state', 'normalize'],
  // Reports on the state file and on the snapshot that is served.
  notify: ['state', 'lookup'],
  generate: ['normalize'],
  ingest: ['warehouse', 'normalize'],
  link: ['warehouse', 'normalize', 'ingest'],
  // Reads files as lists are read, and links them as records of the warehouse are linked.
  'link-file': ['enrich', 'link', 'normalize', 'warehouse'],
  publish: ['warehouse', 'lookup', 'normalize', 'events'],
  enrich: ['lookup', 'normalize', 'state'],
  scenarios: ['warehouse', 'publish', 'lookup'],
  api: ['lookup', 'state', 'normalize', 'enrich', 'webhooks', 'events', 'scenarios'],
}

/** The subfolders of a folder of src, in the order of the data: each may import from those before it, and from files beside them. */
const ORDER: Record<string, string[]> = {
  enrich: ['read', 'columns', 'match', 'write', 'run', 'report', 'jobs'],
}

async function importsOf(folder: string): Promise<{ file: string; target: string }[]> {
  const found: { file: string; target: string }[] = []
  for await (const file of glob(`${folder}/**/*.{ts,mjs}`, { cwd: ROOT })) {
    const text = await readFile(join(ROOT, file), 'utf8')
    for (const match of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      found.push({ file, target: normalize(join(dirname(file), match[1] ?? '')) })
    }
  }
  return found
}

test('a folder of src imports only what the design lets it', async () => {
  const wrong = (await importsOf('src')).filter(({ file, target }) => {
    const [, from] = file.split('/')
    const [top, to, ...rest] = target.split('/')
    if (from === undefined || from === 'cli' || from === to) return false
    if (top !== 'src') return true
    if (to === undefined || rest.length === 0) return false
    return !(MAY_IMPORT[from] ?? []).includes(to)
  })
  expect(wrong).toEqual([])
})

test('subfolders import one another in one direction', async () => {
  const wrong = (await importsOf('src')).filter(({ file, target }) => {
    const [, folder, from, ...rest] = file.split('/')
    const [, other, to, ...its] = target.split('/')
    const order = ORDER[folder ?? '']
    if (order === undefined || other !== folder || rest.length === 0 || its.length === 0) return false
    const [own, imported] = [order.indexOf(from ?? ''), order.indexOf(to ?? '')]
    return own < 0 || imported < 0 || imported > own
  })
  expect(wrong).toEqual([])
})

test('no files of enrich or normalize import each other in a circle, type imports counted', async () => {
  for (const folder of ['src/enrich', 'src/normalize']) {
    const imports = Map.groupBy(await importsOf(folder), ({ file }) => file)
    const done = new Set<string>()
    const visit = (file: string, path: readonly string[]): void => {
      expect(path, [...path, file].join(' → ')).not.toContain(file)
      if (done.has(file)) return
      for (const { target } of imports.get(file) ?? []) visit(target, [...path, file])
      done.add(file)
    }
    for (const file of imports.keys()) visit(file, [])
  }
})

test('pipelines import only src, and never the command line', async () => {
  const wrong = (await importsOf('pipelines')).filter(
    ({ target }) =>
      !target.startsWith('pipelines/') && (!target.startsWith('src/') || target.startsWith('src/cli/')),
  )
  expect(wrong).toEqual([])
})
