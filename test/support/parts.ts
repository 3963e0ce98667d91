import type { DuckDBConnection } from '@duckdb/node-api'
import { createMacros, type Model } from '../../src/warehouse/models.ts'
import { LAYERS } from '../../src/warehouse/open.ts'
import type { Partition } from '../../src/warehouse/partition.ts'
import { rowsOf } from './warehouse.ts'

/** A query of `sql/`, and how it says that it can be answered in parts. */
export type Divided = Pick<Model, 'name' | 'select' | 'partition'>

/** Makes the catalogue `part` the one of `db`: the place of the tables of one part. */
export async function createPart(db: DuckDBConnection): Promise<void> {
  await db.run(`attach ':memory:' as part`)
  await db.run('use part')
  for (const layer of LAYERS) await db.run(`create schema part.${layer}`)
  await createMacros(db)
}

/**
 * Makes `temp.whole` and `temp.parts`: the rows of the query from the tables of the catalogue `whole`, and from `parts` parts of
 * them.
 */
export async function inParts(
  db: DuckDBConnection,
  whole: string,
  query: Divided,
  parts: number,
): Promise<void> {
  const { partition, select } = query
  const tables = [...new Set(partition.inputs.map(({ table }) => table))]
  for (const table of tables) await db.run(`create or replace table part.${table} as from ${whole}.${table}`)
  await db.run(`create or replace temp table whole as ${select}`)
  await db.run('create or replace temp table parts as from temp.whole limit 0')
  for (let part = 0; part < parts; part++) {
    await givenPart(db, whole, partition, part, parts)
    const own = partition.result === null ? '' : ` where ${belongs(partition.result, part, parts)}`
    await db.run(`insert into temp.parts select * from (${select})${own}`)
  }
}

async function givenPart(
  db: DuckDBConnection,
  whole: string,
  partition: Partition,
  part: number,
  parts: number,
): Promise<void> {
  const filled = new Set<string>()
  for (const input of partition.inputs) {
    const { table } = input
    let rows = `from ${whole}.${table}`
    if (input.kind === 'split') {
      rows += ` where ${belongs(input.by, part, parts)}`
      if (input.leavesOutNull) rows += ` and ${input.by} is not null`
    }
    if (input.kind === 'asked') {
      await db.run(
        `create or replace temp table asked as
         select distinct hash(value) as value from (select ${input.asked} as value from part.${input.asker}) where value is not null`,
      )
      rows += ` where hash(${input.value}) in (select value from temp.asked)`
    }
    const before = filled.has(table) ? `from part.${table} union ` : ''
    filled.add(table)
    await db.run(`create or replace temp table rows as ${before}${rows}`)
    await db.run(`create or replace table part.${table} as from temp.rows`)
  }
}

function belongs(by: string, part: number, parts: number): string {
  return `hash(${by}) % ${parts} = ${part}`
}

/** The rows of `temp.whole` that `temp.parts` lacks, and those that it has more often; ten of each at most. */
export async function differences(db: DuckDBConnection): Promise<Record<string, unknown>> {
  return {
    missing: await rowsOf(db, 'from temp.whole except all from temp.parts limit 10'),
    added: await rowsOf(db, 'from temp.parts except all from temp.whole limit 10'),
  }
}
