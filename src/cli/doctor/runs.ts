import { z } from 'zod'
import { query } from '../../warehouse/query.ts'
import type { DoctorContext, Finding } from './check.ts'

const Run = z.object({ step: z.string(), started_at: z.string(), status: z.string() })

/** The last runs, and whether the last one was killed. */
export async function checkRuns({ warehouse }: DoctorContext): Promise<Finding> {
  const runs =
    warehouse.db === null
      ? []
      : await query(
          warehouse.db,
          'select step, started_at, status from ledger.runs order by run_id desc limit 3',
          Run,
        )
  const shown = runs.map((past) => `${past.step} ${past.started_at.slice(0, 16)} ${past.status}`)
  return {
    fields: { runs },
    lines: [`runs       ${shown.join('; ') || 'none'}`],
    complaints: runs[0]?.status === 'killed' ? ['the last run was killed: run `platbook nightly` again'] : [],
  }
}
