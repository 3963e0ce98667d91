import { stat } from 'node:fs/promises'
import { messageOf } from '../../errors.ts'
import { currentSnapshot } from '../../lookup/current.ts'
import { verifySnapshot } from '../../lookup/verify.ts'
import { isTooOld, snapshotAge, tooOldMessage } from '../../notify/snapshot-age.ts'
import type { DoctorContext, Finding } from './check.ts'

interface SnapshotHealth {
  readonly version: string
  readonly age_hours: number
  readonly damaged: readonly string[]
}

/** The snapshot that is served: its age, and whether every file is as its manifest says. */
export async function checkSnapshot({ config, now, state }: DoctorContext): Promise<Finding> {
  const snapshot = await snapshotHealth(config.paths.snapshots, now)
  if (snapshot === null) {
    return {
      fields: { snapshot },
      lines: ['serving    nothing'],
      complaints: ['no snapshot is published: `platbook nightly` makes one'],
    }
  }
  const { version, age_hours, damaged } = snapshot
  const age = await snapshotAge(config, state.db, now)
  const condition = damaged.length === 0 ? 'every file as its manifest says' : 'DAMAGED'
  return {
    fields: { snapshot },
    lines: [`serving    ${version}, ${age_hours} h old, ${condition}`],
    complaints: [
      ...damaged.map(
        (problem) => `snapshot ${version}: ${problem}; run \`platbook nightly\`, which publishes anew`,
      ),
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
  if (snapshot.folder === '') return { version: 'none', age_hours: 0, damaged: [snapshot.version] }
  const damaged = (await verifySnapshot(snapshot.folder)).map(
    (problem) => `${problem.file}: ${problem.problem}`,
  )
  const made = (await stat(snapshot.folder)).mtime
  return {
    version: snapshot.version,
    age_hours: Math.round((now.getTime() - made.getTime()) / 3_600_000),
    damaged,
  }
}
