import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type ResultShape, writeParquet } from '../enrich/write/result-formats.ts'
import { writeScreened } from '../enrich/write/screened-result.ts'
import { mayMeanSuppressed } from '../lookup/format/suppressed-names.ts'
import type { Snapshots } from './snapshots.ts'

/**
 * Makes files from the result of an enrichment when they are requested, and keeps them in the job's folder. One kind is the result
 * without people suppressed since; it is made once per snapshot and state of the suppression list. The other kind is Parquet.
 * Each file is made once for all requests. Files not requested for an hour are removed when another file is made.
 */
export class ResultFiles {
  readonly #snapshots: Snapshots
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(snapshots: Snapshots) {
    this.#snapshots = snapshots
  }

  /** Returns the path of the result without suppressed people; `result` itself when nobody is suppressed. */
  async withoutSuppressed(result: string, shape: ResultShape): Promise<string> {
    return this.#snapshots.use(async (lookup) => {
      const { suppressed, version } = lookup
      if (suppressed === null) return result
      const copy = `${result}.${version}_${this.#snapshots.suppressionChange}.screened.csv`
      await this.made(copy, async (to) => {
        await writeScreened(result, to, shape, {
          mayBeSuppressed: (id) => lookup.mayBeSuppressed(id),
          mayNameSuppressed: (name) => mayMeanSuppressed(suppressed.names, name, null),
        })
        await removeOld(result)
      })
      return copy
    })
  }

  /** Returns the path of a Parquet file with the rows of the CSV file at `path`. */
  async parquet(path: string, shape: ResultShape): Promise<string> {
    const made = `${path}.parquet`
    await this.made(made, (to) => writeParquet(path, to, shape))
    return made
  }

  /** Calls `write` to make the file at `path` if it does not exist. Simultaneous calls share one `write`. The file is complete or absent. */
  async made(path: string, write: (to: string) => Promise<void>): Promise<void> {
    let making = this.#underWay.get(path)
    if (making === undefined) {
      making = make(path, write).finally(() => this.#underWay.delete(path))
      this.#underWay.set(path, making)
    }
    await making
  }
}

async function make(path: string, write: (to: string) => Promise<void>): Promise<void> {
  const now = new Date()
  const isThere = await utimes(path, now, now).then(
    () => true,
    () => false,
  )
  if (isThere) return
  // Use a name of its own, because another process may be making the same file.
  const part = `${path}.${randomUUID()}.part`
  try {
    await write(part)
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** Time since the last request after which a file may be removed. Longer than any request that may still open the file. */
const KEPT_MS = 3_600_000

/** Removes files made from a result that were not requested for an hour, including unfinished ones of a killed process. */
async function removeOld(result: string): Promise<void> {
  const [folder, own] = [dirname(result), basename(result)]
  for (const name of await readdir(folder)) {
    if (name === own || !name.startsWith(own)) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found !== null && found.mtimeMs < Date.now() - KEPT_MS) await rm(path, { force: true })
  }
}
