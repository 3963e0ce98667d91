import type { FastifyPluginAsync } from 'fastify'
import { AppError } from '../../errors.ts'
import { Health, Ready } from '../responses/health.ts'
import { ANYONE } from '../endpoint.ts'
import type { RouteOptions } from './options.ts'

/** Routes `GET /health` (the process runs) and `GET /ready` (lookups are answered). Neither needs a key. */
export const health: FastifyPluginAsync<RouteOptions> = async (
  app,
  { served: { live: snapshots }, load },
) => {
  app.endpoint(
    {
      method: 'GET',
      path: '/health',
      operationId: 'getHealth',
      tag: 'Service',
      summary: 'Check that the process is running',
      access: ANYONE,
      responses: { 200: Health },
      hasHead: true,
    },
    () => ({ status: 'ok', snapshot: snapshots.version }),
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/ready',
      operationId: 'getReady',
      tag: 'Service',
      summary: 'Check that data is published and that the service is not overloaded',
      access: ANYONE,
      responses: { 200: Ready },
      hasHead: true,
    },
    () => {
      const { version, withheld } = snapshots
      if (version === null) throw snapshots.absence
      if (load.isRefusing(performance.now()))
        throw new AppError(
          'overloaded',
          'The service is overloaded and refuses lookups. Try again in a few seconds.',
        )
      return { status: 'ready', snapshot: version, withheld }
    },
  )
}
