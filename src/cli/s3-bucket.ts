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
/** Files above this size are uploaded in parts, so that only one part is in memory. */
const PART_BYTES = 16 * MIB
/** S3 accepts at most 10,000 parts per file. */
const MOST_PARTS = 10_000
const MOST_KEYS = 100_000

/** Reads and writes the objects of one bucket. Errors name the object and what the operator can check, but no credentials. */
export interface Bucket {
  /** Uploads a file; the store compares each part with its SHA-256. */
  putFile(key: string, path: string, bytes: number): Promise<void>
  putText(key: string, text: string): Promise<void>
  /** Reads the bytes of an object in order. */
  read(key: string): AsyncIterable<Uint8Array>
  /**
   * Returns the keys that start with `prefix`.
   * @throws `bad_input` when there are more than 100,000
   */
  keys(prefix: string): Promise<string[]>
  remove(key: string): Promise<void>
  close(): void
}

/** Opens a bucket with the credentials, region and endpoint of `settings`. Imports the S3 client, an optional package, on demand. */
export async function openBucket(settings: Settings, bucket: string, signal: AbortSignal): Promise<Bucket> {
  const sdk = await loadSdk()
  const client = new sdk.S3Client(clientOptions(settings))
  const about = (key: string): string => `s3://${bucket}/${key}`
  /** Error messages show the prefix up to the last slash, because the start of a backup name may follow the operator's prefix. */
  const folderOf = (prefix: string): string => about(prefix.slice(0, prefix.lastIndexOf('/') + 1))
  const request = { abortSignal: signal }
  const writing = (key: string, cause: unknown) => failure(`${about(key)} cannot be written`, cause, signal)
  const reading = (key: string, cause: unknown) => failure(`${about(key)} cannot be read`, cause, signal)

  const putBytes = async (key: string, bytes: Uint8Array): Promise<void> => {
    const put = { Bucket: bucket, Key: key, Body: bytes, ChecksumSHA256: sha256(bytes) }
    await client.send(new sdk.PutObjectCommand(put), request)
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
        const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: key }), request)
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
          request,
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
        await client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key }), request)
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
  readonly bucket: string
  readonly key: string
  readonly path: string
  readonly bytes: number
  readonly signal: AbortSignal
}

async function putParts({ sdk, client, bucket, key, path, bytes, signal }: Upload): Promise<void> {
  const request = { abortSignal: signal }
  const object = { Bucket: bucket, Key: key }
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
    // Reports the first error, even if the abort fails too: uploaded parts without completion are not part of any backup.
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
  // The store's message is untrusted text: control characters are removed and its length is limited.
  const message = messageOf(cause)
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, 300)
  const reason = [name === 'Error' ? '' : name, code, message].filter((text) => text !== '').join(': ')
  const next = NEXT_STEPS.find(([pattern]) => pattern.test(reason))?.[1]
  return new AppError('bad_input', `${what} (${reason})${next === undefined ? '' : `: ${next}`}`, { cause })
}
