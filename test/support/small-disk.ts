import { execFileSync } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface SmallDisk {
  /** Writes a file until nothing more fits. */
  fill(): Promise<void>
  /** Removes that file. */
  free(): Promise<void>
  unmount(): void
}

/** A real small disk in memory at `folder`; null, with a warning, where this user may not mount one. */
export function mountDisk(folder: string, kilobytes: number): SmallDisk | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    // Only the system may refuse: the command ended with a status, or there is no such command.
    const { status, code } = error as { status?: number | null; code?: string }
    if (typeof status !== 'number' && code !== 'ENOENT') throw error
    console.warn(`DISK FULL IS NOT TESTED HERE: no tmpfs can be mounted (${String(error).split('\n')[0]})`)
    return null
  }
  const filler = join(folder, 'filler')
  return {
    async fill() {
      const file = await open(filler, 'a')
      try {
        for (let size = 1 << 20; size >= 1; size = Math.floor(size / 2))
          await fillBy(file, Buffer.alloc(size))
      } finally {
        await file.close()
      }
    },
    free: () => rm(filler, { force: true }),
    unmount: () => void execFileSync('umount', ['-l', folder]),
  }
}

async function fillBy(file: Awaited<ReturnType<typeof open>>, bytes: Buffer): Promise<void> {
  try {
    for (;;) if ((await file.write(bytes)).bytesWritten < bytes.length) return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
