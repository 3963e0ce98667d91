import type { FastifyPluginAsync } from 'fastify'
import type { EventPage } from '../../state/access-events.ts'
import { AccessEventsResponse } from '../responses/internal.ts'
import { INTERNAL_ERRORS } from '../errors.ts'
import { internalToken } from '../internal-token.ts'
import { ByKeyQuery, cursorOf, DumpQuery } from '../parameters/internal.ts'
import type { RouteOptions } from './options.ts'

/** Routes `GET /internal/access-events/dump` and `…/by-key`, for staff tools and billing. They need a bearer token. */
export const internal: FastifyPluginAsync<RouteOptions> = async (app, { state, internalTokens }) => {
  const access = internalToken(internalTokens)

  app.endpoint(
    {
      method: 'GET',
      path: '/internal/access-events/dump',
      operationId: 'dumpAccessEvents',
      tag: 'Internal',
      summary: 'List the access events of all keys',
      description:
        'Events from `start` (included) to `end` (not included), ordered by `event_ts` and then `id`. A page has at most 1,000 events.',
      access,
      request: { query: DumpQuery },
      responses: { 200: AccessEventsResponse },
      errors: INTERNAL_ERRORS,
    },
    async ({ query: { start, end, cursor } }) =>
      pageOf(await state.accessEvents.page({ start, end, after: cursor })),
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/internal/access-events/by-key',
      operationId: 'listAccessEventsOfKey',
      tag: 'Internal',
      summary: 'List the access events of one key',
      description:
        'Events from `start` (included) to `end` (not included), ordered by `event_ts` and then `id`. A page has at most 1,000 events. The length of the range is not limited.',
      access,
      request: { query: ByKeyQuery },
      responses: { 200: AccessEventsResponse },
      errors: INTERNAL_ERRORS,
    },
    async ({ query: { api_key_id, start, end, cursor } }) =>
      pageOf(await state.accessEvents.page({ api_key_id, start, end, after: cursor })),
  )
}

function pageOf({ events, next }: EventPage): object {
  return next === null ? { events } : { events, next_cursor: cursorOf(next) }
}
