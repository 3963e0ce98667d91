import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { dayOf } from '../../clock.ts'
import { waitingFiles } from '../../ingest/held.ts'
import { quarantineAccounts } from '../../ingest/quarantine.ts'
import { lateDays, SAMPLE_FOLDER } from '../../ingest/late.ts'
import { listed, loadedTwice } from '../../ingest/shared-files.ts'
import { query } from '../../warehouse/query.ts'
import { count } from '../progress.ts'
import type { DoctorContext, Finding } from './check.ts'
import { discardsOf } from './quarantine.ts'

const Loaded = z.object({
  source_id: z.string(),
  files: z.int(),
  rows: z.int(),
  refused: z.int(),
  newest_on: z.string().nullable(),
  /** Whether the source has loaded only the invented files of the sample, which are never reported as late. */
  is_sample: z.boolean(),
  loaded_at: z.string().nullable(),
  status: z.string().nullable(),
  reason: z.string().nullable(),
})

/** Reports the loaded files of each source, and the sources that are late, that failed, or whose files are held or loaded twice. */
export async function checkSources({ warehouse, definitions, state, now }: DoctorContext): Promise<Finding> {
  const { held, failed } = warehouse.db === null ? { held: [], failed: [] } : await waitingFiles(warehouse.db)
  const loaded_twice = warehouse.db === null ? [] : await loadedTwice(warehouse.db, definitions)
  const failedSources = new Set(failed.map(({ source_id }) => source_id))
  const everyDays = new Map(definitions.map((source) => [source.id, source.everyDays]))
  const loaded = warehouse.db === null ? [] : await loadedSources(warehouse.db)
  const accounts =
    warehouse.db === null ? [] : await quarantineAccounts(warehouse.db, await discardsOf(state, now))
  const waiting = new Map(accounts.map((account) => [account.source_id, account.waiting]))
  const sources = loaded.map((source) => {
    const every_days = everyDays.get(source.source_id) ?? 0
    const late_days = source.is_sample ? 0 : lateDays(source.newest_on, every_days, dayOf(now))
    return { ...source, quarantined: waiting.get(source.source_id) ?? 0, every_days, late_days }
  })
  const known = new Set(sources.map((source) => source.source_id))
  const missing_sources =
    warehouse.db === null ? [] : definitions.map((source) => source.id).filter((id) => !known.has(id))
  const lines = ['', 'loaded']
  for (const source of sources) {
    const late =
      source.late_days > 0 ? `, ${source.late_days} days late` : source.is_sample ? ' (sample)' : ''
    lines.push(
      `  ${source.source_id.padEnd(34)} ${String(source.files).padStart(4)} ${source.files === 1 ? 'file ' : 'files'} ${count(source.rows).padStart(12)} rows, ${count(source.quarantined)} quarantined, newest ${source.newest_on ?? 'unknown'}${late}`,
    )
  }
  if (sources.length === 0) lines.push(warehouse.isInUse ? '  unknown: the warehouse is in use' : '  nothing')
  if (missing_sources.length > 0) lines.push(`  never loaded: ${missing_sources.join(', ')}`)
  return {
    fields: { sources, missing_sources, held, failed, loaded_twice },
    lines,
    complaints: [
      ...held.map(
        ({ source_id, file_name, reason }) =>
          `${source_id}: ${file_name} is held: ${reason}; load it with \`platbook sources accept ${source_id}\` or leave it out with \`platbook sources reject ${source_id}\``,
      ),
      ...failed.map(
        ({ source_id, file_name, reason }) =>
          `${source_id}: ${file_name} failed: ${reason}; correct or remove the file, or leave it out with \`platbook sources reject ${source_id} --file '${file_name}'\``,
      ),
      ...loaded_twice.map(
        ({ readers, files, file_name }) =>
          `${listed(readers, 'and')} have both loaded ${file_name}${files > 1 ? ` and ${count(files - 1)} more files` : ''}, so its records count twice; ` +
          'make a "pattern" narrower or move the file into the folder of one source, then run `platbook rebuild`',
      ),
      ...sources
        .filter(({ source_id, status }) => status === 'rolled_back' && !failedSources.has(source_id))
        .map(({ source_id, reason }) => `${source_id} was rolled back: ${reason ?? 'no reason recorded'}`),
      ...sources
        .filter(({ late_days }) => late_days > 0)
        .map(
          ({ source_id, late_days, newest_on, every_days }) =>
            `${source_id} is ${late_days} days late: newest file of ${newest_on}, due every ${every_days} days`,
        ),
    ],
  }
}

async function loadedSources(db: DuckDBConnection): Promise<z.output<typeof Loaded>[]> {
  return query(
    db,
    `select files.source_id, count(*) filter (where files.status = 'loaded')::integer as files,
       coalesce(sum(files.loaded_rows) filter (where files.status = 'loaded'), 0)::double as rows,
       coalesce(sum(files.refused_rows) filter (where files.status = 'loaded'), 0)::double as refused,
       max(files.as_of_on) filter (where files.status in ('loaded', 'repeated')) as newest_on,
       bool_and(starts_with(files.file_name, $sample)) as is_sample, max(files.loaded_at) as loaded_at,
       any_value(sources.status) as status, any_value(sources.reason) as reason
     from ledger.files
     left join ledger.sources using (source_id)
     group by files.source_id
     order by files.source_id`,
    Loaded,
    { sample: SAMPLE_FOLDER },
  )
}
