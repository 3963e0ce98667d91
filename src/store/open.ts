import { resolve } from 'node:path'
import { openFolder } from './folder.ts'
import { AppError } from '../errors.ts'
import type { S3Settings } from './s3.ts'
import { type Store, withoutCredentials } from './store.ts'

export interface OpenOptions {
  readonly settings: S3Settings
  /** Stops requests that are being made. */
  readonly signal: AbortSignal
}

export function isS3Url(text: string): boolean {
  return text.startsWith('s3://')
}

/**
 * Opens the store at `s3://BUCKET/PREFIX` or in a folder. S3 takes the credentials, region and endpoint of `settings`; its client is an
 * optional package that is loaded on demand. Makes no request.
 * @throws `bad_usage` for another URL
 */
export async function openStore(place: string, { settings, signal }: OpenOptions): Promise<Store> {
  if (isS3Url(place)) {
    const { openS3 } = await import('./s3.ts')
    return openS3(place, settings, signal)
  }
  if (/^[a-z][a-z0-9+]*:\/\//i.test(place) || place === '')
    throw new AppError(
      'bad_usage',
      `'${withoutCredentials(place)}' cannot be used as a store: give a folder or s3://BUCKET/PREFIX`,
    )
  return openFolder(resolve(place), signal)
}
