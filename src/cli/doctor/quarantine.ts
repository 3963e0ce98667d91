import { z } from 'zod'
import { query } from '../../warehouse/query.ts'
import { count } from '../progress.ts'
import type { DoctorContext, Finding } from './check.ts'

const Quarantined = z.object({
  source_id: z.string(),
  reason: z.string(),
  rows: z.int(),
  file_name: z.string(),
  line_number: z.int().nullable(),
})

/** Refused rows by source and reason, the most frequent first. */
export async function checkQuarantine({ warehouse }: DoctorContext): Promise<Finding> {
  const quarantine =
    warehouse.db === null
      ? []
      : await query(
          warehouse.db,
          `select source_id, reason, count(*)::integer as rows, min(file_name) as file_name,
             arg_min(line_number, (file_name, line_number)) as line_number
           from ledger.quarantine
           group by source_id, reason
           order by rows desc, source_id, reason
           limit 20`,
          Quarantined,
        )
  const lines = quarantine.map(
    (group) =>
      `  ${count(group.rows).padStart(8)}  ${group.source_id}: ${group.reason} (first: ${group.file_name}, line ${group.line_number ?? '?'})`,
  )
  return {
    fields: { quarantine },
    lines: lines.length === 0 ? [] : ['', 'in quarantine (ledger.quarantine has the rows)', ...lines],
    complaints: [],
  }
}
