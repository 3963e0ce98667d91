import { statfs } from 'node:fs/promises'
import type { DoctorContext, Finding } from './check.ts'

const LEAST_FREE_GIB = 5

/** Free space where the data folder lies. */
export async function checkDisk({ config }: DoctorContext): Promise<Finding> {
  const disk = await statfs(config.paths.root).catch(() => statfs('.'))
  const disk_free_gib = Math.round((disk.bavail * disk.bsize) / 2 ** 30)
  return {
    fields: { disk_free_gib },
    lines: [`disk       ${disk_free_gib} GiB free`],
    complaints: disk_free_gib < LEAST_FREE_GIB ? [`only ${disk_free_gib} GiB of disk are free`] : [],
  }
}
