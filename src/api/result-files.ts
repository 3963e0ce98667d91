import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type ResultShape, writeParquet } from '../enrich/write/result-formats.ts'
import { writeScreened } from '../enrich/write/screened-result.ts'
import { mayMeanSuppressed } from '../lookup/format/suppressed-names.ts'
import type { Snapshots } from './snapshots.ts'

/**
 * What is made of a list's result when it is asked for, beside it in the job's folder: the result without who has been
 * suppressed since, one for each snapshot and list of the suppressed, and Parquet. Each is made once for all who ask; what nobody has asked for
 * for an hour goes when another is made.
 */
export class ResultFiles {
  readonly #snapshots: Snapshots
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(snapshots: Snapshots) {
    this.#snapshots = snapshots
  }

  /** The result at `result` as it may be shown now: itself while nobody is suppressed. */
  async screened(result: string, shape: ResultShape): Promise<string> {
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

  /** As Parquet what is at `path`, a result or one that was screened. */
  async parquet(path: string, shape: ResultShape): Promise<string> {
    const made = `${path}.parquet`
    await this.made(made, (to) => writeParquet(path, to, shape))
    return made
  }

  /** Has `write` make the file at `path` when it isn't there: whole or not at all, once for all who ask meanwhile. */
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
  // Another process may be making the same one.
  const part = `${path}.${randomUUID()}.part`
  try {
    await write(part)
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** Since it was last asked for, or written to. Who was given a name may open it twice; nobody takes as long. */
const KEPT_MS = 3_600_000

/** Removes what was made of a result and isn't wanted any more, parts of a killed process too. */
async function removeOld(result: string): Promise<void> {
  const [folder, own] = [dirname(result), basename(result)]
  for (const name of await readdir(folder)) {
    if (name === own || !name.startsWith(own)) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found !== null && found.mtimeMs < Date.now() - KEPT_MS) await rm(path, { force: true })
  }
}
