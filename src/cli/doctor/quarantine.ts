import { type Discard, quarantineGroups } from '../../ingest/quarantine.ts'
import { QuarantineDiscards } from '../../state/quarantine-discards.ts'
import { count } from '../progress.ts'
import type { DoctorContext, Finding, StateFile } from './check.ts'

const SHOWN_GROUPS = 20

/** Reports the refused lines that wait for a decision, by source and reason, the most frequent first. */
export async function checkQuarantine({ warehouse, state, now }: DoctorContext): Promise<Finding> {
  const quarantine =
    warehouse.db === null
      ? []
      : await quarantineGroups(warehouse.db, await discardsOf(state, now), {}, SHOWN_GROUPS)
  const lines = quarantine.map(
    (group) =>
      `  ${count(group.rows).padStart(8)}  ${group.source_id}: ${group.reason} (first: ${group.file_name}, line ${group.line_number ?? '?'})`,
  )
  return {
    fields: { quarantine },
    lines:
      lines.length === 0
        ? []
        : ['', 'in quarantine (`platbook quarantine show SOURCE` prints the lines)', ...lines],
    complaints: [],
  }
}

/** Returns the lines that the operator discarded; an empty array when the state file cannot be read. */
export async function discardsOf({ db }: StateFile, now: Date): Promise<Discard[]> {
  return db === null ? [] : await new QuarantineDiscards(db, () => now).all()
}
