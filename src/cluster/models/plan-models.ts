import { createHash } from 'node:crypto'
import type { AskedInput, Partition, SplitInput } from '../../warehouse/partition.ts'
import type { Exchange } from '../engine.ts'

/** The facts that the plan needs about a query of `sql/`: a model, or the query for the texts of a dictionary. */
export interface PlannedQuery {
  readonly name: string
  readonly select: string
  readonly reads: readonly string[]
  readonly partition: Partition
}

/** A dictionary of `src/normalize/run`: the query for its texts, and the tables that it fills. */
export interface PlannedDictionary extends PlannedQuery {
  readonly tables: readonly string[]
}

/** The tables that models build from the tables that a run folder has, as data. Stage processes read it from the run folder. */
export interface ModelPlan {
  readonly units: number
  readonly rounds: readonly Round[]
}

/** Each unit does the tasks. Then the engine exchanges rows between units, and `unneeded` folders are removed. */
export interface Round {
  readonly tasks: readonly ModelTask[]
  readonly exchanges: readonly Exchange[]
  readonly unneeded: readonly string[]
}

/**
 * The work of one unit. `to` is the folder that the task writes.
 * - `route` adds the number of a unit to the rows of a table: `by` decides the unit.
 * - `ask` writes the values that the unit needs from another table.
 * - `answer` writes the rows of `table` that have the values, with the units that asked for them. `rows` are exchanged by `value`.
 * - `build` writes the unit's rows of a model.
 * - `texts` writes the texts of a dictionary, and `dictionary` normalises the texts that the unit got.
 */
export type ModelTask =
  | { readonly kind: 'route'; readonly table: string; readonly by: string; readonly leavesOutNull: boolean; readonly to: string }
  | { readonly kind: 'ask'; readonly asker: TaskInput; readonly asked: string; readonly to: string }
  | { readonly kind: 'answer'; readonly table: string; readonly rows: string; readonly value: string; readonly asks: string; readonly to: string }
  | { readonly kind: 'build'; readonly select: string; readonly inputs: readonly TaskInput[]; readonly result: string | null; readonly to: string }
  | { readonly kind: 'texts'; readonly select: string; readonly inputs: readonly TaskInput[]; readonly to: string }
  | { readonly kind: 'dictionary'; readonly dictionary: string; readonly texts: string; readonly tables: readonly string[] } // prettier-ignore

/** The rows of a table that a unit gets: those of `folders`, each row once. Null: all rows of the table. */
export interface TaskInput {
  readonly table: string
  readonly folders: readonly string[] | null
}

/**
 * Plans how `models`, in the order in which they can be built, and `dictionaries` are built in units. Tables that neither
 * builds must be in the run folder. Models with equal needs share the exchanged rows.
 */
export function planModels(
  models: readonly PlannedQuery[],
  dictionaries: readonly PlannedDictionary[],
  units: number,
): ModelPlan {
  const plan = new PlanBuilder(units)
  const waiting = [...dictionaries]
  const filled = new Set(dictionaries.flatMap(({ tables }) => tables))
  const fillDictionaries = (): void => {
    for (const dictionary of waiting.splice(0)) plan.addDictionary(dictionary)
  }
  // Models that read no dictionary come first, because the texts of a dictionary may depend on them.
  const reach = new Set(filled)
  const isAfter = (model: PlannedQuery): boolean => {
    const reads = model.reads.some((table) => reach.has(table))
    if (reads) reach.add(model.name)
    return reads
  }
  const after = models.filter(isAfter)
  for (const model of models) if (!after.includes(model)) plan.addModel(model)
  fillDictionaries()
  for (const model of after) plan.addModel(model)
  return plan.build()
}

class PlanBuilder {
  readonly #units: number
  readonly #rounds: { tasks: ModelTask[]; exchanges: Exchange[] }[] = []
  /** The first round in which the rows of a folder can be read. Folders that the run was given can be read from round 0 on. */
  readonly #readable = new Map<string, number>()

  constructor(units: number) {
    this.#units = units
  }

  addModel({ name, select, partition }: PlannedQuery): void {
    const inputs = this.#inputs(partition)
    this.#add({ kind: 'build', select, inputs, result: partition.result, to: name }, readsOf(inputs), [name])
  }

  addDictionary({ name, select, tables, partition }: PlannedDictionary): void {
    const inputs = this.#inputs(partition)
    const written = `texts.${name}`
    const texts = `${written}.exchanged`
    this.#add({ kind: 'texts', select, inputs, to: written }, readsOf(inputs), [texts], {
      from: written,
      by: 'unit',
      to: texts,
      units: this.#units,
      distinct: true,
    })
    this.#add({ kind: 'dictionary', dictionary: name, texts, tables }, [texts], tables)
  }

  build(): ModelPlan {
    const lastRead = new Map<string, number>()
    this.#rounds.forEach(({ tasks }, round) => {
      for (const task of tasks) for (const folder of foldersOf(task)) lastRead.set(folder, round)
    })
    const rounds = this.#rounds.map(({ tasks, exchanges }, round) => ({
      tasks,
      exchanges,
      unneeded: [
        ...exchanges.map(({ from }) => from),
        ...[...lastRead].filter(([, last]) => last === round).map(([folder]) => folder),
      ],
    }))
    return { units: this.#units, rounds }
  }

  #inputs(partition: Partition): TaskInput[] {
    const folders = new Map<string, string[] | null>()
    for (const input of partition.inputs) {
      if (input.kind === 'whole') folders.set(input.table, null)
      else {
        const folder = input.kind === 'split' ? this.#split(input) : this.#asked(input, folders)
        folders.set(input.table, [...(folders.get(input.table) ?? []), folder])
      }
    }
    return [...folders].map(([table, own]) => ({ table, folders: own }))
  }

  #split({ table, by, leavesOutNull }: Omit<SplitInput, 'kind'>): string {
    const to = `${table}.by.${shortHash([by, leavesOutNull])}`
    if (this.#readable.has(to)) return to
    const routed = `${to}.routed`
    const task: ModelTask = { kind: 'route', table, by, leavesOutNull, to: routed }
    this.#add(task, [table], [to], { from: routed, by: 'unit', to, units: this.#units })
    return to
  }

  #asked({ table, value, asker, asked }: AskedInput, known: ReadonlyMap<string, string[] | null>): string {
    const from: TaskInput = { table: asker, folders: known.get(asker) ?? null }
    const id = shortHash([from, asked, value])
    const to = `${table}.for.${id}`
    if (this.#readable.has(to)) return to
    const written = `${to}.asks`
    const asks = `${written}.exchanged`
    const reads = readsOf([from])
    const rows = this.#split({ table, by: value, leavesOutNull: true })
    const unit = { by: 'unit', units: this.#units } as const
    this.#add({ kind: 'ask', asker: from, asked, to: written }, reads, [asks], {
      ...unit,
      from: written,
      to: asks,
    })
    const answers = `${to}.routed`
    const task: ModelTask = { kind: 'answer', table, rows, value, asks, to: answers }
    this.#add(task, [rows, asks], [to], { from: answers, by: 'units', to, units: this.#units })
    return to
  }

  /** Puts a task into the first round in which all folders that it reads can be read. `gives` can be read after that round. */
  #add(task: ModelTask, reads: readonly string[], gives: readonly string[], exchange?: Exchange): void {
    const round = Math.max(0, ...reads.map((folder) => this.#readable.get(folder) ?? 0))
    while (this.#rounds.length <= round) this.#rounds.push({ tasks: [], exchanges: [] })
    this.#rounds[round]!.tasks.push(task)
    if (exchange !== undefined) this.#rounds[round]!.exchanges.push(exchange)
    for (const folder of gives) this.#readable.set(folder, round + 1)
  }
}

function readsOf(inputs: readonly TaskInput[]): string[] {
  return inputs.flatMap(({ table, folders }) => folders ?? [table])
}

/** Returns the exchanged folders that a task reads. Tables are not among them, because they are the result of the plan. */
function foldersOf(task: ModelTask): readonly string[] {
  switch (task.kind) {
    case 'route':
      return []
    case 'ask':
      return task.asker.folders ?? []
    case 'answer':
      return [task.rows, task.asks]
    case 'build':
    case 'texts':
      return task.inputs.flatMap(({ folders }) => folders ?? [])
    default:
      return [task.texts]
  }
}

function shortHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12)
}
