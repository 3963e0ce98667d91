import type { FastifyPluginAsync } from 'fastify'
import { AppError } from '../../errors.ts'
import { decodeCursor, encodeCursor, type EventFilter, type Position } from '../../events/position.ts'
import type { EventPage } from '../../events/archive.ts'
import type { EventRegions } from '../../events/event-regions.ts'
import { DeedEvent, EventSearchResponse } from '../responses/event.ts'
import { FREE } from '../billing.ts'
import { EVENT_SEARCH_ERRORS } from '../errors.ts'
import { EventPath, EventSearch } from '../parameters/event.ts'
import { sendJson } from '../reply.ts'
import type { RouteOptions } from './options.ts'

/** Routes `GET /v1/events/deed` and `GET /v1/events/{event_id}`, for invited accounts. */
export const events: FastifyPluginAsync<RouteOptions> = async (
  app,
  { meter, served, webhooks, eventRegions },
) => {
  app.endpoint(
    {
      method: 'GET',
      path: '/v1/events/deed',
      operationId: 'searchDeedEvents',
      tag: 'Events',
      summary: 'Search the deed events of a state or county',
      description:
        'Ordered by recorded date, newest first, and then by id. Use a cursor with the same parameters as the search that returned it; only `limit` may differ. A cursor stays valid when new events are published.',
      access: meter.key('events:read', FREE, 'events'),
      request: { query: EventSearch },
      responses: { 200: EventSearchResponse },
      failures: [401, 504],
      errors: EVENT_SEARCH_ERRORS,
    },
    async ({ query, caller }, reply) => {
      const filter = filterOf(eventRegions, query)
      const after = query.cursor === undefined ? null : positionOf(filter, query.cursor)
      const page = await served.of(caller).useEvents((archive) => archive.search(filter, after, query.limit))
      return sendJson(reply, pageBody(filter, page))
    },
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/v1/events/{event_id}',
      operationId: 'getEvent',
      tag: 'Events',
      summary: 'Get an event by the id from a notification or a search',
      access: meter.key('events:read', FREE, 'events'),
      request: { path: EventPath },
      responses: { 200: DeedEvent },
      failures: [404],
    },
    async ({ params, caller }, reply) => {
      const id = params.event_id
      const account = caller?.key.account_id ?? ''
      const document =
        (await webhooks.testEvents.find(account, id)) ??
        served.of(caller).useEvents((archive) => archive.event(id))
      if (document === null) throw new AppError('not_found', `there is no event with the id ${id}`)
      sendJson(reply, document)
    },
  )
}

function filterOf(eventRegions: EventRegions, query: EventSearch): EventFilter {
  return {
    ...eventRegions.read(query.region, 'query'),
    property_id: query.property_id ?? null,
    from: query.event_date_from ?? null,
    to: query.event_date_to ?? null,
  }
}

function positionOf(filter: EventFilter, cursor: string): Position {
  const position = decodeCursor(filter, cursor)
  if (position !== null) return position
  const reason =
    'must be the next_cursor of a page of the same search, with the same region, property_id and dates'
  throw new AppError('invalid_parameter', `query -> cursor: ${reason}`, {
    details: { field: 'cursor', validation_error: reason },
  })
}

function pageBody(filter: EventFilter, { documents, next }: EventPage): Buffer {
  const pagination = next === null ? {} : { next_cursor: encodeCursor(filter, next) }
  const parts: Buffer[] = [BEFORE_RESULTS]
  for (const [index, document] of documents.entries()) {
    if (index > 0) parts.push(COMMA)
    parts.push(document)
  }
  parts.push(Buffer.from(`],"pagination":${JSON.stringify(pagination)}}`))
  return Buffer.concat(parts)
}

const BEFORE_RESULTS = Buffer.from('{"results":[')
const COMMA = Buffer.from(',')
