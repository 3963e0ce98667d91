import type { DuckDBConnection } from '@duckdb/node-api'
import { quotedLiteral } from '../../../../src/warehouse/query.ts'
import { createRecordTables } from '../../../support/linkage.ts'
import { recordsOf, type World, WORLD_COLUMNS, type WorldColumn } from './kit/world.ts'

const ADDRESS = ['house_number', 'street_name', 'unit_number', 'city', 'state', 'zip']

/** Writes the records of a world into the table `world_records`, with their truth. */
export async function fillWorldRecords(db: DuckDBConnection, world: World, records?: number): Promise<void> {
  const columns = ['record_id', 'truth', 'source_id', ...WORLD_COLUMNS]
  await db.run(
    `create or replace table world_records (${columns.map((column) => `${column} varchar`).join(', ')})`,
  )
  const appender = await db.createAppender('world_records')
  let written = 0
  for (const record of recordsOf(world, records)) {
    appender.appendVarchar(`${world.name}-${++written}`)
    appender.appendVarchar(String(record.truth))
    appender.appendVarchar(record.source ?? world.name)
    for (const column of WORLD_COLUMNS) {
      const value = record[column]
      if (value === undefined || value === '') appender.appendNull()
      else appender.appendVarchar(value)
    }
    appender.endRow()
  }
  appender.closeSync()
}

/** Fills `link.records` and `truth` from `world_records`, without the columns in `without`. */
export async function loadWorld(
  db: DuckDBConnection,
  world: World,
  without: readonly WorldColumn[] = [],
): Promise<void> {
  const column = (name: WorldColumn): string => (without.includes(name) ? 'null::varchar' : name)
  const datePart = (part: number): string =>
    `try_cast(regexp_extract(${column('birth_date')}, '^(\\d{4})(?:-(\\d\\d)-(\\d\\d))?$', ${part}) as integer)`
  const address = ADDRESS.map((part) => `${part}: ${column(part as WorldColumn)}`).join(', ')
  await createRecordTables(db)
  await db.run(`insert into link.records by name select
    record_id,
    source_id,
    ${column('first_name')} as first_name,
    ${column('middle_name')} as middle_name,
    ${column('last_name')} as last_name,
    ${column('suffix')} as name_suffix,
    ${datePart(1)} as birth_year,
    ${datePart(2)} as birth_month,
    ${datePart(3)} as birth_day,
    ${column('gender')} as gender,
    [{address_key: null::varchar, building_key: null::varchar, ${address}}] as addresses,
    [${column('phone')}] as phones,
    [${column('email')}] as emails,
    ${column('employer')} as employer,
    ['national_id:' || ${column('national_id')}] as identifiers,
    ['occupation:' || ${column('occupation')}, 'country:' || ${column('country')}] as traits
    from world_records`)
  for (const source of world.duplicateFree ?? []) {
    await db.run(`insert into link.source_traits values (${quotedLiteral(source)}, true, false)`)
  }
  await db.run('create or replace table truth as select record_id, truth as cluster from world_records')
}

/** Writes `world_records` as a file for other tools; the file's ending says whether as CSV or Parquet. */
export async function writeWorld(db: DuckDBConnection, world: World, file: string): Promise<void> {
  const used = new Set(world.columns.flat())
  const columns = WORLD_COLUMNS.filter((column) => used.has(column))
  const format = file.endsWith('.parquet') ? 'format parquet' : 'format csv, header'
  await db.run(
    `copy (select record_id, truth, source_id, ${columns.join(', ')} from world_records) to ${quotedLiteral(file)} (${format})`,
  )
}
