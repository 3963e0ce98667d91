import type { LandedFile } from './landing.ts'

/**
 * Returns the name of the landing folder whose files belong to the source `id` alone: its id with `-` in place of
 * `/` and `.`.
 */
export function folderName(id: string): string {
  return id.replaceAll(/[/.]/g, '-')
}

/** Returns the id of each source by the name of its landing folder. */
export function folderNames(sources: readonly { readonly id: string }[]): Map<string, string> {
  return new Map(sources.map(({ id }) => [folderName(id), id]))
}

/** Returns the ids of the sources in whose landing folders the file lies. */
export function ownersOf(file: Pick<LandedFile, 'name'>, folders: ReadonlyMap<string, string>): string[] {
  return file.name
    .split('/')
    .slice(0, -1)
    .flatMap((part) => folders.get(part) ?? [])
}
