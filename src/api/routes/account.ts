import type { FastifyPluginAsync } from 'fastify'
import { UsageAnswer } from '../answers/account.ts'
import { FREE } from '../billing.ts'
import { UsageQuery } from '../parameters/account.ts'
import type { RouteOptions } from './options.ts'

/** `GET /v1/account/usage/` */
export const account: FastifyPluginAsync<RouteOptions> = async (app, { meter, state }) => {
  app.endpoint(
    {
      method: 'GET',
      path: '/v1/account/usage/',
      operationId: 'getUsage',
      tag: 'Account',
      summary: 'Requests a day of the account, over all its keys',
      description:
        'Counts every answer, 2xx, 4xx and 5xx, billed or not. At most 90 days, in UTC; begins with the first day that has any; the running day is in it. Refreshes every 30 minutes.',
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
