import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { query } from '../warehouse/query.ts'
import { contentsOf, shownName } from './content.ts'
import { type Decision, decisionKey } from './decision.ts'
import type { FileKind, SourceDefinition } from './definition.ts'
import { type FileName, fileName, matchFileName } from './file-names.ts'
import type { LandedFile } from './landing.ts'
import { folderName, folderNames, ownersOf } from './source-folders.ts'

/** Contents that several sources would read: the ids of the sources, by the content's name in reports. */
export type SharedContents = ReadonlyMap<string, readonly string[]>

/**
 * Finds contents that several sources would read, because their records would count twice. Leaves out files in the
 * landing folder of one source, and files that the operator rejected for all other sources.
 */
export function sharedContents(
  sources: readonly SourceDefinition[],
  files: readonly LandedFile[],
  folders: ReadonlyMap<string, string>,
  decisions: readonly Decision[],
): SharedContents {
  const rejected = new Set(
    decisions
      .filter(({ decision }) => decision === 'reject')
      .map((each) => `${each.source_id}\n${decisionKey(each)}`),
  )
  const shared = new Map<string, string[]>()
  for (const file of files) {
    if (file.fault !== null || ownersOf(file, folders).length > 0) continue
    for (const content of contentsOf(file)) {
      const key = decisionKey({ sha256: file.sha256, member: content.member })
      const readers = readersOf(sources, content.name).filter((id) => !rejected.has(`${id}\n${key}`))
      if (readers.length > 1) shared.set(shownName(content), readers)
    }
  }
  return shared
}

/** Returns the reason why a file that several sources would read is not loaded, and what the operator can do. */
export function sharedFault(readers: readonly string[]): string {
  return (
    `${listed(readers, 'and')} would both read this file, and its records would count twice: narrow a "pattern", ` +
    `move the file into the folder ${listed(readers.map(folderName), 'or')}, or reject it for one of the sources`
  )
}

/**
 * Returns a warning for each group of sources that read files of the same name. It compares the patterns of the
 * definitions and tries the file names of their examples. Files with such names must lie in the landing folders of
 * their sources.
 */
export function sharedNames(sources: readonly SourceDefinition[]): string[] {
  const names = new Map<string, string>()
  const note = (readers: readonly string[], name: string): void => {
    const key = readers.join('\n')
    if (readers.length > 1 && !names.has(key)) names.set(key, name)
  }
  for (const source of sources) {
    for (const { file } of source.examples) {
      if (file === undefined) continue
      const name = fileName(file)
      // The name of the archive distinguishes packed files, so a kind with `archivePattern` is tested only with
      // packed names.
      const isNamed = ({ archivePattern }: FileKind): boolean =>
        archivePattern === undefined || name.archives.length > 0
      note(readersOf(sources, name, isNamed), file)
    }
    for (const { pattern, archivePattern } of source.files) {
      const isSame = (kind: FileKind): boolean =>
        kind.pattern === pattern && kind.archivePattern === archivePattern
      note(
        sources.filter(({ files }) => files.some(isSame)).map(({ id }) => id),
        [archivePattern, pattern].filter((text) => text !== undefined).join('!'),
      )
    }
  }
  return [...names].map(([key, name]) => {
    const readers = key.split('\n')
    return (
      `${listed(readers, 'and')} read files of the same name (${name}); ` +
      `put the files of each into a folder of its own in landing: ${readers.map(folderName).join(', ')}`
    )
  })
}

export interface LoadedTwice {
  readonly readers: readonly string[]
  readonly files: number
  /** The name of one of the files, as an example. */
  readonly file_name: string
}

/**
 * Returns the files that several sources have loaded, grouped by these sources. Earlier versions of Platbook did
 * not refuse such files.
 */
export async function loadedTwice(
  db: DuckDBConnection,
  definitions: readonly SourceDefinition[],
): Promise<LoadedTwice[]> {
  const folders = folderNames(definitions)
  const rows = await query(
    db,
    `select file_name, string_agg(distinct source_id, chr(10) order by source_id) as readers from ledger.files
     where status = 'loaded' group by file_name, member, container_sha256 having count(distinct source_id) > 1
     order by file_name`,
    z.object({ file_name: z.string(), readers: z.string() }),
  )
  const mistaken = rows.filter(({ file_name }) => ownersOf({ name: file_name }, folders).length === 0)
  return [...Map.groupBy(mistaken, ({ readers }) => readers)].map(([readers, files]) => ({
    readers: readers.split('\n'),
    files: files.length,
    file_name: files[0]?.file_name ?? '',
  }))
}

function readersOf(
  sources: readonly SourceDefinition[],
  name: FileName,
  isNamed: (kind: FileKind) => boolean = () => true,
): string[] {
  return sources
    .filter(({ files }) => files.some((kind) => isNamed(kind) && matchFileName(kind, name) !== null))
    .map(({ id }) => id)
}

/** Returns the texts as a list in words: `a, b and c`. */
export function listed(texts: readonly string[], word: 'and' | 'or'): string {
  return `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`
}
