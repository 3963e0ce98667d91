import { access, copyFile, mkdir, readdir, rm } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../errors.ts'
import { hasControlCharacter } from './stage-command.ts'

/** Spark reads these characters of a path as a pattern. */
const PATTERN = /[*?[\]{}\\]/
const FOLDER = /^\w[\w.-]*(?:\/\w[\w.=-]*)*$/

/**
 * The work folder of a run, which the driver and all workers see at the same path. Only this file knows how folders of the
 * run become URLs of Spark.
 */
export class WorkFolder {
  readonly #path: string

  /** @param work an absolute path or a `file:` URL */
  constructor(work: string) {
    const path = work.startsWith('file:') ? fileURLToPath(work) : work
    if (!isAbsolute(path) || hasControlCharacter(path) || PATTERN.test(path))
      throw new AppError(
        'bad_usage',
        `the work folder ${JSON.stringify(work)} is not usable: give an absolute path that all workers share, without * ? [ ] { } \\ and control characters`,
      )
    this.#path = path
  }

  /** Returns the URL of a folder for Spark. Spark does not decode percent signs, so the path stands as it is. */
  url(folder: string): string {
    return `file://${this.#pathOf(folder)}`
  }

  /** @throws `bad_usage` when the folder does not exist on this machine */
  async check(): Promise<void> {
    try {
      await access(this.#path)
    } catch (cause) {
      throw new AppError('bad_usage', `the work folder ${this.#path} does not exist on this machine: create it, or mount it here and on all workers`, { cause }) // prettier-ignore
    }
  }

  /** Returns the numbers of the units below `units` for which a folder has no `unit=<number>`. */
  async missingUnits(folder: string, units: number): Promise<number[]> {
    const found = new Set(await readdir(this.#pathOf(folder)))
    return Array.from({ length: units }, (_, unit) => unit).filter((unit) => !found.has(`unit=${unit}`))
  }

  /** Gives each of the units a copy of the Parquet file in `<folder>/<source>`, and removes `source`. */
  async copyToUnits(folder: string, source: string, units: readonly number[]): Promise<void> {
    const from = join(this.#pathOf(folder), source)
    const file = (await readdir(from)).find((name) => !/^[._]/.test(name) && name.endsWith('.parquet'))
    if (file === undefined)
      throw new AppError('stage_failed', `Spark wrote no Parquet file to ${from}: run again`)
    for (const unit of units) {
      const to = join(this.#pathOf(folder), `unit=${unit}`)
      await mkdir(to, { recursive: true })
      await copyFile(join(from, file), join(to, 'empty.parquet'))
    }
    await rm(from, { recursive: true })
  }

  #pathOf(folder: string): string {
    if (!FOLDER.test(folder) || folder.includes('..'))
      throw new AppError(
        'bad_usage',
        `${JSON.stringify(folder)} is not the name of a folder below the work folder`,
      )
    return join(this.#path, folder)
  }
}
