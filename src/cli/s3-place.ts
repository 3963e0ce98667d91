import { AppError } from '../errors.ts'
import type { CommandIo } from './io.ts'
import { type Bucket, openBucket } from './s3-bucket.ts'

/** Where backups lie in an S3-compatible store. */
export interface S3Place {
  readonly bucket: string
  /** Empty, or ends with a slash. */
  readonly prefix: string
}

/** A place whose bucket is open. */
export interface OpenPlace extends S3Place {
  readonly objects: Bucket
}

export function isS3Url(text: string): boolean {
  return text.startsWith('s3://')
}

/** Opens the place that `url` names for `body`, with the credentials of the environment. */
export async function withS3Place<T>(
  url: string,
  { config, signal }: CommandIo,
  body: (place: OpenPlace) => Promise<T>,
): Promise<T> {
  const place = s3Place(url)
  const objects = await openBucket(config, place.bucket, signal)
  try {
    return await body({ ...place, objects })
  } finally {
    objects.close()
  }
}

/** @throws `bad_usage` when `url` is no `s3://bucket/prefix` */
function s3Place(url: string): S3Place {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(url) ?? []
  const prefix = path.replace(/\/$/, '')
  const isUsable = /^[\w.-]+(?:\/[\w.-]+)*$/.test(prefix) && prefix.length <= 512
  if (bucket === undefined || (prefix !== '' && (!isUsable || prefix.split('/').includes('..'))))
    throw new AppError(
      'bad_usage',
      `'${url.slice(0, 200)}' cannot be used for backups: give s3://BUCKET/PREFIX with a prefix of letters, digits, '-', '_', '.' and '/'`,
    )
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` }
}
