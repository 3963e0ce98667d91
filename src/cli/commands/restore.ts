import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { AppError } from '../../errors.ts'
import { isStateInUse } from '../../state/back-up.ts'
import { openState } from '../../state/open.ts'
import { type Backup, putBack, wholeBackup } from '../backups.ts'
import type { CommandIo } from '../io.ts'
import { withDownloadedBackup } from '../s3-backups.ts'
import { isS3Url, withS3Place } from '../s3-place.ts'

export const summary = 'puts a backup in place of the state file; the one of before is moved aside'
export const usage = `platbook restore --from DIR|s3://BUCKET/PREFIX[/NAME] [--force] [--data DIR]
       platbook restore --empty [--data DIR]     starts with an empty state file where there is none`

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      data: { type: 'string' },
      from: { type: 'string' },
      force: { type: 'boolean', default: false },
      empty: { type: 'boolean', default: false },
    },
  })
  const { paths } = io.config
  if ((values.from === undefined) !== values.empty)
    throw new AppError('bad_usage', `give --from or --empty: ${usage}`)
  const isThere = existsSync(paths.state)
  if (isThere && !values.force)
    throw new AppError(
      'conflict',
      `${paths.state} is there: ${values.empty ? '--empty is for a data folder without one' : '--force replaces it and moves it aside'}`,
    )
  if (values.from === undefined) {
    await openState(paths.state, { now: io.now }).close()
    io.out(`  ${paths.state} is new and empty: no keys, no webhooks, nobody is suppressed`)
    return 0
  }
  const { from } = values
  const replace = async (backup: Backup): Promise<void> => {
    if (isThere && isStateInUse(paths.state))
      throw new AppError('conflict', `${paths.state} is in use: stop \`serve\`, \`schedule\` and runs first`)
    const aside = await putBack(backup, paths, io.now())
    if (aside !== null) io.out(`  the state file of before is in ${aside}`)
    io.out(`  ${paths.state} is as it was at ${backup.made_at}`)
  }
  if (isS3Url(from))
    await withS3Place(from, io, (place) => withDownloadedBackup(paths, place, io.now(), replace))
  else await replace(await wholeBackup(from, paths))
  return 0
}
