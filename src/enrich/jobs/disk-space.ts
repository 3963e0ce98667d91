import { mkdir, statfs } from 'node:fs/promises'
import { AppError } from '../../errors.ts'

/** To callers, whom the operator's disk does not concern. */
export const SHORT_OF_SPACE = 'The service is short of disk space: send the request again later.'

/** The disk that lists and results are written to, of which a part is kept free for everything else. */
export class DiskSpace {
  readonly #folder: string
  readonly #keepFree: number

  /** `keepFree` in bytes. */
  constructor(folder: string, keepFree: number) {
    this.#folder = folder
    this.#keepFree = keepFree
  }

  /** @throws `disk_full` when `wanted` more bytes would leave less free than is kept. */
  async check(wanted = 0): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    const { bavail, bsize } = await statfs(this.#folder)
    if (bavail * bsize - wanted >= this.#keepFree) return
    const [free, kept] = [bavail * bsize, this.#keepFree].map((bytes) => Math.floor(bytes / 2 ** 20))
    throw new AppError(
      'disk_full',
      `the disk of ${this.#folder} has ${free} MiB free, and ${kept} MiB are kept (ENRICHMENT_KEEP_FREE_MB): free some space`,
    )
  }
}
