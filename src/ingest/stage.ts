import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query, quotedIdentifier, quotedLiteral } from '../warehouse/query.ts'
import {
  type CanonicalSelect,
  canonicalSelect,
  identityText,
  rawTable,
  supersededGroup,
} from './canonical-rows.ts'
import { CANONICAL_TABLES, type CanonicalName, keepsPast, stagingTables } from './canonical.ts'
import type { FileKind, SourceDefinition } from './definition.ts'

/**
 * The table of issues. An issue is a file together with the day of its content. Issues of a kind are ordered by day,
 * then by file id. Rows with equal values of `supersedes` form a group. Staging has the rows of the newest issue that
 * has rows of the group. A row of an older issue is kept in `staging.past_<table>` when the next issue has no row with
 * the same content. So staging does not depend on the order in which files were loaded.
 */
const ISSUES = 'temp.issues'

/** Columns that change from issue to issue without new information about a person or property. */
const NOT_CONTENT = new Set([
  'roll_year',
  'owner_sequence',
  'ownership_percent',
  'is_confidential',
  'deed_on',
  'deed_number',
  'observed_on',
])

/** Stages all groups of which the files in `isNew` have rows. `all` stands for all files of the kind. */
export async function stageKind(
  db: DuckDBConnection,
  source: SourceDefinition,
  kind: FileKind,
  isNew: ReadonlySet<number> | 'all',
): Promise<void> {
  if (kind.rows.length === 0) return
  const issues = await createIssues(db, source, kind, isNew)
  if (issues.fresh === 0) return
  const raw = rawTable(source.id, kind.kind)
  const group = supersededGroup(source, kind)
  const isOrdered = issues.all > 1
  if (isOrdered) await createSequence(db, raw, group)
  if (issues.all > issues.fresh) await deleteOldRows(db, kind, raw, group)
  const copies = await createCopies(db, raw, identityText(source, kind), isOrdered)
  const inSequence = isOrdered
    ? ` join temp.sequence as s on s.issue_id = f.issue_id and s.superseded_group = ${group ?? "''"}`
    : ''
  const selects = kind.rows.map((rows) => ({
    into: rows.into,
    select: canonicalSelect(source, kind, rows, { raw, files: ISSUES, copies }),
  }))
  for (const { into, select } of selects) {
    const newest = isOrdered ? ' and s.next_issue_id is null' : ''
    await execute(
      db,
      `insert into staging.${into} by name
       select ${named(select)} from ${select.from}${inSequence} where ${select.where}${newest}`,
    )
  }
  if (isOrdered) {
    const sequenced = `${raw} as r join temp.issues as f on f.file_id = r.file_id${inSequence}`
    for (const into of new Set(kind.rows.map((rows) => rows.into))) {
      const same = selects.filter((each) => each.into === into).map((each) => each.select)
      if (keepsPast(into)) await stagePast(db, into, same, sequenced)
    }
  }
  await countOutside(db, raw, selects)
  if (isOrdered)
    for (const table of ['sequence', 'next_contents', 'superseded_rows'])
      await execute(db, `drop table if exists temp.${table}`)
}

/** Deletes all staged rows of a source. */
export async function clearStaging(db: DuckDBConnection, sourceId: string): Promise<void> {
  for (const table of (Object.keys(CANONICAL_TABLES) as CanonicalName[]).flatMap(stagingTables)) {
    await execute(db, `delete from staging.${table} where source_id = ${quotedLiteral(sourceId)}`)
  }
}

async function createIssues(
  db: DuckDBConnection,
  source: SourceDefinition,
  kind: FileKind,
  isNew: ReadonlySet<number> | 'all',
): Promise<{ all: number; fresh: number }> {
  const fresh =
    isNew === 'all' ? 'true' : isNew.size === 0 ? 'false' : `named.file_id in (${[...isNew].join(', ')})`
  await execute(
    db,
    `create or replace temp table issues as
     select min(named.file_id) as issue_id, content.file_id, named.as_of_on,
       content.file_id as issue_content_id, '' as correction,
       arg_min(named.base_name, named.file_id) as base_name, named.groups, bool_and(${fresh}) as is_new
     from ledger.files as named
     join ledger.files as content on content.file_id = coalesce(named.same_as_file_id, named.file_id)
     where named.source_id = $source and named.kind = $kind and named.status in ('loaded', 'repeated')
       and content.status = 'loaded' and content.loaded_rows > 0 and content.corrected_lines is null
     group by content.file_id, named.as_of_on, named.groups`,
    { source: source.id, kind: kind.kind },
  )
  // The rows of a correction belong to the issue whose lines it replaces.
  await execute(
    db,
    `insert into temp.issues by name
     select issues.* replace (
       named.file_id as file_id, named.file_name as correction, issues.is_new or ${fresh} as is_new)
     from temp.issues join ledger.files as named on named.part_of_file_id = issues.file_id
     where named.status = 'loaded' and named.loaded_rows > 0`,
  )
  const [counts] = await query(
    db,
    `select count(*)::integer as "all", count(*) filter (is_new)::integer as fresh from temp.issues`,
    z.object({ all: z.number(), fresh: z.number() }),
  )
  return counts ?? { all: 0, fresh: 0 }
}

/** Creates `temp.sequence`: the issues with rows of a group, each with the next issue. Only groups of new issues. */
async function createSequence(db: DuckDBConnection, raw: string, group: string | null): Promise<void> {
  const issues = `${raw} as r join temp.issues as f on f.file_id = r.file_id`
  const found =
    group === null
      ? `select distinct '' as superseded_group, issue_id, as_of_on from temp.issues`
      : `select distinct ${group} as superseded_group, f.issue_id, f.as_of_on from ${issues}
         where ${group} in (select ${group} from ${issues} where f.is_new)`
  await execute(
    db,
    `create or replace temp table sequence as
     select superseded_group, issue_id, lead(issue_id) over (
       partition by superseded_group order by as_of_on, issue_id
     ) as next_issue_id
     from (${found})`,
  )
}

/** Deletes the staging rows of earlier issues in the groups of new issues. The caller stages them again. */
async function deleteOldRows(
  db: DuckDBConnection,
  kind: FileKind,
  raw: string,
  group: string | null,
): Promise<void> {
  const affected = group === null ? '' : ` and ${group} in (select superseded_group from temp.sequence)`
  await execute(
    db,
    `create or replace temp table old_rows as
     select distinct r.file_id, r.line_number
     from ${raw} as r join temp.issues as f on f.file_id = r.file_id
     where not f.is_new${affected}`,
  )
  const filled = new Set(kind.rows.map((rows) => rows.into))
  for (const table of [...filled].flatMap(stagingTables)) {
    await execute(
      db,
      `delete from staging.${table} as t using temp.old_rows as o
       where t.file_id = o.file_id and t.line_number = o.line_number`,
    )
  }
}

/**
 * Numbers the rows that have the same identity within one file and its corrections: 2 for the second row, and so on.
 * Resolves to the name of the table, or to null when there are no such rows.
 */
async function createCopies(
  db: DuckDBConnection,
  raw: string,
  identity: string,
  isOrdered: boolean,
): Promise<string | null> {
  const concerned = isOrdered ? 'where issue_id in (select issue_id from temp.sequence)' : ''
  // A file may be two issues (two days). Its lines are read once.
  const from =
    `${raw} as r join (select file_id, any_value(base_name) as base_name, any_value(groups) as groups, ` +
    `any_value(issue_content_id) as issue_content_id, any_value(correction) as correction ` +
    `from temp.issues ${concerned} group by file_id) as f on f.file_id = r.file_id`
  // Compares hashes first, because they need less memory than texts. Almost all files have no duplicates.
  await execute(
    db,
    `create or replace temp table repeated as
     select f.issue_content_id, hash(${identity}) as identity_hash from ${from} group by all having count(*) > 1`,
  )
  const [found] = await query(
    db,
    'select count(*)::integer as identities from temp.repeated',
    z.object({ identities: z.number() }),
  )
  if (found?.identities === 0) return null
  await execute(
    db,
    `create or replace temp table copies as
     with candidates as (
       select r.file_id, r.line_number, f.issue_content_id, f.correction, ${identity} as identity
       from ${from}
       where (f.issue_content_id, hash(${identity})) in (select (issue_content_id, identity_hash) from temp.repeated)
     )
     select file_id, line_number, copy
     from (
       select file_id, line_number,
         row_number() over (
           partition by issue_content_id, identity order by correction, line_number
         )::integer as copy
       from candidates
     )
     where copy > 1`,
  )
  return 'temp.copies'
}

/**
 * Fills the past table: rows of older issues for which the next issue has no row with the same content. Compares
 * hashes, and builds whole rows only for those.
 */
async function stagePast(
  db: DuckDBConnection,
  into: CanonicalName,
  selects: CanonicalSelect[],
  sequenced: string,
): Promise<void> {
  const compared = selects.map((select) => {
    const content = select.columns.filter(({ name }) => isContent(into, name)).map(({ sql }) => sql)
    return { select, content: `hash(${content.join(', ')})` }
  })
  const nextContents = compared.map(
    ({ select, content }) =>
      `select f.issue_id, s.superseded_group, ${content} as content from ${sequenced}
       where ${select.where} and f.issue_id in (select next_issue_id from temp.sequence)`,
  )
  await execute(db, `create or replace temp table next_contents as ${nextContents.join(' union ')}`)
  for (const { select, content } of compared) {
    await execute(
      db,
      `create or replace temp table superseded_rows as
       select r.file_id, r.line_number, f.issue_id, s.next_issue_id from ${sequenced}
       where s.next_issue_id is not null and ${select.where} and not exists (
         select 1 from temp.next_contents
         where next_contents.issue_id = s.next_issue_id and next_contents.superseded_group = s.superseded_group
           and next_contents.content = ${content}
       )`,
    )
    await execute(
      db,
      `insert into staging.past_${into} by name
       select ${named(select)}, following.as_of_on as superseded_on
       from ${select.from}
       join temp.superseded_rows on superseded_rows.file_id = r.file_id and superseded_rows.line_number = r.line_number and superseded_rows.issue_id = f.issue_id
       join (select distinct issue_id, as_of_on from temp.issues) as following
         on following.issue_id = superseded_rows.next_issue_id`,
    )
  }
}

function isContent(table: CanonicalName, column: string): boolean {
  return column in CANONICAL_TABLES[table].columns && !NOT_CONTENT.has(column)
}

const Counts = z.record(z.string(), z.number())

/** Counts in the ledger how many dates of the new files were outside their bounds, by column. */
async function countOutside(
  db: DuckDBConnection,
  raw: string,
  selects: { into: CanonicalName; select: CanonicalSelect }[],
): Promise<void> {
  const counted = selects.flatMap(({ into, select }) =>
    select.outside.map(({ column, sql }) => ({
      column: `${into}.${column}`,
      sql: `count(*) filter (${select.where} and ${sql})::integer`,
    })),
  )
  if (counted.length === 0) return
  const counts = counted.map(({ sql }, index) => `${sql} as c${index}`).join(', ')
  const files = await query(
    db,
    `select r.file_id, ${counts} from ${raw} as r join temp.issues as f on f.file_id = r.file_id
     where f.is_new group by r.file_id`,
    Counts,
  )
  for (const file of files) {
    const columns: Record<string, number> = {}
    for (const [index, { column }] of counted.entries()) {
      const count = file[`c${index}`] ?? 0
      if (count > 0) columns[column] = (columns[column] ?? 0) + count
    }
    const outside = Object.keys(columns).length === 0 ? null : JSON.stringify(columns)
    await execute(db, `update ledger.files set outside_bounds = $outside where file_id = ${file.file_id}`, {
      outside,
    })
  }
}

function named(select: CanonicalSelect): string {
  return select.columns.map(({ name, sql }) => `${sql} as ${quotedIdentifier(name)}`).join(', ')
}
