// The process that is measured: the service on a snapshot folder (`app FOLDER STATE`), a bare Fastify route (`bare`), or
// the same queries by PostgreSQL behind Fastify (`postgres SOCKET-FOLDER`). Says {port, key} when it listens; a message
// {bodyBytes} sets the bare route's body; 'used' asks for processor time and memory.
import Fastify, { type FastifyInstance } from 'fastify'
import { buildApp } from '../../../src/api/app.ts'
import { Snapshots } from '../../../src/api/snapshots.ts'
import { systemClock } from '../../../src/clock.ts'
import { loadConfig } from '../../../src/config.ts'
import { openEventArchive, searchOptions } from '../../../src/events/archive.ts'
import { silentLog } from '../../../src/log.ts'
import { currentSnapshot, loadLookup } from '../../../src/lookup/open.ts'
import { openState } from '../../../src/state/open.ts'
import { buildOnPostgres } from './postgres-routes.ts'

const [role, folder = '', statePath = ''] = process.argv.slice(2)
let body = Buffer.alloc(0)

async function buildService(): Promise<{ app: FastifyInstance; key: string }> {
  const state = openState(statePath)
  const { secret } = state.keys.create({ name: 'bench', rate_per_second: 1_000_000, burst: 1_000_000 })
  // The bench asks for all there is: what is shed would be counted as a failure.
  const config = loadConfig({ SHED_AFTER_MS: '10000' })
  const app = await buildApp({
    config,
    state,
    now: systemClock,
    log: silentLog,
    openSnapshots: () =>
      Snapshots.open({
        folder,
        open: loadLookup,
        openEvents: (of) => openEventArchive(of, searchOptions(config)),
        current: currentSnapshot,
        suppressions: state.suppressions,
        log: silentLog,
      }),
  })
  return { app, key: secret }
}

function buildBare(): { app: FastifyInstance; key: string } {
  const app = Fastify({ logger: false })
  app.get('/*', (_request, reply) => {
    void reply.header('content-type', 'application/json; charset=utf-8').send(body)
  })
  return { app, key: '' }
}

async function build(): Promise<{ app: FastifyInstance; key: string }> {
  if (role === 'app') return buildService()
  return role === 'postgres' ? { app: buildOnPostgres(folder), key: '' } : buildBare()
}

const { app, key } = await build()
await app.listen({ port: 0, host: '127.0.0.1' })
process.on('message', (message: 'used' | { bodyBytes: number }) => {
  if (message === 'used') {
    const all = process.cpuUsage()
    const main = process.threadCpuUsage()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.send?.({ cpu: all.user + all.system, main: main.user + main.system, heapUsed, external, rss })
  } else {
    body = Buffer.alloc(message.bodyBytes, 'x')
    process.send?.({ isSet: true })
  }
})
const address = app.server.address()
process.send?.({ port: typeof address === 'object' ? address?.port : undefined, key })
