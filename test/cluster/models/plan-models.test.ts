import { beforeAll, expect, test } from 'vitest'
import {
  type ModelPlan,
  type ModelTask,
  type PlannedQuery,
  planModels,
} from '../../../src/cluster/models/plan-models.ts'
import { type Model, loadModels } from '../../../src/warehouse/models.ts'
import { readPartition } from '../../../src/warehouse/partition.ts'

const UNITS = 4

let models: Model[] = []
beforeAll(async () => {
  models = await loadModels()
})

function query(name: string, reads: string[], ...header: string[]): PlannedQuery {
  return { name, select: 'select 1', reads, partition: readPartition(`${header.join('\n')}\n`, reads, name) }
}

const tasksOf = (plan: ModelPlan): ModelTask[] => plan.rounds.flatMap(({ tasks }) => tasks)

/** The folders and tables that a task reads. */
function readBy(task: ModelTask): string[] {
  const inputs = 'inputs' in task ? task.inputs : 'asker' in task ? [task.asker] : []
  const tables = inputs.flatMap(({ table, folders }) => folders ?? [table])
  if (task.kind === 'route') tables.push(task.table)
  if (task.kind === 'answer') tables.push(task.rows, task.asks)
  if (task.kind === 'dictionary') tables.push(task.texts)
  return tables
}

test('every folder is written in a round before it is read, and removed only after it was read last', () => {
  const plan = planModels(models, [], UNITS)
  const built = new Set(models.map(({ name }) => name))
  const present = new Set(models.flatMap(({ reads }) => reads).filter((table) => !built.has(table)))
  for (const { tasks, exchanges, unneeded } of plan.rounds) {
    for (const task of tasks) for (const folder of readBy(task)) expect(present).toContain(folder)
    for (const { from } of exchanges) expect(tasks.map((task) => 'to' in task && task.to)).toContain(from)
    for (const { to } of exchanges) present.add(to)
    for (const task of tasks) if (task.kind === 'build') present.add(task.to)
    for (const folder of unneeded) present.delete(folder)
  }
  for (const { name } of models) expect(present).toContain(name)
  expect([...present].filter((folder) => /\.(?:by|for)\./.test(folder))).toEqual([])
})

test('models that need the same rows share one exchange', () => {
  const header = ['-- by: phone', '--   normal.names: name in name of normal.phones'] as const
  const one = query('published.one', ['normal.names', 'normal.phones'], ...header)
  const other = query('published.other', ['normal.names', 'normal.phones'], ...header)
  const alone = tasksOf(planModels([one], [], UNITS))
  const both = tasksOf(planModels([one, other], [], UNITS))
  expect(alone.map(({ kind }) => kind).sort()).toEqual(['answer', 'ask', 'build', 'route', 'route'])
  expect(both).toHaveLength(alone.length + 1)
})

test('a dictionary is filled after the models that its texts need and before the models that read it', () => {
  const places = query('normal.places', ['staging.parcels'], '-- by: county_fips')
  const names = { ...query('names', ['normal.places'], '-- by: county_fips'), tables: ['normal.names'] }
  const people = query('normal.people', ['normal.names'], '-- by: name_key')
  const plan = planModels([people, places], [names], UNITS)
  const order = tasksOf(plan).map((task) => (task.kind === 'build' ? task.to : task.kind))
  expect(order).toEqual(['route', 'normal.places', 'route', 'texts', 'dictionary', 'route', 'normal.people'])
  expect(plan.rounds.flatMap(({ exchanges }) => exchanges).filter(({ distinct }) => distinct === true)).toHaveLength(1)
}) // prettier-ignore
