import { expect, test } from 'vitest'
import { loadSources } from '../../src/ingest/sources.ts'
import { withFolder } from '../support/folder.ts'
import { landFile, rollSource } from './night.ts'

const definition = (id: string): string => JSON.stringify({ ...rollSource(), id })

test('definitions are found in folders of folders, as JSON and as TypeScript, and sorted by id', async () => {
  await withFolder(async (folder) => {
    await landFile(folder, 'fl/b.roll.json', definition('us/fl/b.roll'))
    await landFile(folder, 'a.roll.ts', `export default ${definition('us/fl/a.roll')}`)
    await landFile(folder, 'codes.ts', 'export const codes = { 1: 2 }')
    await landFile(folder, 'README.md', '#')
    expect((await loadSources([folder])).map(({ id }) => id)).toEqual(['us/fl/a.roll', 'us/fl/b.roll'])
  })
})

test('an id that two files define is an error that names both', async () => {
  await withFolder(async (folder) => {
    await landFile(folder, 'a.roll.json', definition('us/fl/a.roll'))
    await landFile(folder, 'b.roll.json', definition('us/fl/a.roll'))
    await expect(loadSources([folder])).rejects.toThrow(
      /b\.roll\.json and .*a\.roll\.json both define us\/fl\/a\.roll: give one another id/,
    )
  })
})

test.each([
  ['no JSON', 'a.roll.json', '{', /a\.roll\.json cannot be read as a source definition/],
  ['no default export', 'a.roll.ts', 'export const a = 1', /a\.roll\.ts .*: it has no default export/],
  [
    'not of the shape',
    'a.roll.json',
    '{"id":"us/fl/a.roll"}',
    /a\.roll\.json is not a source definition:[^]*title/,
  ],
  [
    'an expression over a column that is not there',
    'a.roll.json',
    definition('us/fl/a.roll').replace('"VALUE"}', '"WORTH"}'),
    /us\/fl\/a\.roll, roll: there is no column WORTH/,
  ],
  [
    'columns that differ by case alone',
    'a.roll.json',
    definition('us/fl/a.roll').replace('"NOTE"', '"value"'),
    /column value has the name of VALUE/,
  ],
])(
  'a definition with a fault is an error that names the file or the place: %s',
  async (_name, file, content, message) => {
    await withFolder(async (folder) => {
      await landFile(folder, file, content)
      await expect(loadSources([folder])).rejects.toThrow(message)
    })
  },
)

test('a folder that is not there is an error that names it', async () => {
  await expect(loadSources(['/nowhere/sources'])).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringMatching(/\/nowhere\/sources cannot be read/) as string,
  })
})
