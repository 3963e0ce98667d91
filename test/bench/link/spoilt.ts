import { z } from 'zod'
import { findInputFaults } from '../../../src/link/records/input-faults.ts'
import { linkAllRecords } from '../../../src/link/run.ts'
import { openWarehouse } from '../../../src/warehouse/open.ts'
import { query } from '../../../src/warehouse/query.ts'
import { SPOILT_INPUTS } from './spoilt-inputs.ts'
import { fillWorld } from './world.ts'

// Two processes, so that the run's memory is its own: `node spoilt.ts make FILE MENTIONS [NAME]` (without a name a clean
// world), then `node spoilt.ts link FILE`, which prints one JSON line.
const [step, file, records, name] = process.argv.slice(2)
if (step === 'make') await make(file!)
else console.log(JSON.stringify(await measure(file!)))

async function make(path: string): Promise<void> {
  const warehouse = await openWarehouse(path, { memoryLimit: '1GB', threads: 2 })
  await fillWorld(warehouse.db, Number(records))
  const spoilt = SPOILT_INPUTS.find((input) => input.name === name)
  if (spoilt !== undefined) await warehouse.db.run(spoilt.sql)
  await warehouse.close()
}

async function measure(path: string): Promise<Record<string, unknown>> {
  const warehouse = await openWarehouse(path, { memoryLimit: '1GB', threads: 2 })
  const { db } = warehouse
  const before = process.cpuUsage()
  const run = await linkAllRecords(db, { threads: 2, today: '2026-01-01' })
  const { user, system } = process.cpuUsage(before)
  const [sizes] = await query(
    db,
    `select coalesce(max(size), 1)::integer as largest from (select count(*) as size from link.groups group by cluster)`,
    z.object({ largest: z.int() }),
  )
  const faults = await findInputFaults(db)
  const found = {
    records: run.records.count,
    pairs: run.pairs,
    cpu_seconds: (user + system) / 1e6,
    gib: process.resourceUsage().maxRSS / 2 ** 20,
    largest: sizes!.largest,
    faults,
  }
  await warehouse.close()
  return found
}
