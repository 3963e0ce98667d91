import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { query } from '../warehouse/query.ts'
import { blocksOf } from './content.ts'
import { type Correction, CORRECTION_SUFFIX, correctionHead } from './corrections.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import { expectedColumns } from './header.ts'
import { readRecords } from './landed-records.ts'
import { createLoading, ensureTables, type FileRecord, Groups, prepareTables, UNREAD } from './ledger.ts'
import { folderName } from './source-folders.ts'
import type { ExportNote } from './quarantine-export.ts'
import { RawLoader, rawTables } from './raw-loader.ts'
import { readText } from './read-text.ts'
import { faultyColumn } from './refusal-hints.ts'

const CorrectedFile = z.object({
  base_name: z.string(),
  groups: Groups,
  as_of_on: z.string(),
})
/** The name, groups and day of the corrected file. The definition's expressions use them. */
export type CorrectedFile = z.output<typeof CorrectedFile>

/** Returns the file that a correction names from the ledger, or null when it is not loaded. */
export async function correctedFile(
  db: DuckDBConnection,
  { source_id, kind, corrects }: Correction,
): Promise<CorrectedFile | null> {
  const rows = await query(
    db,
    `select base_name, to_json(groups)::varchar as groups, as_of_on::varchar as as_of_on from ledger.files
     where source_id = $source_id and kind = $kind and container_sha256 = $sha256
       and member is not distinct from $member and status in ('loaded', 'held') order by file_id limit 1`,
    CorrectedFile,
    { source_id, kind, sha256: corrects.container_sha256, member: corrects.member },
  )
  return rows[0] ?? null
}

const Refused = z.object({ line_number: z.int(), reason: z.string(), column: z.string().nullable() })

export interface Trial {
  readonly records: number
  /** Lines of the file with corrected records that a load would refuse again. */
  readonly refused: readonly z.output<typeof Refused>[]
}

/**
 * Reads corrected records in an empty warehouse, with the same checks of rows as a load.
 * @throws `header_drift`, `source_unreadable`
 */
export async function tryCorrection(options: {
  db: DuckDBConnection
  source: SourceDefinition
  kind: FileKind
  corrected: CorrectedFile
  path: string
  scratch: string
  at: string
}): Promise<Trial> {
  const { db, source, kind, corrected, path, scratch, at } = options
  const { format } = kind
  if (format.type === 'parquet')
    throw new AppError('bad_usage', `${path}: Parquet cannot be replayed; put a corrected file into landing`)
  const { size } = await stat(path)
  const file = { path, name: path, byteCount: size, modifiedAtMs: 0, sha256: '', members: null, correction: null, fault: null } // prettier-ignore
  const record: FileRecord = {
    ...UNREAD,
    file_id: 1,
    source_id: source.id,
    kind: kind.kind,
    file_name: path,
    member: null,
    ...corrected,
    container_sha256: '',
    sha256: null,
    byte_count: size,
  }
  const content = { file, member: null, name: { base: path, archives: [] } }
  await prepareTables(db)
  await ensureTables(db, rawTables(source))
  await createLoading(db, [record])
  const loader = new RawLoader({ db, source, scratch, at }, kind)
  try {
    const { physicalRecords } = await readText(
      blocksOf(content, scratch),
      format,
      expectedColumns(kind),
      path,
      (layout) => loader.sink({ fileId: 1, shownName: path }, layout),
      () => loader.loadFullChunks(),
    )
    await loader.finish([1], [])
    const refused = await query(
      db,
      `select line_number, reason, field as "column" from ledger.quarantine order by line_number`,
      Refused,
    )
    const columns = new Map<number, string | null>()
    const reasons = new Map(refused.map((line) => [line.line_number, line.reason]))
    if (refused.some(({ column }) => column === null)) {
      await readRecords(
        content,
        kind,
        scratch,
        new Set(reasons.keys()),
        ({ line, bytes, columns: names }) => {
          columns.set(line, faultyColumn(reasons.get(line) ?? '', bytes, kind, names))
        },
      )
    }
    const named = refused.map((line) => ({
      ...line,
      column: line.column ?? columns.get(line.line_number) ?? null,
    }))
    return { records: physicalRecords, refused: named }
  } catch (error) {
    await loader.abandon()
    throw error
  }
}

/**
 * Writes corrected records as a correction file into landing and returns its name. Replaces an earlier correction
 * of the same export.
 */
export async function landCorrection(
  path: string,
  note: ExportNote,
  corrected: CorrectedFile,
  landing: string,
): Promise<string> {
  const { exported_at, ...correction } = note
  const head = correctionHead(correction)
  const stamp = exported_at.replaceAll(/[-:]|\..*$/g, '')
  const id = createHash('sha256').update(head).digest('hex').slice(0, 8)
  const base = corrected.base_name.replaceAll(/[^\w.-]/g, '_').slice(0, 100)
  const name = [
    'corrections',
    folderName(correction.source_id),
    `${stamp}-${id}-${base}${CORRECTION_SUFFIX}`,
  ].join('/')
  const target = join(landing, name)
  const partial = `${target}.partial`
  await mkdir(dirname(target), { recursive: true })
  await rm(partial, { force: true })
  const output = await open(partial, 'wx', 0o600)
  try {
    await output.writeFile(head)
    let isFirst = true
    for await (const block of createReadStream(path) as AsyncIterable<Buffer>) {
      const hasMark = isFirst && block[0] === 0xef && block[1] === 0xbb && block[2] === 0xbf
      await output.writeFile(hasMark ? block.subarray(3) : block)
      isFirst = false
    }
    await output.sync()
  } finally {
    await output.close()
  }
  await rename(partial, target)
  return name
}
