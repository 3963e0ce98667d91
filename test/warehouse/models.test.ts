import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadModels } from '../../src/warehouse/models.ts'
import { withFolder } from '../support/folder.ts'

/** A folder of models: name → what it selects from. */
async function written(folder: string, models: Record<string, string>): Promise<void> {
  for (const layer of ['normal', 'link', 'published']) await mkdir(join(folder, layer), { recursive: true })
  for (const [name, select] of Object.entries(models)) {
    const [layer = '', table = ''] = name.split('.')
    await writeFile(join(folder, layer, `${table}.sql`), `-- A row.\n-- grain: id\n-- in: none\n${select}\n`)
  }
}

test('a model stands behind every model that it reads, whatever the files are called', async () => {
  await withFolder(async (folder) => {
    await written(folder, {
      'normal.a': 'select id from normal.z',
      'normal.z': 'with q as (select * from staging.people) select id from q',
      'published.b': 'select id from link.m union all select id from normal.a',
      'link.m': 'select id from normal.a where id in (select id from normal.z)',
    })
    const models = await loadModels(folder)
    expect(models.map((model) => model.name)).toEqual(['normal.z', 'normal.a', 'link.m', 'published.b'])
    expect(models.find((model) => model.name === 'link.m')?.reads).toEqual(['normal.a', 'normal.z'])
  })
})

test('models that read each other are refused by name', async () => {
  await withFolder(async (folder) => {
    await written(folder, { 'normal.a': 'select id from normal.b', 'normal.b': 'select id from normal.a' })
    await expect(loadModels(folder)).rejects.toMatchObject({
      code: 'model_failed',
      message: expect.stringContaining('normal.a → normal.b → normal.a') as string,
    })
  })
})

test.each(['delete from staging.people', 'select 1 as id; select 2 as id', 'select from where'])(
  'a file that is not one SELECT is refused: %s',
  async (sql) => {
    await withFolder(async (folder) => {
      await written(folder, { 'normal.a': sql })
      await expect(loadModels(folder)).rejects.toMatchObject({ code: 'model_failed' })
    })
  },
)

test('a model that does not say its grain is refused', async () => {
  await withFolder(async (folder) => {
    await written(folder, {})
    await writeFile(join(folder, 'normal', 'a.sql'), '-- A row.\nselect 1 as id\n')
    await expect(loadModels(folder)).rejects.toThrow(/grain/)
  })
})
