import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { generate } from '../../src/generate/generate.ts'
import { withFolder } from '../support/folder.ts'

const SAMPLE = 'data/sample'

test('the generator makes exactly the committed sample', async () => {
  await withFolder(async (folder) => {
    await generate({
      people: 3000,
      counties: ['36061', '36081', '12011', '48201', '48453'],
      seed: 1,
      out: folder,
      truth: join(folder, 'truth.csv'),
      leads: 2000,
      days: 2,
      signal: new AbortController().signal,
    })
    expect(await hashes(folder)).toEqual(await hashes(SAMPLE))
  })
})

test('the sample is under four megabytes', async () => {
  const sizes = await Promise.all((await files(SAMPLE)).map(async (file) => (await readFile(file)).length))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(4_000_000)
})

async function files(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

async function hashes(folder: string): Promise<Record<string, string>> {
  const found = await Promise.all(
    (await files(folder)).map(async (file) => [
      relative(folder, file),
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    ]),
  )
  return Object.fromEntries(found) as Record<string, string>
}
