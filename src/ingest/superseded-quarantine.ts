import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../warehouse/query.ts'
import { rawTable, supersededGroup } from './canonical-rows.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import type { LoadingFile } from './loading.ts'

/**
 * Records which newer file supersedes a file with quarantined lines, so that these lines need no decision. The newer
 * file replaces all rows of the older one (`supersedes`), or has its name and day.
 */
export async function settleSuperseded(
  db: DuckDBConnection,
  source: SourceDefinition,
  loaded: readonly LoadingFile[],
  isDefinitionChanged: boolean,
): Promise<void> {
  for (const kind of source.files) {
    const fresh = loaded.filter(({ record }) => record.kind === kind.kind)
    if (fresh.length === 0 && !isDefinitionChanged) continue
    // A file that is sent once more is the newest again, so no file supersedes it.
    const again = fresh.flatMap(({ record }) => record.same_as_file_id ?? [])
    if (again.length > 0) {
      await execute(
        db,
        `update ledger.files set superseded_by_file_id = null
         where file_id in (${again.join(', ')}) or part_of_file_id in (${again.join(', ')})`,
      )
    }
    const isAllNew = isDefinitionChanged || again.length > 0
    await settleKind(db, source, kind, isAllNew ? 'all' : fresh.map(({ record }) => record.file_id))
  }
}

async function settleKind(
  db: DuckDBConnection,
  source: SourceDefinition,
  kind: FileKind,
  newer: 'all' | readonly number[],
): Promise<void> {
  await execute(
    db,
    `create or replace temp table contents as
     select content.file_id, max({'day': named.as_of_on, 'id': named.file_id}) as issue,
       any_value(content.base_name) as base_name, any_value(content.as_of_on) as as_of_on,
       bool_or(content.refused_rows > 0 and content.superseded_by_file_id is null) as is_open
     from ledger.files as named
     join ledger.files as content on content.file_id = coalesce(named.same_as_file_id, named.file_id)
     where named.source_id = $source and named.kind = $kind and named.status in ('loaded', 'repeated')
       and content.status = 'loaded' and content.corrected_lines is null
     group by content.file_id`,
    { source: source.id, kind: kind.kind },
  )
  const isNewer = newer === 'all' ? 'true' : `newer.file_id in (${[0, ...newer].join(', ')})`
  const pairs = `temp.contents as older join temp.contents as newer on newer.issue > older.issue
    where older.is_open and ${isNewer}`
  const [open] = await query(
    db,
    `select count(*)::integer as pairs from ${pairs}`,
    z.object({ pairs: z.number() }),
  )
  if ((open?.pairs ?? 0) === 0) return
  const group = supersededGroup(source, kind)
  const raw = `${rawTable(source.id, kind.kind)} as r join ledger.files as f on f.file_id = r.file_id`
  const covered =
    group === null
      ? `select older.file_id, newer.file_id as by_file_id from ${pairs}`
      : `select older.file_id, newer.file_id as by_file_id from ${pairs}
           and newer.base_name = older.base_name and newer.as_of_on = older.as_of_on
         union all
         select pairs.file_id, pairs.by_file_id
         from (select older.file_id, newer.file_id as by_file_id from ${pairs}) as pairs
         join group_names as own on own.file_id = pairs.file_id
         left join group_names as theirs on theirs.file_id = pairs.by_file_id and theirs.name = own.name
         group by all having count(*) = count(theirs.name)`
  const groupNames = `select distinct r.file_id, ${group ?? "''"} as name from ${raw}
    where r.file_id in (select older.file_id from ${pairs} union select newer.file_id from ${pairs})`
  await execute(
    db,
    `create or replace temp table superseded as
     with group_names as (${groupNames})
     select file_id, min(by_file_id) as by_file_id from (${covered}) group by file_id`,
  )
  await execute(
    db,
    `update ledger.files as files set superseded_by_file_id = superseded.by_file_id from temp.superseded as superseded
     where files.file_id = superseded.file_id or files.part_of_file_id = superseded.file_id`,
  )
}
