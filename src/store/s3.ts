import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type * as Client from '@aws-sdk/client-s3'
import type { Config } from '../config.ts'
import { AppError, messageOf } from '../errors.ts'
import { changedBy, checkKey, objectUrl, type Store, withoutCredentials } from './store.ts'

type Sdk = typeof Client

/** The part of the configuration that the S3 client needs. */
export type S3Settings = Pick<
  Config,
  | 'AWS_ACCESS_KEY_ID'
  | 'AWS_SECRET_ACCESS_KEY'
  | 'AWS_SESSION_TOKEN'
  | 'AWS_REGION'
  | 'AWS_DEFAULT_REGION'
  | 'AWS_ENDPOINT_URL_S3'
  | 'AWS_ENDPOINT_URL'
>

const MIB = 1 << 20
/** Files above this size are uploaded in parts, so that only one part is in memory. */
const PART_BYTES = 16 * MIB
/** S3 accepts at most 10,000 parts per file. */
const MOST_PARTS = 10_000
const MOST_TAGGED_BYTES = MIB

/**
 * Opens a prefix of an S3 bucket. The store compares each upload with its SHA-256. The SDK repeats failed requests.
 * @throws `bad_usage` for a wrong URL
 */
export async function openS3(place: string, settings: S3Settings, signal: AbortSignal): Promise<Store> {
  const { bucket, prefix } = placeOf(place)
  const sdk = await loadSdk()
  const client = new sdk.S3Client(clientOptions(settings))
  const request = { abortSignal: signal }
  const named = (key: string) => {
    checkKey(store, key)
    return { Bucket: bucket, Key: `${prefix}${key}` }
  }
  const failed = (key: string, done: string, cause: unknown) =>
    failure(`${objectUrl(store, key)} cannot be ${done}`, cause, signal)

  const store: Store = {
    url: `s3://${bucket}/${prefix}`.replace(/\/$/, ''),
    async *list(start) {
      const wanted = { Bucket: bucket, Prefix: `${prefix}${start}` }
      try {
        for await (const page of sdk.paginateListObjectsV2({ client }, wanted, request))
          for (const { Key = '', Size = 0 } of page.Contents ?? [])
            yield { key: Key.slice(prefix.length), bytes: Size }
      } catch (cause) {
        throw failure(`objects in ${store.url} cannot be listed`, cause, signal)
      }
    },
    async *read(key) {
      try {
        const { Body } = await client.send(new sdk.GetObjectCommand(named(key)), request)
        if (Body !== undefined) yield* Body as Readable as AsyncIterable<Uint8Array>
      } catch (cause) {
        if (statusOf(cause) === 404 && nameOf(cause) === 'NoSuchKey')
          throw new AppError('not_in_store', `${objectUrl(store, key)} does not exist`, { cause })
        throw failed(key, 'read', cause)
      }
    },
    async putFile(key, path) {
      try {
        const { size: bytes } = await stat(path)
        const object = named(key)
        if (bytes > PART_BYTES) await putParts({ sdk, client, object, path, bytes, signal })
        else
          for await (const whole of partsOf(path, bytes, PART_BYTES))
            await client.send(
              new sdk.PutObjectCommand({ ...object, Body: whole, ChecksumSHA256: sha256(whole) }),
              request,
            )
      } catch (cause) {
        throw failed(key, 'written', cause)
      }
    },
    async readTagged(key, tag) {
      try {
        const condition = tag === undefined ? {} : { IfNoneMatch: tag }
        const found = await client.send(new sdk.GetObjectCommand({ ...named(key), ...condition }), request)
        const { Body, ETag = '', ContentLength = 0 } = found
        if (ContentLength > MOST_TAGGED_BYTES)
          throw new Error(`it has ${ContentLength} bytes, and at most ${MOST_TAGGED_BYTES} are read`)
        return { text: (await Body?.transformToString()) ?? '', tag: ETag }
      } catch (cause) {
        if (statusOf(cause) === 304) return 'same'
        if (statusOf(cause) === 404 && nameOf(cause) === 'NoSuchKey') return null
        throw failed(key, 'read', cause)
      }
    },
    async putTagged(key, text, tag) {
      const condition = tag === null ? { IfNoneMatch: '*' } : { IfMatch: tag }
      const put = { ...named(key), ...condition, Body: text, ChecksumSHA256: sha256(Buffer.from(text)) }
      try {
        const { ETag = '' } = await client.send(new sdk.PutObjectCommand(put), request)
        return ETag
      } catch (cause) {
        const isRefused = [404, 409, 412].includes(statusOf(cause)) && nameOf(cause) !== 'NoSuchBucket'
        if (!isRefused) throw failed(key, 'written', cause)
        // The SDK repeats a request whose answer was lost. The store refuses the repetition, although the first request was done.
        const now = await store.readTagged(key)
        if (now !== null && now !== 'same' && now.text === text) return now.tag
        throw changedBy(store, key, cause)
      }
    },
    async remove(key) {
      try {
        await client.send(new sdk.DeleteObjectCommand(named(key)), request)
      } catch (cause) {
        throw failed(key, 'removed', cause)
      }
    },
    close: () => client.destroy(),
  }
  return store
}

/**
 * Returns bucket and prefix of a URL such as `s3://bucket/prefix`. A prefix ends with a slash, or is empty.
 * @throws `bad_usage`
 */
function placeOf(text: string): { bucket: string; prefix: string } {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text) ?? []
  const prefix = path.replace(/\/$/, '')
  const isUsable = /^[\w.-]+(?:\/[\w.-]+)*$/.test(prefix) && prefix.length <= 512
  if (bucket === undefined || (prefix !== '' && (!isUsable || prefix.split('/').includes('..'))))
    throw new AppError(
      'bad_usage',
      `'${withoutCredentials(text)}' cannot be used as a store: give s3://BUCKET/PREFIX with a prefix of letters, digits, '-', '_', '.' and '/'`,
    )
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` }
}

function statusOf(cause: unknown): number {
  return (cause as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0
}

function nameOf(cause: unknown): string {
  return (cause as { name?: string }).name ?? ''
}

async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@aws-sdk/client-s3')
  } catch (cause) {
    throw new AppError(
      'bad_config',
      's3:// needs the package @aws-sdk/client-s3, which is not installed: run `npm ci` without --omit=optional, or name a folder',
      { cause },
    )
  }
}

function clientOptions(settings: S3Settings): ConstructorParameters<Sdk['S3Client']>[0] & object {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings
  const { AWS_SESSION_TOKEN: sessionToken } = settings
  const endpoint = settings.AWS_ENDPOINT_URL_S3 ?? settings.AWS_ENDPOINT_URL
  const region =
    settings.AWS_REGION ?? settings.AWS_DEFAULT_REGION ?? (endpoint === undefined ? undefined : 'us-east-1')
  return {
    // Other S3-compatible stores have all buckets below one host name.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(region === undefined ? {} : { region }),
    // Without these credentials the client uses Amazon's profiles, or the role of the machine.
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : {
          credentials: {
            accessKeyId,
            secretAccessKey,
            ...(sessionToken === undefined ? {} : { sessionToken }),
          },
        }),
    // Uploads send a SHA-256. The client's default checksum is off, because older stores do not support it.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 10_000, socketTimeout: 60_000 },
  }
}

interface Upload {
  readonly sdk: Sdk
  readonly client: Client.S3Client
  readonly object: { readonly Bucket: string; readonly Key: string }
  readonly path: string
  readonly bytes: number
  readonly signal: AbortSignal
}

async function putParts({ sdk, client, object, path, bytes, signal }: Upload): Promise<void> {
  const request = { abortSignal: signal }
  const { UploadId } = await client.send(
    new sdk.CreateMultipartUploadCommand({ ...object, ChecksumAlgorithm: 'SHA256' }),
    request,
  )
  try {
    const done: Client.CompletedPart[] = []
    for await (const part of partsOf(path, bytes, Math.max(PART_BYTES, Math.ceil(bytes / MOST_PARTS)))) {
      const PartNumber = done.length + 1
      const ChecksumSHA256 = sha256(part)
      const { ETag } = await client.send(
        new sdk.UploadPartCommand({ ...object, UploadId, PartNumber, Body: part, ChecksumSHA256 }),
        request,
      )
      done.push({ PartNumber, ChecksumSHA256, ...(ETag === undefined ? {} : { ETag }) })
    }
    await client.send(
      new sdk.CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts: done } }),
      request,
    )
  } catch (error) {
    // Reports the first error, even if the abort fails too: uploaded parts without completion are no object.
    await client.send(new sdk.AbortMultipartUploadCommand({ ...object, UploadId })).catch(() => undefined)
    throw error
  }
}

async function* partsOf(path: string, bytes: number, partBytes: number): AsyncGenerator<Buffer> {
  await using file = await open(path)
  for (let from = 0; from < bytes || from === 0; from += partBytes) {
    const part = Buffer.alloc(Math.min(partBytes, bytes - from))
    let filled = 0
    while (filled < part.length) {
      const { bytesRead } = await file.read(part, filled, part.length - filled, from + filled)
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was uploaded`)
      filled += bytesRead
    }
    yield part
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64')
}

const NEXT_STEPS: readonly (readonly [RegExp, string])[] = [
  [
    /CredentialsProvider|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken/,
    'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN',
  ],
  [/NoSuchBucket/, 'create the bucket, or name another one'],
  [
    /AccessDenied|Forbidden|403/,
    'the key needs s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload there',
  ],
  [
    /Region is missing|PermanentRedirect|AuthorizationHeaderMalformed/,
    "set AWS_REGION to the bucket's region",
  ],
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|Timeout/,
    'check AWS_ENDPOINT_URL_S3 and the network',
  ],
]

function failure(what: string, cause: unknown, signal: AbortSignal): AppError {
  if (cause instanceof AppError) return cause
  if (signal.aborted) return new AppError('stopped', `${what}: it was stopped`, { cause })
  const { name = '', code = '' } = cause as { name?: string; code?: string }
  // The store's message is untrusted text: control characters are removed and its length is limited.
  const message = messageOf(cause)
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, 300)
  const reason = [name === 'Error' ? '' : name, code, message].filter((text) => text !== '').join(': ')
  const next = NEXT_STEPS.find(([pattern]) => pattern.test(reason))?.[1]
  return new AppError('store_failed', `${what} (${reason})${next === undefined ? '' : `: ${next}`}`, {
    cause,
  })
}
