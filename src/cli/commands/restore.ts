import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { AppError } from '../../errors.ts'
import { isStateInUse } from '../../state/back-up.ts'
import { openState } from '../../state/open.ts'
import { placeName } from '../../state/postgres.ts'
import { isS3Url } from '../../store/open.ts'
import { type Backup, putBack, wholeBackup } from '../backups.ts'
import type { CommandIo } from '../io.ts'
import { backupAt, withBackups, withDownloadedBackup } from '../s3-backups.ts'

export const summary = 'restores a backup; the current state file is moved aside'
export const usage = `platbook restore --from DIR|s3://BUCKET/PREFIX[/NAME] [--force] [--data DIR]
       platbook restore --empty [--data DIR]     creates an empty state file where none exists`

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      from: { type: 'string' },
      force: { type: 'boolean', default: false },
      empty: { type: 'boolean', default: false },
    },
  })
  const { paths } = io.config
  if ((values.from === undefined) !== values.empty)
    throw new AppError('bad_usage', `restore needs either --from or --empty\nusage: ${usage}`)
  const isThere = existsSync(paths.state) && io.config.PLATBOOK_STATE === undefined
  if (isThere && !values.force)
    throw new AppError(
      'conflict',
      `${paths.state} exists: ${values.empty ? '--empty works only in a data folder without a state file' : '--force moves it aside and restores the backup'}`,
    )
  if (values.from === undefined) {
    await (await openState(io.config.state, { now: io.now })).close()
    io.out(
      `  ${placeName(io.config.state)} is new and empty: it has no keys and no webhooks, and nobody is suppressed`,
    )
    return 0
  }
  if (io.config.PLATBOOK_STATE !== undefined)
    throw new AppError(
      'bad_usage',
      'the state is in PostgreSQL: restore the database with pg_restore, or unset PLATBOOK_STATE to restore a state file',
    )
  const { from } = values
  const replace = async (backup: Backup): Promise<void> => {
    if (isThere && isStateInUse(paths.state))
      throw new AppError(
        'conflict',
        `${paths.state} is in use: stop \`platbook serve\`, \`platbook schedule\` and running commands first`,
      )
    const aside = await putBack(backup, paths, io.now())
    if (aside !== null) io.out(`  the old state file is now in ${aside}`)
    io.out(`  ${paths.state} is restored from the backup of ${backup.made_at}`)
  }
  if (isS3Url(from)) {
    const { place, name: wanted } = backupAt(from)
    await withBackups(place, io, (store) =>
      withDownloadedBackup(paths, store, { wanted, now: io.now() }, replace),
    )
  } else await replace(await wholeBackup(from, paths))
  return 0
}
