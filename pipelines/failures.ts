import type { IngestReport } from '../src/ingest/ingest.ts'

/** A held load, a failed file, or a source that failed as a whole. */
export interface SourceFailure {
  readonly source_id: string
  readonly what: 'held' | 'failed'
  /** Null when the whole source failed. */
  readonly file_name: string | null
  readonly reason: string
}

/** Returns the held loads and failed files, including those of earlier runs, sorted by source. */
export function failuresOf({
  sources,
  held,
  failed,
}: Pick<IngestReport, 'sources' | 'held' | 'failed'>): SourceFailure[] {
  const failures: SourceFailure[] = [
    ...held.map(({ source_id, file_name, reason }) => ({
      source_id,
      what: 'held' as const,
      file_name,
      reason,
    })),
    ...failed.map(({ source_id, file_name, reason }) => ({
      source_id,
      what: 'failed' as const,
      file_name,
      reason,
    })),
  ]
  const named = new Set(failures.map(({ source_id }) => source_id))
  for (const { source_id, status, reason } of sources) {
    if (status !== 'rolled_back' || named.has(source_id)) continue
    failures.push({ source_id, what: 'failed', file_name: null, reason: reason ?? 'no reason recorded' })
  }
  return failures.sort((a, b) => (a.source_id < b.source_id ? -1 : a.source_id > b.source_id ? 1 : 0))
}

/** Returns the sources as text, one entry per source and kind of failure: `us/fl/a (held), us/ny/b (failed)`. */
export function namesOf(failures: readonly SourceFailure[]): string {
  const names = failures.map(({ source_id, what }) => `${source_id} (${what})`)
  return [...new Set(names)].join(', ')
}
