import type { FastifyPluginAsync } from 'fastify'
import { AppError } from '../../errors.ts'
import { PropertyResponse, PropertyResponseV1, PropertySearchResponse } from '../responses/property.ts'
import { BILLED, BILLED_WHEN_FOUND } from '../billing.ts'
import { PropertyPath, PropertySearch, PropertySearchV1 } from '../parameters/property.ts'
import { sendJson } from '../reply.ts'
import { isNowhere } from '../state-codes.ts'
import type { RouteOptions } from './options.ts'

/** Routes `GET /v2/property/`, `GET /v2/property/{property_id}` and `GET /v1/property/`. */
export const property: FastifyPluginAsync<RouteOptions> = async (
  app,
  { meter, served, envelopes, today },
) => {
  app.endpoint(
    {
      method: 'GET',
      path: '/v2/property/',
      operationId: 'searchProperty',
      tag: 'Property',
      summary: 'Search for the property at an address',
      description:
        'Returns the property whose address matches best, which may be another house number of the same street. With `strict_match`, returns only a property at this address or in the same building.',
      access: meter.key('property:read', BILLED),
      request: { query: PropertySearch },
      responses: { 200: PropertySearchResponse },
      failures: [404],
    },
    (request, reply) => {
      const { query, arrivedAt, caller } = request
      if (isNowhere(request, query.state_code)) throw noMatch()
      const document = served.of(caller).use((lookup) => lookup.findProperty(query, today(arrivedAt)))
      if (document === null) throw noMatch()
      envelopes.sendResult(reply, document)
    },
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/v2/property/{property_id}',
      operationId: 'getProperty',
      tag: 'Property',
      summary: 'Get a property by its id or by the id of its address',
      description: 'A request that is answered with 404 is not billed.',
      access: meter.key('property:read', BILLED_WHEN_FOUND),
      request: { path: PropertyPath },
      responses: { 200: PropertyResponse },
      failures: [404],
    },
    ({ params, arrivedAt, caller }, reply) => {
      const id = params.property_id
      const document = served.of(caller).use((lookup) => lookup.property(id, today(arrivedAt)))
      if (document === null) throw new AppError('not_found', `there are no property details for the id ${id}`)
      envelopes.sendResult(reply, document)
    },
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/v1/property/',
      operationId: 'searchPropertyV1',
      tag: 'Property',
      summary: 'Search for the property at an address (first version)',
      description: 'Returns 404 when no property matches. Deprecated: use `/v2/property/`.',
      isDeprecated: true,
      access: meter.key('property:read', BILLED),
      request: { query: PropertySearchV1 },
      responses: { 200: PropertyResponseV1 },
      failures: [404],
    },
    (request, reply) => {
      const { arrivedAt, caller } = request
      const { zip, ...query } = request.query
      if (isNowhere(request, query.state_code)) throw noMatch()
      const asked = { ...query, ...(zip === undefined ? {} : { zipcode: zip }), strict_match: false }
      const document = served.of(caller).use((lookup) => lookup.findProperty(asked, today(arrivedAt), 1))
      if (document === null) throw noMatch()
      sendJson(reply, document)
    },
  )
}

function noMatch(): AppError {
  return new AppError('not_found', 'no property matches the search parameters')
}
