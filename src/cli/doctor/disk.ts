import { freeGib, LEAST_FREE_GIB } from '../../notify/disk.ts'
import type { DoctorContext, Finding } from './check.ts'

/** Checks the free space on the disk of the data folder. */
export async function checkDisk({ config }: DoctorContext): Promise<Finding> {
  const disk_free_gib = Math.round(await freeGib(config.paths.root))
  return {
    fields: { disk_free_gib },
    lines: [`disk       ${disk_free_gib} GiB free`],
    complaints:
      disk_free_gib < LEAST_FREE_GIB
        ? [
            `only ${disk_free_gib} GiB are free on the disk of ${config.paths.root}: free space, or move the data folder`,
          ]
        : [],
  }
}
