import type { FastifyPluginAsync } from 'fastify'
import { UsageAnswer } from '../answers/account.ts'
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
        'Counts the answers to requests with any key of the account: 2xx, 4xx and 5xx, billed or not. The range has at most 90 days, in UTC. The answer begins with the first day that has requests and includes the current day. The counts are updated every 30 minutes.',
      access: meter.key('usage:read', FREE),
      request: { query: UsageQuery },
      answers: { 200: UsageAnswer },
    },
    ({ query: { start_date, end_date }, caller, arrivedAt }) => {
      const usage_data = state.report.days(caller?.key.account_id ?? '', start_date, end_date, arrivedAt)
      return {
        time_range: { start_date, end_date },
        usage_data,
        total_requests_in_timeperiod: usage_data.reduce((sum, day) => sum + day.request_count, 0),
      }
    },
  )
}
