import type { FastifyPluginAsync } from 'fastify'
import { AppError } from '../../errors.ts'
import type { RouteOptions } from './options.ts'

/** `GET /health` (the process answers) and `GET /ready` (it has data to answer from). Neither needs a key. */
export const health: FastifyPluginAsync<RouteOptions> = async (app, { snapshots }) => {
  app.get('/health', { exposeHeadRoute: true }, () => ({ status: 'ok' }))

  app.get('/ready', { exposeHeadRoute: true }, () => {
    const { version } = snapshots
    if (version === null) {
      throw new AppError(
        'no_snapshot',
        'There is no published data yet: the first nightly run has not ended.',
      )
    }
    return { status: 'ready', snapshot: version }
  })
}
