import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { circlesIn, importsOf, specifiersIn } from '../support/imports.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Folders that a folder of src may import from, besides itself and the files directly in src. */
const MAY_IMPORT: Record<string, string[]> = {
  // Only normalize/run uses the warehouse; a test below keeps the other files pure.
  normalize: ['warehouse'],
  warehouse: [],
  lookup: ['normalize'],
  state: [],
  store: [],
  // Copies snapshots to and from a store. Reads the warehouse folder only for the wording of full disks.
  replicate: ['store', 'lookup', 'publish', 'warehouse'],
  webhooks: ['state', 'normalize', 'events'],
  events: ['state', 'normalize'],
  // Reports on the state file and on the snapshot that is served.
  notify: ['state', 'lookup'],
  generate: ['normalize'],
  ingest: ['warehouse', 'normalize'],
  link: ['warehouse', 'normalize'],
  // Runs the parts of link in units.
  cluster: ['link', 'warehouse', 'normalize'],
  // Registers tables by Spark.
  catalogue: ['cluster'],
  // Reads files as lists are read, and links them as records of the warehouse are linked.
  'link-file': ['enrich', 'link', 'normalize', 'warehouse'],
  publish: ['warehouse', 'lookup', 'normalize', 'events'],
  enrich: ['lookup', 'normalize', 'state'],
  scenarios: ['warehouse', 'publish', 'lookup'],
  api: ['lookup', 'state', 'normalize', 'enrich', 'webhooks', 'events', 'scenarios'],
}

/** The subfolders of a folder of src, in the order of the data: each may import from those before it, and from files beside them. */
const ORDER: Record<string, string[]> = {
  lookup: ['format', 'snapshot', 'person', 'phone', 'search', 'property', 'suppress', 'identify', 'verify'],
  link: [
    'threads',
    'records',
    'block',
    'compare',
    'model',
    'cluster',
    'score',
    'incremental',
    'ids',
    'explain',
  ],
  enrich: ['read', 'columns', 'match', 'write', 'run', 'report', 'jobs'],
}

/** The parts of lookup that other folders may import: the face, and what a publication writes. */
const LOOKUP_FACE = /^src\/lookup\/(?:index\.ts$|format\/)/
const LOOKUP_FORMAT = /^src\/lookup\/format\//

test('every way to write an import is found, imports of types too', () => {
  const text = [
    "import { a } from './a.ts'",
    "import type { B } from './b.ts'",
    "import {\n  type C,\n} from '../c.ts'",
    "export type { D } from './d.ts'",
    "export * from './e.ts'",
    "import './f.ts'",
    "const g = await import('./g.ts')",
    "type H = import('./h.ts').H",
    "import { z } from 'zod'",
  ].join('\n')
  expect(specifiersIn(text)).toEqual([
    './a.ts',
    './b.ts',
    '../c.ts',
    './d.ts',
    './e.ts',
    './f.ts',
    './g.ts',
    './h.ts',
  ])
})

test('circles are the sets of files that reach one another', () => {
  const arrows = ['a>b', 'b>c', 'c>a', 'c>d', 'd>e', 'e>e', 'f>g', 'g>f', 'f>a']
  const imports = arrows.map((arrow) => ({ file: arrow[0]!, target: arrow[2]! }))
  expect(circlesIn(imports)).toEqual([['a', 'b', 'c'], ['e'], ['f', 'g']])
})

test('files of src import each other in no circle, type imports counted', async () => {
  expect(circlesIn(await importsOf(ROOT, 'src'))).toEqual([])
})

test('lookup is imported through its face or its format, and publish takes only the format', async () => {
  const wrong = (await importsOf(ROOT, 'src'))
    .filter(({ file, target }) => target.startsWith('src/lookup/') && !file.startsWith('src/lookup/'))
    .filter(
      ({ file, target }) => !(file.startsWith('src/publish/') ? LOOKUP_FORMAT : LOOKUP_FACE).test(target),
    )
  expect(wrong).toEqual([])
})

test('no subfolder of lookup imports the files above it', async () => {
  const wrong = (await importsOf(ROOT, 'src/lookup')).filter(
    ({ file, target }) => file.split('/').length > 3 && /^src\/lookup\/[^/]+$/.test(target),
  )
  expect(wrong).toEqual([])
})

test('a folder of src imports only what the design lets it', async () => {
  const wrong = (await importsOf(ROOT, 'src')).filter(({ file, target }) => {
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
  const wrong = (await importsOf(ROOT, 'src')).filter(({ file, target }) => {
    const [, folder, from, ...rest] = file.split('/')
    const [, other, to, ...its] = target.split('/')
    const order = ORDER[folder ?? '']
    if (order === undefined || other !== folder || rest.length === 0 || its.length === 0) return false
    const [own, imported] = [order.indexOf(from ?? ''), order.indexOf(to ?? '')]
    return own < 0 || imported < 0 || imported > own
  })
  expect(wrong).toEqual([])
})

test('the pure files of normalize import no other folder of src, and of src only cluster/models imports normalize/run', async () => {
  const wrong = (await importsOf(ROOT, 'src')).filter(({ file, target }) => {
    if (file.startsWith('src/normalize/run/')) return false
    if (target.startsWith('src/normalize/run/')) return !file.startsWith('src/cluster/models/')
    return file.startsWith('src/normalize/') && !/^src\/(?:normalize\/)?[^/]+$/.test(target)
  })
  expect(wrong).toEqual([])
})

test('pipelines import only src, and never the command line', async () => {
  const wrong = (await importsOf(ROOT, 'pipelines')).filter(
    ({ target }) =>
      !target.startsWith('pipelines/') && (!target.startsWith('src/') || target.startsWith('src/cli/')),
  )
  expect(wrong).toEqual([])
})
