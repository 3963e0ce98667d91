import { stat } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { readWarehouse } from '../read-warehouse.ts'
import type { DoctorContext, Finding, WarehouseState } from './check.ts'

/** Whether the warehouse can be read. */
export async function checkWarehouse({ warehouse }: DoctorContext): Promise<Finding> {
  const { problem } = warehouse
  return {
    fields: { warehouse: problem },
    lines: [],
    complaints: problem === null ? [] : [`warehouse: ${problem}`],
  }
}

/** Runs `body` with the warehouse open for reading, or with the reason why it cannot be read. */
export async function withReadableWarehouse<T>(
  config: Config,
  body: (warehouse: WarehouseState) => Promise<T>,
): Promise<T> {
  if ((await stat(config.paths.warehouse).catch(() => null)) === null) {
    const problem = 'there is none yet: `platbook nightly` makes it from what lies in landing'
    return body({ db: null, problem, isInUse: false })
  }
  let isOpen = false
  try {
    return await readWarehouse(config, async (db) => {
      isOpen = true
      return body({ db, problem: null, isInUse: false })
    })
  } catch (error) {
    if (isOpen || !(error instanceof AppError)) throw error
    const isInUse = error.code === 'warehouse_locked'
    const problem = isInUse ? 'a run is going on: ask again when it has ended' : error.message
    return body({ db: null, problem, isInUse })
  }
}
