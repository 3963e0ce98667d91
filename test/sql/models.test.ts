import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { createDictionaries } from '../../src/normalize/run/dictionaries.ts'
import { PUBLISHED_TABLES } from '../../src/publish/tables.ts'
import { type Check, type Model, SQL_FOLDER, loadChecks, loadModels } from '../../src/warehouse/models.ts'
import { LAYERS } from '../../src/warehouse/open.ts'
import { createModelInputs } from '../support/staging.ts'
import { rowsOf, withWarehouse } from '../support/warehouse.ts'

let models: Model[] = []
let checks: Check[] = []

beforeAll(async () => {
  models = await loadModels()
  checks = await loadChecks()
})

test('every model names in its header exactly the tables that it reads', () => {
  const wrong = models.filter((model) => model.declared.join(', ') !== model.reads.join(', '))
  expect(wrong.map(({ name, declared, reads }) => ({ name, declared, reads }))).toEqual([])
})

const place = (table: string): number => LAYERS.findIndex((layer) => table.startsWith(`${layer}.`))
const unquoted = (type: unknown): string => String(type).replaceAll('"', '')

test('a model reads its own layer, layers to its left, and nothing else', () => {
  const wrong = models.flatMap((model) =>
    model.reads
      .filter((table) => place(table) > place(model.name) || table.startsWith('raw.') || place(table) < 0)
      .map((table) => `${model.name} reads ${table}`),
  )
  expect(wrong).toEqual([])
})

test('published models are the contract, column for column', async () => {
  const names = models.filter((model) => model.layer === 'published').map((model) => model.name)
  expect(names.sort()).toEqual(
    Object.keys(PUBLISHED_TABLES)
      .map((name) => `published.${name}`)
      .sort(),
  )
  await withWarehouse(async (db) => {
    await createModelInputs(db)
    await createDictionaries(db)
    for (const model of models) await db.run(`create table ${model.name} as ${model.select}`)
    for (const [name, table] of Object.entries(PUBLISHED_TABLES)) {
      const columns = await rowsOf(
        db,
        `select column_name as name, lower(data_type) as type from duckdb_columns()
         where schema_name = 'published' and table_name = '${name}' order by column_index`,
      )
      const declared = Object.entries(table.columns).map(([column, type]) => ({
        name: column,
        type: type.toLowerCase(),
      }))
      expect(
        columns.map((column) => ({ ...column, type: unquoted(column['type']) })),
        name,
      ).toEqual(declared.map((column) => ({ ...column, type: unquoted(column.type) })))
      const model = models.find((known) => known.name === `published.${name}`)
      expect(model?.grain, name).toEqual(table.grain)
    }
    for (const check of checks)
      expect((await db.runAndReadAll(check.select)).currentRowCount, check.name).toBe(0)
    for (const file of ['names', 'addresses', 'phones', 'emails']) {
      await db.prepare(await readFile(`${SQL_FOLDER}/dictionaries/${file}.sql`, 'utf8'))
    }
  })
})

describe('checks', () => {
  test('there are at least twelve, and each says what it means and what to do', () => {
    expect(checks.length).toBeGreaterThanOrEqual(12)
    for (const check of checks) {
      expect(check.meaning.length, check.name).toBeGreaterThan(20)
      expect(check.remedy.length, check.name).toBeGreaterThan(20)
    }
  })
})
