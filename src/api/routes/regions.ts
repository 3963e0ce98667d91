import type { FastifyPluginAsync } from 'fastify'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { EVENT_TYPES } from '../../normalize/regions.ts'
import { CountiesResponse, StatesResponse } from '../responses/regions.ts'
import type { RouteOptions } from './options.ts'

const CountiesPath = z.object({ state_code: z.string().toUpperCase() })
const NO_EVENTS: readonly string[] = []

/** Routes `GET /v1/regions/states` and `GET /v1/regions/states/{state_code}/counties`. They need no key and no snapshot. */
export const regions: FastifyPluginAsync<RouteOptions> = async (
  app,
  { meter, served: { live: snapshots }, webhooks, eventRegions },
) => {
  const known = webhooks.regions

  app.endpoint(
    {
      method: 'GET',
      path: '/v1/regions/states',
      operationId: 'listStates',
      tag: 'Regions',
      summary: 'List states and territories and the events that each supports',
      access: meter.anyone(),
      responses: { 200: StatesResponse },
    },
    () => ({
      results: known.states.map((state) => ({
        ...state,
        supported_webhook_events: eventRegions.has(state.state_code) ? EVENT_TYPES : NO_EVENTS,
      })),
    }),
  )

  app.endpoint(
    {
      method: 'GET',
      path: '/v1/regions/states/{state_code}/counties',
      operationId: 'listCounties',
      tag: 'Regions',
      summary: 'List the counties of a state and the events that each supports',
      description:
        'A county supports events when its assessment rolls or deeds are loaded and its state supports events. These states are Texas, New York and Florida, unless the operator has configured other states.',
      access: meter.anyone(),
      request: { path: CountiesPath },
      responses: { 200: CountiesResponse },
      failures: [404],
    },
    ({ params: { state_code } }) => {
      const counties = known.counties(state_code)
      if (counties === null) {
        throw new AppError('not_found', `there is no state with the code ${state_code.slice(0, 20)}`)
      }
      const loaded = snapshots.version === null ? null : snapshots.use((lookup) => lookup.recordedCounties)
      const isSupported = (fips_code: string): boolean =>
        eventRegions.has(state_code) && loaded !== null && loaded.has(fips_code)
      return {
        results: counties.map((county) => ({
          ...county,
          supported_webhook_events: isSupported(county.fips_code) ? EVENT_TYPES : NO_EVENTS,
        })),
      }
    },
  )
}
