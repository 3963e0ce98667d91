import type { DuckDBConnection } from '@duckdb/node-api'
import type { AppError } from '../errors.ts'
import type { SourceDefinition } from './definition.ts'
import type { FileSet, Unit } from './file-sets.ts'
import type { FileRecord, LedgerFile } from './ledger.ts'
import type { Plan } from './plan.ts'

export interface LoadContext {
  readonly db: DuckDBConnection
  readonly source: SourceDefinition
  readonly plan: Plan
  readonly known: readonly LedgerFile[]
  readonly scratch: string
  /** The day and the instant of this run. */
  readonly today: string
  readonly at: string
  readonly signal: AbortSignal
  progress(file: string, rows: number, seconds: number): void
}

/** A file in this load; its record grows as it is read. `unit` is null for a file that cannot be opened. */
export interface LoadingFile {
  readonly set: FileSet
  readonly unit: Unit | null
  record: FileRecord
  failure: AppError | null
}

export interface ReadableFile extends LoadingFile {
  readonly unit: Unit
}

/** True for a file whose rows are staged, or that gives another file's rows another day. */
export function isServed({ status }: Pick<FileRecord, 'status'>): boolean {
  return status === 'loaded' || status === 'repeated'
}

export function inSet(files: readonly LoadingFile[], set: FileSet): LoadingFile[] {
  return files.filter((file) => file.set === set)
}

export function togetherWith({ record }: LoadingFile, what: 'failed' | 'is held'): string {
  return `it belongs together with ${shownRecord(record)}, which ${what}`
}

/** The name of a file as messages show it. */
export function shownRecord({ file_name, member }: Pick<FileRecord, 'file_name' | 'member'>): string {
  return member === null ? file_name : `${file_name}!${member}`
}
