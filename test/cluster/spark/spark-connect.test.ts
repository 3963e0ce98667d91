import * as grpc from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { tableFromArrays, tableToIPC } from 'apache-arrow'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { Plan } from '../../../src/cluster/spark/plans.ts'
import { openSparkSession, type TaskCounts } from '../../../src/cluster/spark/spark-connect.ts'

// A server of the same protocol that answers as each test says. `test/spark` runs the same client with a real Spark.

const PLAN: Plan = { root: { sql: { query: 'select 1' } } }
const PROTO = fileURLToPath(new URL('../../../src/cluster/spark/proto', import.meta.url))
const definition = loadSync('spark/connect/base.proto', { includeDirs: [PROTO], keepCase: true })
const service = (
  grpc.loadPackageDefinition(definition) as unknown as {
    spark: { connect: { SparkConnectService: { service: grpc.ServiceDefinition } } }
  }
).spark.connect.SparkConnectService.service

interface Stream {
  readonly request: { readonly operation_id: string; readonly last_response_id?: string }
  readonly metadata: grpc.Metadata
  write(response: object): void
  end(): void
  emit(event: 'error', error: object): boolean
}
type Reply = (error: object | null, response?: object) => void
type Handlers = Record<
  string,
  ((stream: Stream) => void) | ((call: { request: unknown }, reply: Reply) => void)
>

/** Starts a server. `called` gets the name of each method that is called. */
async function serve(handlers: Handlers): Promise<{ port: number; called: string[] }> {
  const called: string[] = []
  const all: Handlers = {
    AnalyzePlan: (_call: object, reply: Reply) => reply(null, { spark_version: { version: '4.1.4' } }),
    Config: (_call: object, reply: Reply) => reply(null, {}),
    ReleaseExecute: (_call: object, reply: Reply) => reply(null, {}),
    ReleaseSession: (_call: object, reply: Reply) => reply(null, {}),
    ...handlers,
  }
  const counted = Object.entries(all).map(([name, handler]) => [
    name,
    (call: never, reply: never) => {
      called.push(name)
      ;(handler as (call: never, reply: never) => void)(call, reply)
    },
  ])
  const server = new grpc.Server()
  server.addService(service, Object.fromEntries(counted) as grpc.UntypedServiceImplementation)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    )
  })
  onTestFinished(() => server.forceShutdown())
  return { port, called }
}

const open = async (port: number, token?: string) =>
  openSparkSession({ address: { host: '127.0.0.1', port, isTls: false }, token, settings: { a: 'b' } })

const response = (id: string, rest: object): object => ({ response_id: id, ...rest })
const batch = (n: number): object => ({
  arrow_batch: { data: Buffer.from(tableToIPC(tableFromArrays({ n: Int32Array.of(n) }))) },
})
const COMPLETE = { result_complete: {} }
const unavailable = { code: grpc.status.UNAVAILABLE, details: 'connection reset' }
const signal = new AbortController().signal

test('rows of all batches come back, the tasks are reported, and the statement and the session are released', async () => {
  const { port, called } = await serve({
    ExecutePlan(stream: Stream) {
      stream.write(response('1', batch(1)))
      const stages = [
        { num_tasks: 4, num_completed_tasks: 4 },
        { num_tasks: 6, num_completed_tasks: 1 },
      ]
      stream.write(response('2', { execution_progress: { stages, num_inflight_tasks: 2 } }))
      stream.write(response('3', batch(2)))
      stream.write(response('4', COMPLETE))
      stream.end()
    },
  })
  const tasks: TaskCounts[] = []
  const session = await open(port)
  expect(await session.execute(PLAN, { signal, onTasks: (counts) => tasks.push(counts) })).toEqual([
    { n: 1 },
    { n: 2 },
  ])
  await session.close()
  expect(tasks).toEqual([{ done: 5, all: 10, running: 2 }])
  expect(called).toEqual(['AnalyzePlan', 'Config', 'ExecutePlan', 'ReleaseExecute', 'ReleaseSession'])
})

test.each([
  unavailable,
  { code: grpc.status.INTERNAL, details: '[INVALID_CURSOR.DISCONNECTED] The cursor has been disconnected' },
])('a statement goes on behind the last response after $details', async (broken) => {
  const attached: (string | undefined)[] = []
  const { port } = await serve({
    ExecutePlan(stream: Stream) {
      stream.write(response('1', batch(1)))
      stream.emit('error', broken)
    },
    ReattachExecute(stream: Stream) {
      attached.push(stream.request.last_response_id)
      // A stream that ends without `result_complete` goes on in the next stream.
      stream.write(attached.length === 1 ? response('2', batch(2)) : response('3', COMPLETE))
      stream.end()
    },
  })
  const session = await open(port)
  expect(await session.execute(PLAN, { signal })).toEqual([{ n: 1 }, { n: 2 }])
  expect(attached).toEqual(['1', '2'])
  await session.close()
})

test('a statement that never arrived at the server is sent again', async () => {
  let sent = 0
  const { port, called } = await serve({
    ExecutePlan(stream: Stream) {
      sent += 1
      if (sent === 1) {
        stream.emit('error', unavailable)
        return
      }
      stream.write(response('1', COMPLETE))
      stream.end()
    },
    ReattachExecute(stream: Stream) {
      stream.emit('error', {
        code: grpc.status.INTERNAL,
        details: '[INVALID_HANDLE.OPERATION_NOT_FOUND] unknown',
      })
    },
  })
  const session = await open(port)
  expect(await session.execute(PLAN, { signal })).toEqual([])
  expect(called.filter((name) => name.endsWith('Plan'))).toEqual([
    'AnalyzePlan',
    'ExecutePlan',
    'ExecutePlan',
  ])
  await session.close()
})

test('a failure of SQL is not tried again', async () => {
  const { port, called } = await serve({
    ExecutePlan: (stream: Stream) =>
      stream.emit('error', { code: grpc.status.INTERNAL, details: '[PARSE_SYNTAX_ERROR] near x' }),
  })
  const session = await open(port)
  await expect(session.execute(PLAN, { signal })).rejects.toMatchObject({
    code: 'stage_failed',
    message: 'Spark: [PARSE_SYNTAX_ERROR] near x',
  })
  expect(called).not.toContain('ReattachExecute')
  await session.close()
})

test('an abort interrupts the statement on the server, and rejects with the reason of the signal', async () => {
  const stop = new AbortController()
  let running: Stream | undefined
  const interrupted: string[] = []
  const { port } = await serve({
    ExecutePlan(stream: Stream) {
      running = stream
      stop.abort('SIGINT')
    },
    Interrupt(call: { request: unknown }, reply: Reply) {
      interrupted.push((call.request as { operation_id: string }).operation_id)
      reply(null, {})
    },
  })
  const session = await open(port)
  await expect(session.execute(PLAN, { signal: stop.signal })).rejects.toBe('SIGINT')
  expect(interrupted).toEqual([running?.request.operation_id])
  await session.close()
})

test('a port without a server is reported with the next step', async () => {
  await expect(open(1)).rejects.toMatchObject({
    code: 'cluster_unreachable',
    message: expect.stringMatching(
      /^no Spark Connect server answers at 127\.0\.0\.1:1: .*ECONNREFUSED.* Check host and port/,
    ) as string,
  })
})

test('a server of Spark 3 is refused by its version', async () => {
  const { port } = await serve({
    AnalyzePlan: (_call: object, reply: Reply) => reply(null, { spark_version: { version: '3.5.1' } }),
  })
  await expect(open(port)).rejects.toThrow(
    'the Spark server at 127.0.0.1 has version 3.5.1: Platbook needs Spark 4',
  )
})

test('a server that asks for a token is reported, with and without a token', async () => {
  const given: unknown[] = []
  const { port } = await serve({
    AnalyzePlan(call: { request: unknown }, reply: Reply) {
      given.push(...(call as unknown as Stream).metadata.get('authorization'))
      reply({ code: grpc.status.UNAUTHENTICATED, details: 'Invalid token' })
    },
  })
  await expect(open(port)).rejects.toThrow('asks for a token: set SPARK_CONNECT_AUTHENTICATE_TOKEN')
  await expect(open(port, 'abc')).rejects.toThrow('refuses the token of SPARK_CONNECT_AUTHENTICATE_TOKEN')
  expect(given).toEqual(['Bearer abc'])
})
