import { fileURLToPath } from 'node:url'
import { AppError } from '../../errors.ts'
import type { SparkAddress } from './spark-address.ts'

// The types below describe the parts of @grpc/grpc-js and @grpc/proto-loader that this folder uses. Both packages are
// optional: type checks must pass without them.

/** The errors of gRPC calls. `code` is a number of `GRPC`. */
export interface GrpcError extends Error {
  readonly code: number
  readonly details: string
  readonly metadata?: { get(name: string): readonly (string | Buffer)[] }
}

/** The codes of gRPC that this folder distinguishes. */
export const GRPC = {
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  permissionDenied: 7,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
}

export interface ResponseStream<Response> extends AsyncIterable<Response> {
  cancel(): void
}

interface CallOptions {
  readonly deadline: number
}
type Unary = (
  request: object,
  metadata: object,
  options: CallOptions,
  callback: (error: GrpcError | null, response: unknown) => void,
) => void
type Streaming = (request: object, metadata: object, options: CallOptions) => ResponseStream<unknown>

interface RawClient {
  readonly [method: string]: Unary | Streaming
}
interface GrpcPackage {
  readonly credentials: { createInsecure(): object; createSsl(): object }
  readonly Metadata: new () => { set(name: string, value: string): void }
  loadPackageDefinition(definition: object): {
    readonly spark: {
      readonly connect: {
        readonly SparkConnectService: new (address: string, credentials: object, options: object) => RawClient
      }
    }
  }
  closeClient(client: object): void
}
interface MessageType {
  deserialize(bytes: Buffer): unknown
}
interface LoaderPackage {
  loadSync(file: readonly string[], options: object): Readonly<Record<string, MessageType>>
}

/** Calls the methods of a Spark Connect server. Every call ends after `seconds` at the latest. */
export interface GrpcChannel {
  call<Response>(method: string, request: object, seconds: number): Promise<Response>
  stream<Response>(method: string, request: object, seconds: number): ResponseStream<Response>
  /** Reads a message of a trailer, for example `google.rpc.Status`. */
  decode(type: string, bytes: Buffer): unknown
  close(): void
}

const PROTO = fileURLToPath(new URL('proto', import.meta.url))

/** Opens a channel to a server. The first call connects; see `SparkSession` for the errors. */
export async function openChannel(address: SparkAddress, token: string | undefined): Promise<GrpcChannel> {
  const grpc = (await load('@grpc/grpc-js')) as GrpcPackage
  const loader = (await load('@grpc/proto-loader')) as LoaderPackage
  const definition = loader.loadSync(
    ['spark/connect/base.proto', 'google/rpc/status.proto', 'google/rpc/error_details.proto'],
    {
      includeDirs: [PROTO],
      keepCase: true,
      longs: Number,
      enums: String,
    },
  )
  const { SparkConnectService } = grpc.loadPackageDefinition(definition).spark.connect
  const client = new SparkConnectService(
    `${address.host}:${address.port}`,
    address.isTls ? grpc.credentials.createSsl() : grpc.credentials.createInsecure(),
    // The server cuts results into batches of a few megabytes, but a single wide row may be larger.
    { 'grpc.max_receive_message_length': -1 },
  )
  const metadata = new grpc.Metadata()
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  return {
    async call<Response>(method: string, request: object, seconds: number) {
      return new Promise<Response>((resolve, reject) => {
        const unary = client[method] as Unary
        unary.call(client, request, metadata, { deadline: deadlineIn(seconds) }, (error, response) => {
          if (error === null) resolve(response as Response)
          else reject(error)
        })
      })
    },
    stream<Response>(method: string, request: object, seconds: number) {
      const streaming = client[method] as Streaming
      const options = { deadline: deadlineIn(seconds) }
      return streaming.call(client, request, metadata, options) as ResponseStream<Response>
    },
    decode(type, bytes) {
      return definition[type]?.deserialize(bytes)
    },
    close() {
      grpc.closeClient(client)
    },
  }
}

function deadlineIn(seconds: number): number {
  return Date.now() + seconds * 1000
}

async function load(name: string): Promise<unknown> {
  try {
    return await import(name)
  } catch (cause) {
    throw new AppError(
      'bad_config',
      `Spark needs the package ${name}, which is not installed: run \`npm ci\` without --omit=optional`,
      { cause },
    )
  }
}
