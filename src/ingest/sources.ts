import { readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AppError, messageOf } from '../errors.ts'
import { parseJson } from '../json-places.ts'
import { SourceDefinition } from './definition.ts'
import { staticFaults } from './definition-faults.ts'
import { type Fault, shapeFaults, shownFaults } from './faults.ts'
import { importPlace } from './module-places.ts'

/** A definition that cannot be used. Other sources are loaded without it. */
export interface BadDefinition {
  /** The id that the definition gives, or the one that its path gives. */
  readonly id: string
  readonly file: string
  /** One line per fault, with file, line, column and field. */
  readonly message: string
}

export interface ReadSources {
  readonly sources: SourceDefinition[]
  readonly bad: BadDefinition[]
}

/**
 * Reads all definitions below `folders` and returns them sorted by id. A `.json` file is a definition. A `.ts` file
 * is a definition when it has a default export. Other `.ts` files are shared parts, but a file `<place>.<feed>.ts`
 * must have one.
 *
 * A faulty definition is returned in `bad`. When two definitions have one id, the first one read is used.
 * @throws `bad_config` when a folder cannot be read
 */
export async function readSources(folders: string[]): Promise<ReadSources> {
  const sources = new Map<string, { source: SourceDefinition; file: string }>()
  const bad: BadDefinition[] = []
  for (const folder of folders) {
    for (const file of await definitionFiles(folder)) {
      let id = idOfPath(folder, file)
      try {
        const value = await readDefinition(file)
        if (value === undefined) continue
        id = idIn(value) ?? id
        const parsed = SourceDefinition.safeParse(value)
        const faults = parsed.success ? staticFaults(parsed.data) : shapeFaults(parsed.error)
        const other = sources.get(id)
        if (other !== undefined) {
          const message = `${file} and ${other.file} both define ${id}: give one of them another id`
          faults.push({ path: ['id'], message })
        }
        if (parsed.success && faults.length === 0) {
          sources.set(id, { source: parsed.data, file })
          filesOf.set(parsed.data, file)
        } else bad.push({ id, file, message: (await shownFaults(file, faults)).join('\n') })
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'bad_definition') throw error
        bad.push({ id, file, message: error.message })
      }
    }
  }
  const sorted = [...sources.values()].map(({ source }) => source).sort((a, b) => (a.id < b.id ? -1 : 1))
  return { sources: sorted, bad }
}

/**
 * Returns all definitions below `folders`, sorted by id.
 * @throws `bad_definition`, which lists every faulty file and fault
 */
export async function loadSources(folders: string[]): Promise<SourceDefinition[]> {
  const { sources, bad } = await readSources(folders)
  if (bad.length === 0) return sources
  throw new AppError('bad_definition', bad.map(({ message }) => message).join('\n'))
}

/** The file of each definition, for messages. */
const filesOf = new WeakMap<SourceDefinition, string>()

/** Returns faults as text, with their places in the definition's file. */
export async function placedFaults(source: SourceDefinition, faults: readonly Fault[]): Promise<string[]> {
  const file = filesOf.get(source)
  return file === undefined ? faults.map(({ message }) => message) : await shownFaults(file, faults)
}

function idOfPath(folder: string, file: string): string {
  return relative(resolve(folder), file)
    .replaceAll('\\', '/')
    .replace(/\.(ts|json)$/, '')
}

function idIn(value: unknown): string | null {
  const id = (value as { id?: unknown } | null)?.id
  return typeof id === 'string' ? id : null
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
    if (file.endsWith('.json')) return parseJson(await readFile(file, 'utf8'), file, 'bad_definition')
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown }
    if (module.default === undefined && /\.[a-z0-9-]+\.ts$/.test(file)) {
      throw new Error('it has no default export')
    }
    return module.default
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const reason = `cannot be read as a source definition: ${messageOf(cause)}`
    throw new AppError('bad_definition', `${importPlace(cause, file)}: ${reason}`, { cause })
  }
}
