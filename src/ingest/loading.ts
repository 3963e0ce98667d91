import type { DuckDBConnection } from '@duckdb/node-api'
import type { AppError } from '../errors.ts'
import type { SourceDefinition } from './definition.ts'
import type { FileSet, Unit } from './file-sets.ts'
import type { FileRecord } from './ledger.ts'
import type { Plan } from './plan.ts'

export interface LoadContext {
  readonly db: DuckDBConnection
  readonly source: SourceDefinition
  readonly plan: Plan
  readonly known: readonly FileRecord[]
  readonly scratch: string
  /** The day of this run (`YYYY-MM-DD`) and its instant (ISO 8601). */
  readonly today: string
  readonly at: string
  readonly signal: AbortSignal
  progress(file: string, rows: number, seconds: number): void
}

/**
 * A file of the current load. `record` is replaced as the file is read. `unit` is null for a file that cannot be
 * opened.
 */
export interface LoadingFile {
  readonly set: FileSet
  readonly unit: Unit | null
  record: FileRecord
  failure: AppError | null
}

export interface ReadableFile extends LoadingFile {
  readonly unit: Unit
}

/** Returns true when the file's rows belong into staging: its own rows, or those of the file that it repeats. */
export function isServed({ status }: Pick<FileRecord, 'status'>): boolean {
  return status === 'loaded' || status === 'repeated'
}

export function inSet(files: readonly LoadingFile[], set: FileSet): LoadingFile[] {
  return files.filter((file) => file.set === set)
}

export function togetherWith({ record }: LoadingFile, what: 'failed' | 'is held'): string {
  return `it is loaded only together with ${shownRecord(record)}, which ${what}`
}

/** Returns the name of a file in messages: `archive.zip!member.txt` for a member of a zip. */
export function shownRecord({ file_name, member }: Pick<FileRecord, 'file_name' | 'member'>): string {
  return member === null ? file_name : `${file_name}!${member}`
}
