import type { FastifyPluginAsync } from 'fastify'
import { UsageResponse } from '../responses/account.ts'
import { FREE } from '../billing.ts'
import { UsageQuery } from '../parameters/account.ts'
import type { RouteOptions } from './options.ts'

/** Route `GET /v1/account/usage/`. */
export const account: FastifyPluginAsync<RouteOptions> = async (app, { meter, state }) => {
  app.endpoint(
    {
      method: 'GET',
      path: '/v1/account/usage/',
      operationId: 'getUsage',
      tag: 'Account',
      summary: 'Count the requests of the account by day',
      description:
        'Counts the requests with any key of the account, billed or not, with a 2xx, 4xx or 5xx status. The range has at most 90 days, in UTC. The response begins with the first day that has requests and includes the current day. The counts are updated every 30 minutes.',
      access: meter.key('usage:read', FREE),
      request: { query: UsageQuery },
      responses: { 200: UsageResponse },
    },
    async ({ query: { start_date, end_date }, caller, arrivedAt }) => {
      const usage_data = await state.report.days(
        caller?.key.account_id ?? '',
        start_date,
        end_date,
        arrivedAt,
      )
      return {
        time_range: { start_date, end_date },
        usage_data,
        total_requests_in_timeperiod: usage_data.reduce((sum, day) => sum + day.request_count, 0),
      }
    },
  )
}
