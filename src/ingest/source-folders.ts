import type { LandedFile } from './landing.ts'

/** The folder in landing that keeps its files for a source: its id with `-` for `/` and `.`. */
export function folderName(id: string): string {
  return id.replaceAll(/[/.]/g, '-')
}

/** The sources by the names of their folders. */
export function folderNames(sources: readonly { readonly id: string }[]): Map<string, string> {
  return new Map(sources.map(({ id }) => [folderName(id), id]))
}

/** The sources in whose folders the file lies. */
export function ownersOf(file: Pick<LandedFile, 'name'>, folders: ReadonlyMap<string, string>): string[] {
  return file.name
    .split('/')
    .slice(0, -1)
    .flatMap((part) => folders.get(part) ?? [])
}
