import { mkdir, statfs } from 'node:fs/promises'
import { AppError } from '../../errors.ts'

/** The message for callers, without details of the operator's disk. */
export const SHORT_OF_SPACE = 'The service is short of disk space: send the request again later.'

/** The free space of the disk with inputs and results. */
export class DiskSpace {
  readonly #folder: string
  readonly #keepFree: number

  /** `keepFree` is in bytes. */
  constructor(folder: string, keepFree: number) {
    this.#folder = folder
    this.#keepFree = keepFree
  }

  /** @throws `disk_full` when less than `keepFree` would be free after writing `wanted` bytes */
  async check(wanted = 0): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    const { bavail, bsize } = await statfs(this.#folder)
    if (bavail * bsize - wanted >= this.#keepFree) return
    const [free, kept] = [bavail * bsize, this.#keepFree].map((bytes) => Math.floor(bytes / 2 ** 20))
    throw new AppError(
      'disk_full',
      `the disk of ${this.#folder} has ${free} MiB free, and ${kept} MiB must stay free (ENRICHMENT_KEEP_FREE_MB): delete files or lower the setting`,
    )
  }
}
