import type { Database } from '../state/database.ts'
import type { Config } from '../config.ts'
import { currentSnapshot } from '../lookup/format/current.ts'
import { readManifest } from '../lookup/format/manifest.ts'
import { RunLedger } from '../state/run-ledger.ts'
import { ScheduleLedger } from '../state/schedule-ledger.ts'

export interface SnapshotAge {
  readonly version: string
  /** Hours since the snapshot was made, or since a later run found that nothing was new. */
  readonly hours: number
  /** Null when no limit applies. */
  readonly limitHours: number | null
}

/** The limit when a schedule runs the nightly job and `SNAPSHOT_MAX_AGE_HOURS` is not set. */
export const DEFAULT_LIMIT_HOURS = 36

/** Returns the age of the current snapshot; null when none can be read. `state` is null when there is no state file. */
export async function snapshotAge(
  { paths, SNAPSHOT_MAX_AGE_HOURS: limit }: Pick<Config, 'paths' | 'SNAPSHOT_MAX_AGE_HOURS'>,
  state: Database | null,
  now: Date,
): Promise<SnapshotAge | null> {
  const made = await currentManifest(paths.snapshots)
  if (made === null) return null
  // A run that published, or found nothing new, confirms that the snapshot contains everything in the landing folder.
  const confirmed = state === null ? null : await new RunLedger(state).lastPublishedAt(now)
  const since = Math.max(Date.parse(made.made_at), confirmed?.getTime() ?? 0)
  const isScheduled = state !== null && (await new ScheduleLedger(state).lastServed('nightly', now)) !== null
  return {
    version: made.version,
    hours: Math.floor((now.getTime() - since) / 3_600_000),
    limitHours: limit ?? (isScheduled ? DEFAULT_LIMIT_HOURS : null),
  }
}

export function isTooOld({ hours, limitHours }: SnapshotAge): boolean {
  return limitHours !== null && hours >= limitHours
}

export function tooOldMessage({ version, hours, limitHours }: SnapshotAge): string {
  return `snapshot ${version} was last updated ${hours} hours ago, the limit is ${limitHours}: \`platbook doctor\` shows which step failed, \`platbook nightly\` publishes a new snapshot`
}

// Returns null for a snapshot that cannot be read. Other reports explain the reason, and an error here would hide them.
async function currentManifest(snapshots: string): Promise<{ version: string; made_at: string } | null> {
  try {
    const current = await currentSnapshot(snapshots)
    return current === null ? null : readManifest(current.folder)
  } catch {
    return null
  }
}
