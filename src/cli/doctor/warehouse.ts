import { stat } from 'node:fs/promises'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { RunLedger } from '../../state/run-ledger.ts'
import { readWarehouse } from '../read-warehouse.ts'
import type { DoctorContext, Finding, WarehouseState } from './check.ts'

/** Checks that the warehouse can be read. A current run is not a problem; sources and quarantine are then left out of the report. */
export async function checkWarehouse({ warehouse, state }: DoctorContext): Promise<Finding> {
  const { problem, isInUse } = warehouse
  const isRun = isInUse && state.db !== null && (await new RunLedger(state.db).running()).length > 0
  return {
    fields: { warehouse: problem },
    lines: isRun ? [`warehouse  ${problem}`] : [],
    complaints: problem === null || isRun ? [] : [`warehouse: ${problem}`],
  }
}

/** Opens the warehouse read-only and runs `body`. If it cannot be read, `body` gets the reason. */
export async function withReadableWarehouse<T>(
  config: Config,
  body: (warehouse: WarehouseState) => Promise<T>,
): Promise<T> {
  if ((await stat(config.paths.warehouse).catch(() => null)) === null) {
    const problem = 'it does not exist yet: `platbook nightly` builds it from the files in landing'
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
    const problem = isInUse
      ? 'in use by another process: sources and quarantine can be checked when that process has ended'
      : error.message
    return body({ db: null, problem, isInUse })
  }
}
