import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { STEPS } from '../../../pipelines/nightly.ts'
import { AppError, messageOf } from '../../errors.ts'
import {
  changedIds,
  keepIdentities,
  type KeptRun,
  keptRun,
  verifyKept,
} from '../../link/ids/kept-identities.ts'
import { stateFolderOf } from '../../link/link-records.ts'
import { syncFolder } from '../../sync-files.ts'
import { asideIn } from '../backups.ts'
import type { CommandIo } from '../io.ts'
import { count } from '../progress.ts'
import { readWarehouse } from '../read-warehouse.ts'
import { runSteps } from './nightly.ts'

export const summary = 'rebuilds the warehouse from the files in landing and keeps the person ids'
export const usage =
  'platbook rebuild [--new-ids] [--data DIR] [--sources DIR]\n\nThe old warehouse is moved aside, not deleted. --new-ids accepts new person ids where the old ones are lost.'

/** Moves the warehouse aside without deleting it, and makes a nightly run in a new one. `platbook nightly` finishes a killed rebuild. */
export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      sources: { type: 'string', multiple: true },
      'new-ids': { type: 'boolean' },
    },
  })
  const { warehouse, identities } = io.config.paths
  const kept = existsSync(warehouse) ? await lastIdentities(io) : await keptRun(identities)
  if (kept !== null) {
    await verifyKept(kept)
    io.out(
      `  the person ids of run ${kept.run_number}, ${kept.linked_at.slice(0, 16)}, are saved in ${identities}`,
    )
  } else if (existsSync(warehouse) && values['new-ids'] !== true) {
    throw new AppError(
      'state_missing',
      `${identities} holds no person ids, and ${warehouse} cannot be read: people would get new ids. ` +
        'Restore a backup with `platbook restore --from`, or accept new ids with `platbook rebuild --new-ids`',
    )
  }
  if (existsSync(warehouse)) io.out(`  the old warehouse is now in ${await moveAside(io)}`)
  const sources = (values.sources ?? []).flatMap((folder) => ['--sources', folder])
  const exitCode = await runSteps(sources, io, STEPS)
  if (kept === null) return exitCode
  const { records, changed } = await changedIds(kept, await keptRun(identities))
  io.out(`  ${count(changed)} of ${count(records)} records got another person id`)
  return exitCode
}

/** Saves the person ids of the warehouse in `state/identities`, if the warehouse can be read. Returns the newest saved person ids. */
async function lastIdentities(io: CommandIo): Promise<KeptRun | null> {
  const { identities, linkModel } = io.config.paths
  try {
    await readWarehouse(io.config, async (db) => keepIdentities(db, identities, linkModel))
  } catch (error) {
    if (error instanceof AppError && error.code === 'warehouse_locked') throw error
    io.out(`  the warehouse cannot be read: ${messageOf(error).split('\n')[0] ?? ''}`)
  }
  return keptRun(identities)
}

async function moveAside({ config, now }: CommandIo): Promise<string> {
  const { warehouse, linkModel } = config.paths
  const folder = dirname(warehouse)
  const aside = await asideIn(folder, now())
  // The database file is moved last: if a kill left its other files without it, a run would use them for a new database.
  for (const path of [stateFolderOf(linkModel), `${warehouse}.wal`, warehouse]) {
    if (existsSync(path)) await rename(path, join(aside, basename(path)))
  }
  await syncFolder(folder)
  return aside
}
