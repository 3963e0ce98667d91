import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { FileKind, SourceDefinition } from '../../ingest/definition.ts'
import {
  type Discard,
  type QuarantinedLine,
  quarantinedLines,
  type Selection,
} from '../../ingest/quarantine.ts'
import { readSources } from '../../ingest/sources.ts'
import type { CommandIo } from '../io.ts'
import { readWarehouse } from '../read-warehouse.ts'
import { withState } from '../with-state.ts'

export interface QuarantineRequest {
  readonly io: CommandIo
  readonly isJson: boolean
  readonly sourceFolders: readonly string[]
  readonly selection: Selection
}

export async function recordedDiscards(io: CommandIo): Promise<Discard[]> {
  return await withState(io, (state) => state.quarantineDiscards.all())
}

/** Returns the selected lines in one of `states`, at most `limit`, grouped by landed file. Prints a message when there are none. */
export async function selectedLines(
  { io, selection }: QuarantineRequest,
  states: Parameters<typeof quarantinedLines>[3],
  limit: number,
): Promise<QuarantinedLine[][]> {
  const discards = await recordedDiscards(io)
  const lines = await readWarehouse(io.config, (db) =>
    quarantinedLines(db, discards, selection, states, limit),
  )
  if (lines.length === 0)
    io.err(
      `no matching refused line of ${selection.source ?? ''} is waiting; \`platbook quarantine list\` lists the waiting lines`,
    )
  return [...Map.groupBy(lines, ({ file_id }) => file_id).values()]
}

/** Creates a temporary folder, runs `body` and removes the folder. */
export async function withScratch<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'platbook-quarantine-'))
  try {
    return await body(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export interface Defined {
  readonly source: SourceDefinition
  readonly kind: FileKind
}

/**
 * Reads all definitions. Returns a function that finds the definition of a source and of one of its file kinds, and throws
 * `bad_definition` when there is none.
 */
export async function definitions(
  folders: readonly string[],
): Promise<(sourceId: string, kind: string) => Defined> {
  const { sources } = await readSources([...folders])
  return (sourceId, kindName) => {
    const source = sources.find(({ id }) => id === sourceId)
    const kind = source?.files.find((each) => each.kind === kindName)
    if (source !== undefined && kind !== undefined) return { source, kind }
    throw new AppError(
      'bad_definition',
      `there is no usable definition of ${sourceId} with the kind ${kindName}: \`platbook sources\` lists them; --sources names your own folder`,
    )
  }
}
