import type { Columns } from '../format/columns.ts'
import type { Suppressed } from '../format/suppressed.ts'
import { type Index, openIndex } from './snapshot-index.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

/** One open snapshot, from which answers are made. Functions that need only the index or the workspace take only that. */
export interface Snapshot {
  readonly index: Index
  readonly workspace: Workspace
  /** The people whom no answer may contain; null when there are none. */
  suppressed: Suppressed | null
}

/** Opens the files in a snapshot's `lookup/` folder. Another thread may have read `columns`. */
export function openSnapshot(lookupFolder: string, columns: Columns): Snapshot {
  const index = openIndex(lookupFolder, columns)
  return { index, workspace: createWorkspace(index), suppressed: null }
}
