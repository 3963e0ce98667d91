import { AppError } from '../errors.ts'
import type { CommandIo } from './io.ts'
import { type Bucket, openBucket } from './s3-bucket.ts'

/** The place of backups in an S3-compatible store. */
export interface S3Place {
  readonly bucket: string
  /** The start of all keys: empty, or with a slash at the end. */
  readonly prefix: string
}

/** A place of backups with its open bucket. */
export interface OpenPlace extends S3Place {
  readonly objects: Bucket
}

export function isS3Url(text: string): boolean {
  return text.startsWith('s3://')
}

/** Opens the bucket of `url` with the credentials of the environment, runs `body` and closes the bucket. */
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

/**
 * Returns bucket and prefix of a URL such as `s3://bucket/prefix`.
 * @throws `bad_usage`
 */
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
