import { z } from 'zod'

const Report = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.literal('unlimited')]) }) }),
})

/** How many files and connections the system lets this process have open; null where it sets no limit or names none. */
export function openFilesLimit(): number | null {
  // Else the report asks for the names of the hosts that are connected.
  Object.assign(process.report, { excludeNetwork: true })
  const { data } = Report.safeParse(process.report.getReport())
  const soft = data?.userLimits.open_files.soft
  return typeof soft === 'number' ? soft : null
}

// Snapshot, state file, event searches, uploads, results and calls of endpoints.
const MOST_OTHER_FILES = 512

/** How many connections leave enough of the open files for everything else. */
export function connectionsWithin(filesLimit: number): number {
  return Math.max(1, filesLimit - Math.min(MOST_OTHER_FILES, Math.floor(filesLimit / 2)))
}
