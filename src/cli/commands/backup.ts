import { parseArgs } from 'node:util'
import { AppError } from '../../errors.ts'
import { makeBackup } from '../backups.ts'
import type { CommandIo } from '../io.ts'
import { count } from '../progress.ts'
import { uploadBackup } from '../s3-backups.ts'
import { isS3Url, withS3Place } from '../s3-place.ts'

export const summary = 'copies the data that cannot be rebuilt: keys, usage, webhooks, opt-outs, person ids'
export const usage = 'platbook backup --to DIR|s3://BUCKET/PREFIX [--keep 7] [--data DIR] [--json]'

export async function run(argv: string[], io: CommandIo): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      data: { type: 'string' },
      to: { type: 'string' },
      keep: { type: 'string', default: '7' },
      json: { type: 'boolean', default: false },
    },
  })
  if (values.to === undefined || values.to === '')
    throw new AppError('bad_usage', `backup needs --to\nusage: ${usage}`)
  const { to } = values
  if (/^[a-z][a-z0-9+]*:\/\//.test(to) && !isS3Url(to))
    throw new AppError(
      'bad_usage',
      `--to takes a folder or s3://BUCKET/PREFIX, not '${to}': mount that storage as a folder, or copy the backup there`,
    )
  if (!/^[1-9]\d{0,3}$/.test(values.keep))
    throw new AppError('bad_usage', `--keep takes a number from 1 to 9999, not '${values.keep}'`)
  const { paths } = io.config
  const options = { now: io.now(), keep: Number(values.keep) }
  const { made, removed } = isS3Url(to)
    ? await withS3Place(to, io, (place) => uploadBackup(paths, place, options))
    : await makeBackup(paths, to, options)
  const bytes = Object.values(made.files).reduce((sum, file) => sum + file.bytes, 0)
  if (values.json) io.out(JSON.stringify({ folder: made.folder, made_at: made.made_at, bytes, removed }))
  else {
    io.out(`  ${made.folder}: ${count(bytes)} bytes, checked`)
    if (removed.length > 0)
      io.out(`  ${removed.length} older ${removed.length === 1 ? 'backup' : 'backups'} removed`)
    if (io.config.WEBHOOK_SECRETS_KEY.length > 0)
      io.out(
        '  the backup does not contain WEBHOOK_SECRETS_KEY: keep it elsewhere, because signing secrets cannot be read without it',
      )
  }
  return 0
}
