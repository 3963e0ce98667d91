import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AppError, messageOf } from '../errors.ts'
import { checkDefinition } from './canonical-rows.ts'
import { parseDefinition, type SourceDefinition } from './definition.ts'

/**
 * Every definition below `folders`, by id. A `.json` file is one; a `.ts` file is one when it has a default export
 * (others are what definitions share), and must have it when its name is that of a feed: `<place>.<feed>.ts`.
 * @throws `bad_definition` that names the file
 */
export async function loadSources(folders: string[]): Promise<SourceDefinition[]> {
  const sources = new Map<string, { source: SourceDefinition; file: string }>()
  for (const folder of folders) {
    for (const file of await definitionFiles(folder)) {
      const value = await readDefinition(file)
      if (value === undefined) continue
      const source = parseDefinition(value, file)
      checkDefinition(source)
      const other = sources.get(source.id)
      if (other !== undefined) {
        throw new AppError(
          'bad_definition',
          `${file} and ${other.file} both define ${source.id}: give one another id`,
        )
      }
      sources.set(source.id, { source, file })
    }
  }
  return [...sources.values()].map(({ source }) => source).sort((a, b) => (a.id < b.id ? -1 : 1))
}

async function definitionFiles(folder: string): Promise<string[]> {
  let names: string[]
  try {
    names = await readdir(folder, { recursive: true })
  } catch (cause) {
    throw new AppError(
      'bad_config',
      `the folder of source definitions ${folder} cannot be read: ${messageOf(cause)}`,
      { cause },
    )
  }
  return names
    .filter((name) => /\.(ts|json)$/.test(name) && !name.endsWith('.d.ts') && !name.includes('node_modules'))
    .sort()
    .map((name) => resolve(join(folder, name)))
}

async function readDefinition(file: string): Promise<unknown> {
  try {
    if (file.endsWith('.json')) return JSON.parse(await readFile(file, 'utf8'))
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown }
    if (module.default === undefined && /\.[a-z0-9-]+\.ts$/.test(file)) {
      throw new Error('it has no default export')
    }
    return module.default
  } catch (cause) {
    throw new AppError(
      'bad_definition',
      `${file} cannot be read as a source definition: ${messageOf(cause)}`,
      {
        cause,
      },
    )
  }
}
