import { glob, readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DOCUMENTS = ['README.md', '.github/CONTRIBUTING.md', '.github/SECURITY.md', 'src/cli/README.md']
/** Folders whose READMEs and decision records name files of the folder by `name.ts`. */
const FOLDERS = ['src/api', 'src/events', 'src/notify', 'src/state', 'src/webhooks']

const texts = await Promise.all(
  DOCUMENTS.map(async (file) => ({ file, text: await readFile(join(ROOT, file), 'utf8') })),
)

/** Paths from the top of the checkout, without placeholders such as `<id>` and files that a run writes. */
const PATH = /(?<![\w/.<])(?:\.ci|\.github|data|pipelines|sql|src|test)\/[\w./-]*\w(?![\w<*]|\/?<)/g

test('every path in the documents for newcomers exists', () => {
  const missing = texts.flatMap(({ file, text }) =>
    [...text.matchAll(PATH)]
      .map(([path]) => path)
      .filter((path) => !path.startsWith('data/local/') && !existsSync(join(ROOT, path)))
      .map((path) => `${file}: ${path}`),
  )
  expect(missing).toEqual([])
})

test('every npm script and platbook command in the documents for newcomers exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const commands: string[] = []
  for await (const file of glob('*.ts', { cwd: join(ROOT, 'src/cli/commands') }))
    commands.push(file.replace('.ts', ''))
  const unknown = texts.flatMap(({ file, text }) => [
    ...[...text.matchAll(/npm run ([\w:]+)/g)]
      .filter(([, name = '']) => !Object.hasOwn(scripts, name))
      .map(([call]) => `${file}: ${call}`),
    ...[...text.matchAll(/(?:npm run platbook -- |`platbook )([a-z][a-z-]*)/g)]
      .filter(([, name = '']) => !commands.includes(name))
      .map(([call]) => `${file}: ${call}`),
  ])
  expect(unknown).toEqual([])
})

test('the README of the command line names every command', async () => {
  const { text } = texts.find(({ file }) => file === 'src/cli/README.md')!
  const table = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n')
  const missing: string[] = []
  for await (const file of glob('*.ts', { cwd: join(ROOT, 'src/cli/commands') }))
    if (!table.includes(`\`${file.replace('.ts', '')}\``)) missing.push(file)
  expect(missing).toEqual([])
})

test.each(FOLDERS)('every file that the documents of %s name exists', async (folder) => {
  const files = new Set<string>()
  for await (const file of glob('**/*', { cwd: join(ROOT, folder) })) files.add(basename(file))
  const missing: string[] = []
  for await (const file of glob('**/*.md', { cwd: join(ROOT, folder) })) {
    const text = await readFile(join(ROOT, folder, file), 'utf8')
    for (const [, path = ''] of text.matchAll(/`([\w./-]+\.(?:ts|mjs|json|html))`/g)) {
      const isThere = path.includes('/') ? existsSync(join(ROOT, path)) : files.has(path)
      if (!isThere) missing.push(`${file}: ${path}`)
    }
  }
  expect(missing).toEqual([])
})
