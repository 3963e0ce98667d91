import { parseArgs } from 'node:util'
import { AppError } from '../../errors.ts'
import { isS3Url } from '../../store/open.ts'
import { bytesOf, makeBackup } from '../backups.ts'
import type { CommandIo } from '../io.ts'
import { print } from '../print.ts'
import { count, several } from '../progress.ts'
import { uploadBackup, withBackups } from '../s3-backups.ts'
import { wholeNumber } from '../whole-number.ts'

export const summary = 'copies the data that cannot be rebuilt: keys, usage, webhooks, opt-outs, person ids'
export const usage = 'platbook backup --to DIR|s3://BUCKET/PREFIX [--keep 7] [--data DIR] [--json]'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      to: { type: 'string' },
      keep: { type: 'string', default: '7' },
      json: { type: 'boolean', default: false },
    },
  })
  if (values.to === undefined || values.to === '')
    throw new AppError('bad_usage', `backup needs --to\nusage: ${usage}`)
  if (io.config.PLATBOOK_STATE !== undefined)
    throw new AppError(
      'bad_usage',
      'the state is in PostgreSQL: back the database up with pg_dump, and copy the folder of person ids (state/identities in the data folder)',
    )
  const { to } = values
  if (/^[a-z][a-z0-9+]*:\/\//.test(to) && !isS3Url(to))
    throw new AppError(
      'bad_usage',
      `--to takes a folder or s3://BUCKET/PREFIX, not '${to}': mount that storage as a folder, or copy the backup there`,
    )
  const { paths } = io.config
  const options = { now: io.now(), keep: wholeNumber('keep', values.keep, 1, 9999) }
  const { made, removed } = isS3Url(to)
    ? await withBackups(to, io, (store) => uploadBackup(paths, store, options))
    : await makeBackup(paths, to, options)
  const { folder, made_at } = made
  const bytes = bytesOf(made)
  const lines = [`  ${folder}: ${count(bytes)} bytes, checked`]
  if (removed.length > 0) lines.push(`  ${several(removed.length, 'older backup')} removed`)
  if (io.config.WEBHOOK_SECRETS_KEY.length > 0)
    lines.push(
      '  the backup does not contain WEBHOOK_SECRETS_KEY: keep it elsewhere, because signing secrets cannot be read without it',
    )
  print(io, values.json, { folder, made_at, bytes, removed }, lines)
  return 0
}
