import type { FastifyRequest } from 'fastify'

/** StateCodeEnum of the interface, in its order. */
export const STATE_CODES: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR AS CA CO CT DE DC FL GA GU HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND ' +
    'MP OH OK OR PA PR RI SC SD TN TX TT UT VT VA VI WA WV WI WY'
  ).split(' '),
)

// The Trust Territory, which ended in 1994: the interface accepts the code, and no address lies there.
const NOWHERE = 'TT'

/**
 * Whether a search asks for a state without places. It finds nobody and is not billed; without this rule a search by
 * radius would find people in other states.
 */
export function isNowhere(request: FastifyRequest, state_code: string | undefined): boolean {
  if (state_code !== NOWHERE) return false
  request.billedRows = 0
  return true
}
