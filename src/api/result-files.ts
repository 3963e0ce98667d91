import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Field } from '../enrich/fields.ts'
import { writeParquet } from '../enrich/result-formats.ts'
import { writeScreened } from '../enrich/screened-result.ts'
import { mayMeanSuppressed } from '../lookup/suppressed-names.ts'
import type { Snapshots } from './snapshots.ts'

/**
 * What is made of a list's result when it is asked for, beside it in the job's folder: the result without who has been
 * suppressed since, one for each snapshot and list of the suppressed, and Parquet. Each is made once for all who ask.
 */
export class ResultFiles {
  readonly #snapshots: Snapshots
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(snapshots: Snapshots) {
    this.#snapshots = snapshots
  }

  /** The result at `result` as it may be shown now: itself while nobody is suppressed. */
  async screened(result: string, fields: readonly Field[]): Promise<string> {
    return this.#snapshots.use(async (lookup) => {
      const { suppressed, version } = lookup
      if (suppressed === null) return result
      const copy = `${result}.${version}_${this.#snapshots.suppressionChange}${SCREENED}`
      await this.made(copy, async (to) => {
        await writeScreened(result, to, fields, {
          mayBeSuppressed: (id) => lookup.mayBeSuppressed(id),
          mayNameSuppressed: (name) => mayMeanSuppressed(suppressed.names, name, null),
        })
        await removeOld(dirname(result))
      })
      return copy
    })
  }

  /** As Parquet what is at `path`, a result or one that was screened. */
  async parquet(path: string, fields: readonly Field[]): Promise<string> {
    const made = `${path}.parquet`
    await this.made(made, (to) => writeParquet(path, to, fields))
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

const SCREENED = '.screened.csv'

async function make(path: string, write: (to: string) => Promise<void>): Promise<void> {
  if ((await stat(path).catch(() => null)) !== null) return
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

// The newest one stays: somebody may be about to read it.
async function removeOld(folder: string): Promise<void> {
  const names = await readdir(folder)
  const screened = names.filter((name) => name.endsWith(SCREENED))
  const found = await Promise.all(
    screened.map(async (name) => ({ name, madeAt: (await stat(join(folder, name)).catch(() => null))?.mtimeMs ?? 0 })), // prettier-ignore
  )
  const [, ...old] = found.sort((a, b) => b.madeAt - a.madeAt)
  for (const { name } of old)
    for (const one of names)
      if (one === name || one === `${name}.parquet`) await rm(join(folder, one), { force: true })
}
