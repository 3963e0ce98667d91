import { dirname, resolve } from 'node:path'
import { AppError } from '../errors.ts'

export function unwritable(path: string, cause: NodeJS.ErrnoException): AppError {
  if (cause.code === 'ENOSPC' || cause.code === 'EDQUOT')
    return new AppError(
      'disk_full',
      `the disk of ${path} is full: delete files, then continue with --resume. The output does not have its final name yet.`,
      { cause },
    )
  const why =
    cause.code === 'ENOENT'
      ? `the folder ${dirname(resolve(path))} does not exist`
      : cause.code === 'EACCES' || cause.code === 'EPERM' || cause.code === 'EROFS'
        ? 'this user may not write there'
        : cause.message
  return new AppError('output_unwritable', `${path} can't be written: ${why}`, { cause })
}
