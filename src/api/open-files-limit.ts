import { z } from 'zod'

const Report = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.literal('unlimited')]) }) }),
})

/** Returns the system's limit of open files and connections for this process; null when there is none or it is unknown. */
export function openFilesLimit(): number | null {
  // Without this, the report would resolve the host names of all connections.
  Object.assign(process.report, { excludeNetwork: true })
  const { data } = Report.safeParse(process.report.getReport())
  const soft = data?.userLimits.open_files.soft
  return typeof soft === 'number' ? soft : null
}

// Open files other than connections: snapshot, state file, event searches, uploads, results and calls to endpoints.
const MOST_OTHER_FILES = 512

/** Returns how many connections leave enough open files for everything else. */
export function connectionsWithin(filesLimit: number): number {
  return Math.max(1, filesLimit - Math.min(MOST_OTHER_FILES, Math.floor(filesLimit / 2)))
}
