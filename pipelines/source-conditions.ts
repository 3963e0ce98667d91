import type { IngestReport } from '../src/ingest/ingest.ts'
import type { LateSource } from '../src/ingest/late.ts'
import { type Condition, withoutValues } from '../src/notify/condition.ts'
import { failuresOf } from './failures.ts'

/** Returns the conditions to notify the operator of after a nightly run: held loads, failed files and late files. */
export function sourceConditions(
  { sources, held, failed }: Pick<IngestReport, 'sources' | 'held' | 'failed'>,
  late: readonly LateSource[],
): Condition[] {
  const failures = failuresOf({ sources, held: [], failed })
  return [
    ...held.map(({ source_id, file_name, reason, findings }) => ({
      key: `held ${source_id} ${file_name}`,
      kind: 'held' as const,
      summary: `${source_id}: ${file_name} is held, and earlier data stays in use: ${withoutValues(reason)}`,
      command: `platbook sources held, then platbook sources accept ${source_id} or platbook sources reject ${source_id}`,
      source_id,
      file_name,
      before: findings[0]?.before ?? null,
      after: findings[0]?.after ?? null,
    })),
    ...failures.map(({ source_id, file_name, reason }) => ({
      key: `failed_file ${source_id} ${file_name ?? ''}`,
      kind: 'failed_file' as const,
      summary: `${source_id}: ${file_name === null ? 'no file could be loaded' : `${file_name} could not be loaded`}: ${withoutValues(reason)}`,
      command: 'platbook doctor; replace or remove the file, then platbook nightly',
      source_id,
      ...(file_name === null ? {} : { file_name }),
    })),
    ...late.map(({ source_id, newest_on, every_days, late_days }) => ({
      key: `late ${source_id}`,
      kind: 'late' as const,
      summary: `${source_id} is ${late_days} days late: newest file of ${newest_on}, due every ${every_days} days`,
      command: 'platbook sources',
      source_id,
      before: every_days,
      after: every_days + late_days,
    })),
  ]
}
