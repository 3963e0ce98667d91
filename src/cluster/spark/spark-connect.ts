import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { type Row, rowsOf } from './arrow-rows.ts'
import { GRPC, type GrpcChannel, type GrpcError, openChannel, type ResponseStream } from './grpc.ts'
import type { Plan } from './plans.ts'
import type { SparkAddress } from './spark-address.ts'
import { connectionFailure, isGrpcError, withoutStack } from './spark-errors.ts'

export interface SparkSessionOptions {
  readonly address: SparkAddress
  /** The token that the server asks for, if it asks for one. */
  readonly token?: string | undefined
  /** Settings of Spark SQL for this session. */
  readonly settings: Readonly<Record<string, string>>
}

export interface ExecuteOptions {
  readonly signal: AbortSignal
  /** Called about every two seconds while the statement runs. */
  readonly onTasks?: (tasks: TaskCounts) => void
}

/** The tasks of a statement, over all stages of Spark that are known so far. */
export interface TaskCounts {
  readonly done: number
  readonly all: number
  readonly running: number
}

interface ExecuteResponse {
  readonly response_id: string
  readonly arrow_batch?: { readonly data: Buffer } | null
  readonly result_complete?: object | null
  readonly execution_progress?: {
    readonly stages?: readonly { readonly num_tasks?: number; readonly num_completed_tasks?: number }[]
    readonly num_inflight_tasks?: number
  } | null
}

/** The server answers short calls within so many seconds. The first call of a session waits for the start of Spark SQL. */
const CALL_SECONDS = 60
/**
 * A stream of results is open for so many seconds at most, and is then attached again. The server itself ends it after two
 * minutes. A stream that is silent for longer has lost its connection.
 */
const STREAM_SECONDS = 180
/** A statement is given up after so many failed attempts in a row to attach to it. */
const MOST_ATTEMPTS = 6
const FIRST_WAIT_MS = 500
const UNKNOWN_STATEMENT = 'INVALID_HANDLE.OPERATION_NOT_FOUND'
/** The server ended this stream, because it saw another stream of the same statement. */
const OTHER_STREAM = 'INVALID_CURSOR.DISCONNECTED'
const NEEDED_MAJOR = 4
/** The server interrupts a job of Spark when its statement is interrupted, and ends its tasks. */
const INTERRUPT = { interrupt_type: 'INTERRUPT_TYPE_OPERATION_ID' }

/**
 * A session of a Spark Connect server. Statements run as reattachable executions: a statement goes on when the connection
 * breaks, and the session attaches to it again.
 */
export class SparkSession {
  readonly #channel: GrpcChannel
  readonly #options: SparkSessionOptions
  readonly #caller = {
    session_id: randomUUID(),
    user_context: { user_id: 'platbook', user_name: 'platbook' },
    client_type: 'platbook',
  }

  /** Use `openSparkSession`. */
  constructor(channel: GrpcChannel, options: SparkSessionOptions) {
    this.#channel = channel
    this.#options = options
  }

  /** Checks the version of the server and applies the settings. */
  async prepare(): Promise<void> {
    const version = await this.#version()
    if (Number(version.split('.')[0]) !== NEEDED_MAJOR)
      throw new AppError(
        'cluster_unreachable',
        `the Spark server at ${this.#options.address.host} has version ${version}: Platbook needs Spark ${NEEDED_MAJOR}`,
      )
    const pairs = Object.entries(this.#options.settings).map(([key, value]) => ({ key, value }))
    await this.#call('Config', { operation: { set: { pairs } } })
  }

  /**
   * Runs a plan and returns its rows. An abort of the signal interrupts the job on the cluster.
   * @throws `stage_failed` with Spark's message; `cluster_unreachable` when the connection stays broken; the reason of the
   * signal
   */
  async execute(plan: Plan, options: ExecuteOptions): Promise<Row[]> {
    options.signal.throwIfAborted()
    const operation_id = randomUUID()
    const batches: Buffer[] = []
    let stream: ResponseStream<ExecuteResponse> | undefined
    let interrupted: Promise<void> | undefined
    const interrupt = () => {
      interrupted = this.#interrupt(operation_id).finally(() => stream?.cancel())
    }
    options.signal.addEventListener('abort', interrupt, { once: true })
    try {
      let last_response_id: string | undefined
      let isStarted = false
      let attempts = 0
      for (let isComplete = false; !isComplete;) {
        try {
          stream = isStarted ? this.#attach(operation_id, last_response_id) : this.#start(plan, operation_id)
          isStarted = true
          for await (const response of stream) {
            options.signal.throwIfAborted()
            attempts = 0
            last_response_id = response.response_id
            if (response.arrow_batch) batches.push(response.arrow_batch.data)
            if (response.execution_progress) options.onTasks?.(tasksOf(response.execution_progress))
            if (response.result_complete) isComplete = true
          }
        } catch (error) {
          options.signal.throwIfAborted()
          if (!isGrpcError(error)) throw error
          attempts += 1
          // The server does not know the statement when the first request did not arrive.
          isStarted = last_response_id !== undefined || !error.details.includes(UNKNOWN_STATEMENT)
          if ((isStarted && !isBroken(error)) || attempts >= MOST_ATTEMPTS) throw error
          await wait(FIRST_WAIT_MS * 2 ** attempts, undefined, { signal: options.signal })
        }
      }
    } catch (error) {
      options.signal.throwIfAborted()
      throw await this.#failure(error)
    } finally {
      options.signal.removeEventListener('abort', interrupt)
      await interrupted
      await this.#release(operation_id)
    }
    return batches.flatMap((batch) => rowsOf(batch))
  }

  /** Ends the session; the server forgets its statements and settings. */
  async close(): Promise<void> {
    try {
      await this.#call('ReleaseSession', {})
    } catch (error) {
      // A server that has stopped has no session any more.
      if (!isGrpcError(error)) throw error
    } finally {
      this.#channel.close()
    }
  }

  #start(plan: Plan, operation_id: string): ResponseStream<ExecuteResponse> {
    const request_options = [{ reattach_options: { reattachable: true } }]
    const request = { ...this.#caller, operation_id, plan, request_options }
    return this.#channel.stream('ExecutePlan', request, STREAM_SECONDS)
  }

  #attach(operation_id: string, last_response_id: string | undefined): ResponseStream<ExecuteResponse> {
    const request = { ...this.#caller, operation_id, last_response_id }
    return this.#channel.stream('ReattachExecute', request, STREAM_SECONDS)
  }

  async #interrupt(operation_id: string): Promise<void> {
    await this.#ignoringFailure('Interrupt', { ...INTERRUPT, operation_id })
  }

  /** Makes the server forget the results of a statement. It ends a statement that still runs. */
  async #release(operation_id: string): Promise<void> {
    await this.#ignoringFailure('ReleaseExecute', { operation_id, release_all: {} })
  }

  // The statement has ended already, or the server drops it when nobody asks for it any more.
  async #ignoringFailure(method: string, request: object): Promise<void> {
    try {
      await this.#call(method, request)
    } catch (error) {
      if (!isGrpcError(error)) throw error
    }
  }

  async #version(): Promise<string> {
    try {
      const answer = await this.#call<{ spark_version: { version: string } }>('AnalyzePlan', {
        spark_version: {},
      })
      return answer.spark_version.version
    } catch (error) {
      if (!isGrpcError(error)) throw error
      throw this.#connectionFailure(error) ?? error
    }
  }

  async #call<Response>(method: string, request: object): Promise<Response> {
    return this.#channel.call<Response>(method, { ...this.#caller, ...request }, CALL_SECONDS)
  }

  #connectionFailure(error: GrpcError): AppError | undefined {
    return connectionFailure(this.#options.address, error, this.#options.token !== undefined)
  }

  async #failure(error: unknown): Promise<unknown> {
    if (!isGrpcError(error)) return error
    const failure = this.#connectionFailure(error)
    if (failure !== undefined) return failure
    const message =
      (await this.#fullMessage(error.metadata?.get('grpc-status-details-bin')[0])) ?? error.details
    return new AppError('stage_failed', `Spark: ${withoutStack(message)}`, { cause: error })
  }

  /** Returns the whole message of an error. The error itself has the first 2,048 characters. */
  async #fullMessage(trailer: string | Buffer | undefined): Promise<string | undefined> {
    if (!Buffer.isBuffer(trailer)) return undefined
    const { details } = this.#channel.decode('google.rpc.Status', trailer) as {
      details?: { type_url: string; value: Buffer }[]
    }
    const info = details?.find(({ type_url }) => type_url.endsWith('google.rpc.ErrorInfo'))
    if (info === undefined) return undefined
    const { metadata } = this.#channel.decode('google.rpc.ErrorInfo', info.value) as {
      metadata?: Record<string, string>
    }
    const error_id = metadata?.['errorId']
    if (error_id === undefined) return undefined
    try {
      const { errors, root_error_idx } = await this.#call<{
        errors?: { message: string }[]
        root_error_idx?: number
      }>('FetchErrorDetails', { error_id })
      return errors?.[root_error_idx ?? 0]?.message
    } catch (error) {
      if (!isGrpcError(error)) throw error
      return undefined
    }
  }
}

/** @throws `cluster_unreachable` with the next step when no server of Spark 4 answers; `bad_config` without its packages */
export async function openSparkSession(options: SparkSessionOptions): Promise<SparkSession> {
  const channel = await openChannel(options.address, options.token)
  const session = new SparkSession(channel, options)
  try {
    await session.prepare()
    return session
  } catch (error) {
    channel.close()
    throw error
  }
}

function isBroken({ code, details }: GrpcError): boolean {
  return code === GRPC.unavailable || code === GRPC.deadlineExceeded || details.includes(OTHER_STREAM)
}

function tasksOf({
  stages,
  num_inflight_tasks,
}: NonNullable<ExecuteResponse['execution_progress']>): TaskCounts {
  let [done, all] = [0, 0]
  for (const { num_tasks = 0, num_completed_tasks = 0 } of stages ?? []) {
    done += num_completed_tasks
    all += num_tasks
  }
  return { done, all, running: num_inflight_tasks ?? 0 }
}
