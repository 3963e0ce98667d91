import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type * as Client from '@aws-sdk/client-s3'
import type { Config } from '../config.ts'
import { AppError, messageOf } from '../errors.ts'

type Sdk = typeof Client
type Settings = Pick<
  Config,
  | 'AWS_ACCESS_KEY_ID'
  | 'AWS_SECRET_ACCESS_KEY'
  | 'AWS_SESSION_TOKEN'
  | 'AWS_REGION'
  | 'AWS_DEFAULT_REGION'
  | 'AWS_ENDPOINT_URL'
  | 'AWS_ENDPOINT_URL_S3'
>

const MIB = 1 << 20
/** Larger files are uploaded in parts: one part is in memory at a time. */
const PART_BYTES = 16 * MIB
/** S3 takes at most 10,000 parts of a file. */
const MOST_PARTS = 10_000
const MOST_KEYS = 100_000

/** The objects of one bucket. Errors name the object and what the operator can check, never a credential. */
export interface Bucket {
  /** Uploads a file; the store compares each part with its SHA-256. */
  putFile(key: string, path: string, bytes: number): Promise<void>
  putText(key: string, text: string): Promise<void>
  /** The bytes of an object, in order. */
  read(key: string): AsyncIterable<Uint8Array>
  /** @throws `bad_input` when more than 100,000 keys start with `prefix` */
  keys(prefix: string): Promise<string[]>
  remove(key: string): Promise<void>
  close(): void
}

/** Opens a bucket with the credentials, region and endpoint of the environment. Loads the optional package of the S3 client. */
export async function openBucket(settings: Settings, bucket: string, signal: AbortSignal): Promise<Bucket> {
  const sdk = await loadSdk()
  const client = new sdk.S3Client(clientOptions(settings))
  const about = (key: string): string => `s3://${bucket}/${key}`
  /** The last slash ends what the operator gave: the beginning of a backup's name may follow. */
  const folderOf = (prefix: string): string => about(prefix.slice(0, prefix.lastIndexOf('/') + 1))
  const asked = { abortSignal: signal }
  const writing = (key: string, cause: unknown) => failure(`${about(key)} cannot be written`, cause, signal)
  const reading = (key: string, cause: unknown) => failure(`${about(key)} cannot be read`, cause, signal)

  const putBytes = async (key: string, bytes: Uint8Array): Promise<void> => {
    const put = { Bucket: bucket, Key: key, Body: bytes, ChecksumSHA256: sha256(bytes) }
    await client.send(new sdk.PutObjectCommand(put), asked)
  }
  return {
    async putFile(key, path, bytes) {
      try {
        if (bytes > PART_BYTES) await putParts({ sdk, client, bucket, key, path, bytes, signal })
        else for await (const whole of partsOf(path, bytes, PART_BYTES)) await putBytes(key, whole)
      } catch (cause) {
        throw writing(key, cause)
      }
    },
    async putText(key, text) {
      try {
        await putBytes(key, Buffer.from(text))
      } catch (cause) {
        throw writing(key, cause)
      }
    },
    async *read(key) {
      try {
        const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: key }), asked)
        if (Body !== undefined) yield* Body as Readable as AsyncIterable<Uint8Array>
      } catch (cause) {
        throw reading(key, cause)
      }
    },
    async keys(prefix) {
      const found: string[] = []
      try {
        for await (const page of sdk.paginateListObjectsV2(
          { client },
          { Bucket: bucket, Prefix: prefix },
          asked,
        )) {
          for (const { Key } of page.Contents ?? []) if (Key !== undefined) found.push(Key)
          if (found.length > MOST_KEYS) break
        }
      } catch (cause) {
        throw failure(`backups below ${folderOf(prefix)} cannot be listed`, cause, signal)
      }
      if (found.length > MOST_KEYS)
        throw new AppError(
          'bad_input',
          `${folderOf(prefix)} has more than ${MOST_KEYS} objects whose names start with platbook-: use a separate prefix for backups`,
        )
      return found
    },
    async remove(key) {
      try {
        await client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key }), asked)
      } catch (cause) {
        throw failure(`${about(key)} cannot be removed`, cause, signal)
      }
    },
    close: () => client.destroy(),
  }
}

async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@aws-sdk/client-s3')
  } catch (cause) {
    throw new AppError(
      'bad_config',
      's3:// needs the package @aws-sdk/client-s3, which is not installed: run `npm ci` without --omit=optional, or back up to a folder',
      { cause },
    )
  }
}

function clientOptions(settings: Settings): ConstructorParameters<Sdk['S3Client']>[0] & object {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings
  const { AWS_SESSION_TOKEN: sessionToken } = settings
  const endpoint = settings.AWS_ENDPOINT_URL_S3 ?? settings.AWS_ENDPOINT_URL
  const region =
    settings.AWS_REGION ?? settings.AWS_DEFAULT_REGION ?? (endpoint === undefined ? undefined : 'us-east-1')
  return {
    // Stores other than Amazon's have their buckets below one host name.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(region === undefined ? {} : { region }),
    // Without them the client looks where Amazon's tools look: profiles, and the role of the machine.
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : {
          credentials: {
            accessKeyId,
            secretAccessKey,
            ...(sessionToken === undefined ? {} : { sessionToken }),
          },
        }),
    // Each upload has a SHA-256 of its own. Older stores do not know the client's default checksum.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 10_000, socketTimeout: 60_000 },
  }
}

interface Upload {
  readonly sdk: Sdk
  readonly client: Client.S3Client
  readonly bucket: string
  readonly key: string
  readonly path: string
  readonly bytes: number
  readonly signal: AbortSignal
}

async function putParts({ sdk, client, bucket, key, path, bytes, signal }: Upload): Promise<void> {
  const asked = { abortSignal: signal }
  const object = { Bucket: bucket, Key: key }
  const { UploadId } = await client.send(
    new sdk.CreateMultipartUploadCommand({ ...object, ChecksumAlgorithm: 'SHA256' }),
    asked,
  )
  try {
    const done: Client.CompletedPart[] = []
    for await (const part of partsOf(path, bytes, Math.max(PART_BYTES, Math.ceil(bytes / MOST_PARTS)))) {
      const PartNumber = done.length + 1
      const ChecksumSHA256 = sha256(part)
      const { ETag } = await client.send(
        new sdk.UploadPartCommand({ ...object, UploadId, PartNumber, Body: part, ChecksumSHA256 }),
        asked,
      )
      done.push({ PartNumber, ChecksumSHA256, ...(ETag === undefined ? {} : { ETag }) })
    }
    await client.send(
      new sdk.CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts: done } }),
      asked,
    )
  } catch (error) {
    // The first error is the one to report. Parts that stay behind are never part of a backup.
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
  if (signal.aborted) return new AppError('stopped', `${what}: it was stopped`, { cause })
  const { name = '', code = '' } = cause as { name?: string; code?: string }
  // Messages of a store are text from outside.
  const message = messageOf(cause)
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, 300)
  const reason = [name === 'Error' ? '' : name, code, message].filter((text) => text !== '').join(': ')
  const next = NEXT_STEPS.find(([pattern]) => pattern.test(reason))?.[1]
  return new AppError('bad_input', `${what} (${reason})${next === undefined ? '' : `: ${next}`}`, { cause })
}
