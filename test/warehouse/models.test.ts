import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLog } from '../../src/log.ts'
import { buildModels, loadModels, modelsVersion } from '../../src/warehouse/models.ts'
import { openWarehouse } from '../../src/warehouse/open.ts'
import { rowsOf } from '../support/warehouse.ts'
import { withFolder } from '../support/folder.ts'

/** The folder of the models of each layer. */
const STEP_OF: Record<string, string> = { normal: 'normalize', link: 'link', published: 'publish' }

/** A folder of models: name → what it selects from. */
async function written(folder: string, models: Record<string, string>): Promise<void> {
  for (const step of Object.values(STEP_OF)) await mkdir(join(folder, step), { recursive: true })
  for (const [name, select] of Object.entries(models)) {
    const [layer = '', table = ''] = name.split('.')
    await writeFile(
      join(folder, STEP_OF[layer] ?? '', `${table}.sql`),
      `-- A row.\n-- grain: id\n-- in: none\n-- by: record_key\n${select}\n`,
    )
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
    await writeFile(join(folder, 'normalize', 'a.sql'), '-- A row.\nselect 1 as id\n')
    await expect(loadModels(folder)).rejects.toThrow(/grain/)
  })
})

const LAYERED = {
  layers: ['normal', 'published'] as const,
  log: silentLog,
  signal: new AbortController().signal,
}

test('models that are built side by side wait for what they read', async () => {
  await withFolder(async (folder) => {
    // Every model adds up what three before it say.
    const names = Array.from({ length: 24 }, (_, n) => `normal.m${String(n).padStart(2, '0')}`)
    const selects = names.map((_, n) => {
      const read = [n - 1, n - 2, n - 5].filter((before) => before >= 0).map((before) => names[before])
      return `select ${n} + 0${read.map((table) => ` + (select max(id) from ${table})`).join('')} as id`
    })
    await written(folder, Object.fromEntries(names.map((name, n) => [name, selects[n] ?? ''])))
    const built = async (others: number): Promise<unknown[]> => {
      const warehouse = await openWarehouse(':memory:', { memoryLimit: '1GB', threads: 2 })
      const beside = await Promise.all(Array.from({ length: others }, async () => warehouse.connect()))
      const reports = await buildModels(warehouse.db, await loadModels(folder), {
        ...LAYERED,
        extraConnections: beside,
      })
      expect(reports.map((report) => report.name).toSorted()).toEqual(names)
      const rows = await rowsOf(
        warehouse.db,
        names.map((name) => `select id from ${name}`).join(' union all '),
      )
      await warehouse.close()
      return rows
    }
    expect(await built(2)).toEqual(await built(0))
  })
})

test('of models built side by side the one that fails is told, and the others have ended', async () => {
  await withFolder(async (folder) => {
    await written(folder, {
      'normal.a': `select error('no such thing') as id`,
      'normal.b': 'select sum(range) as id from range(2_000_000)',
      'published.c': 'select id from normal.a',
    })
    const warehouse = await openWarehouse(':memory:', { memoryLimit: '1GB', threads: 2 })
    const beside = [await warehouse.connect()]
    const building = buildModels(warehouse.db, await loadModels(folder), {
      ...LAYERED,
      extraConnections: beside,
    })
    await expect(building).rejects.toThrow(/no such thing/)
    expect(await rowsOf(warehouse.db, 'select id::integer > 0 as is_built from normal.b')).toEqual([
      { is_built: true },
    ])
    await warehouse.close()
  })
})

test('the version of the models changes with a word of one of them, of a macro or of a dictionary’s question, and only then', async () => {
  await withFolder(async (folder) => {
    await written(folder, { 'normal.a': 'select 1 as id' })
    for (const part of ['macros', 'dictionaries']) await mkdir(join(folder, part))
    const first = await modelsVersion(folder)
    expect(await modelsVersion(folder)).toBe(first)
    await writeFile(join(folder, 'macros', 'twice.sql'), 'create or replace macro twice(x) as x + x')
    const second = await modelsVersion(folder)
    expect(second).not.toBe(first)
    await written(folder, { 'normal.a': 'select 2 as id' })
    const third = await modelsVersion(folder)
    expect(third).not.toBe(second)
    await writeFile(join(folder, 'dictionaries', 'names.sql'), 'select name as text from staging.people')
    expect(await modelsVersion(folder)).not.toBe(third)
  })
})
