// The process that is measured: the service on a snapshot folder (`app FOLDER STATE`, and with a SOCKET-FOLDER the routes of
// PostgreSQL beside its own), or a bare Fastify route (`bare`). Says {port, key} when it listens; a message {bodyBytes} sets
// the bare route's body; 'used' asks for processor time and memory, 'live' for what is left in memory after a collection.
import { setTimeout as delay } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { buildApp } from '../../../src/api/app.ts'
import { Snapshots } from '../../../src/api/snapshots.ts'
import { systemClock } from '../../../src/clock.ts'
import { loadConfig } from '../../../src/config.ts'
import { openEventArchive, searchOptions } from '../../../src/events/archive.ts'
import { silentLog } from '../../../src/log.ts'
import { currentSnapshot, loadLookup } from '../../../src/lookup/index.ts'
import { openState } from '../../../src/state/open.ts'
import { addPostgresRoutes } from './postgres-routes.ts'
import type { Live } from './processes.ts'

const [role, folder = '', statePath = '', socketFolder] = process.argv.slice(2)
let body = Buffer.alloc(0)

async function buildService(): Promise<{ app: FastifyInstance; key: string }> {
  const state = await openState(statePath)
  const { secret } = await state.keys.create({ name: 'bench', rate_per_second: 1_000_000, burst: 1_000_000 })
  // The bench asks for all there is: what is shed would be counted as a failure.
  const config = loadConfig({ SHED_AFTER_MS: '10000' })
  const openSnapshots = () =>
    Snapshots.open({
      folder,
      open: loadLookup,
      openEvents: (of) => openEventArchive(of, searchOptions(config)),
      current: currentSnapshot,
      suppressions: state.suppressions,
      log: silentLog,
    })
  const app = await buildApp({
    config,
    state,
    now: systemClock,
    log: silentLog,
    openSnapshots,
    // The bench has no test keys.
    openTestSnapshots: openSnapshots,
  })
  if (socketFolder !== undefined) addPostgresRoutes(app, socketFolder)
  return { app, key: secret }
}

function buildBare(): { app: FastifyInstance; key: string } {
  const app = Fastify({ logger: false })
  app.get('/*', (_request, reply) => {
    void reply.header('content-type', 'application/json; charset=utf-8').send(body)
  })
  return { app, key: '' }
}

const { app, key } = await (role === 'app' ? buildService() : buildBare())
await app.listen({ port: 0, host: '127.0.0.1' })
process.on('message', (message: 'used' | 'live' | { bodyBytes: number }) => {
  if (message === 'live') void collect().then((live) => process.send?.(live))
  else if (message === 'used') {
    const all = process.cpuUsage()
    const main = process.threadCpuUsage()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.send?.({ cpu: all.user + all.system, main: main.user + main.system, heapUsed, external, rss })
  } else {
    body = Buffer.alloc(message.bodyBytes, 'x')
    process.send?.({ isSet: true })
  }
})

async function collect(): Promise<Live> {
  // What the first one ends, another turn lets go of.
  for (let time = 0; time < 3; time += 1) {
    globalThis.gc?.()
    await delay(100)
  }
  const { heapUsed, external } = process.memoryUsage()
  return { heapUsed, external }
}

const address = app.server.address()
process.send?.({ port: typeof address === 'object' ? address?.port : undefined, key })
