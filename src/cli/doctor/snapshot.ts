import { stat } from 'node:fs/promises'
import { messageOf } from '../../errors.ts'
import { currentSnapshot } from '../../lookup/format/current.ts'
import { readManifest, versionFault } from '../../lookup/format/manifest.ts'
import { verifySnapshot } from '../../lookup/index.ts'
import { isTooOld, snapshotAge, tooOldMessage } from '../../notify/snapshot-age.ts'
import type { DoctorContext, Finding } from './check.ts'

interface SnapshotHealth {
  readonly version: string
  readonly age_hours: number
  readonly damaged: readonly string[]
  /** Why this version of Platbook cannot read the snapshot, if another version made it; else null. */
  readonly other_version: string | null
}

/** Checks the age of the current snapshot, and compares its files with its manifest. */
export async function checkSnapshot({ config, now, state }: DoctorContext): Promise<Finding> {
  const snapshot = await snapshotHealth(config.paths.snapshots, now)
  if (snapshot === null) {
    return {
      fields: { snapshot },
      lines: ['snapshot   none'],
      complaints: ['no snapshot is published: run `platbook nightly`'],
    }
  }
  const { version, age_hours, damaged, other_version } = snapshot
  const age = await snapshotAge(config, state.db, now)
  const condition = damaged.length > 0 ? 'DAMAGED' : (other_version ?? 'all files match the manifest')
  return {
    fields: { snapshot },
    lines: [`snapshot   ${version}, ${age_hours} h old, ${condition}`],
    complaints: [
      ...damaged.map(
        (problem) =>
          `snapshot ${version}: ${problem}; run \`platbook nightly\`, which publishes a new snapshot`,
      ),
      ...(other_version === null ? [] : [`snapshot ${version} was ${other_version}`]),
      ...(age !== null && isTooOld(age) ? [tooOldMessage(age)] : []),
    ],
  }
}

async function snapshotHealth(folder: string, now: Date): Promise<SnapshotHealth | null> {
  const snapshot = await currentSnapshot(folder).catch((error: unknown) => ({
    version: messageOf(error),
    folder: '',
  }))
  if (snapshot === null) return null
  if (snapshot.folder === '')
    return { version: 'none', age_hours: 0, damaged: [snapshot.version], other_version: null }
  const damaged = (await verifySnapshot(snapshot.folder)).map(
    (problem) => `${problem.file}: ${problem.problem}`,
  )
  const fault = damaged.length === 0 ? versionFault(readManifest(snapshot.folder)) : null
  const made = (await stat(snapshot.folder)).mtime
  return {
    version: snapshot.version,
    age_hours: Math.round((now.getTime() - made.getTime()) / 3_600_000),
    damaged,
    other_version: fault === null ? null : `${fault.made}: ${fault.next}`,
  }
}
