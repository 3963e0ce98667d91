import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import type { RunFolder } from './run-folder.ts'

/** Remembers the finished steps of a run in its folder, so that a run that was killed goes on where it stopped. */
export class FinishedSteps {
  readonly #folder: RunFolder

  constructor(folder: RunFolder) {
    this.#folder = folder
  }

  /** Runs a step and returns its facts. A step that has finished before is not run; its facts are read. */
  async once<Facts extends object>(name: string, step: () => Promise<Facts>): Promise<Facts> {
    const file = this.#folder.pathOf('_finished', `${name}.json`)
    const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (known !== undefined) return JSON.parse(known) as Facts
    const facts = await step()
    await mkdir(this.#folder.pathOf('_finished'), { recursive: true })
    await writeFile(`${file}.partial`, JSON.stringify(facts), { flush: true })
    await rename(`${file}.partial`, file)
    return facts
  }
}
