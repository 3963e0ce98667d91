import type { FastifyRequest } from 'fastify'

/** The codes of states and territories that the interface accepts, in its order. */
export const STATE_CODES: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR AS CA CO CT DE DC FL GA GU HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND ' +
    'MP OH OK OR PA PR RI SC SD TN TX TT UT VT VA VI WA WV WI WY'
  ).split(' '),
)

// The Trust Territory of the Pacific Islands, which ended in 1994. The interface accepts its code, but no address has it.
const NOWHERE = 'TT'

/**
 * Returns whether a search names a state without any address, and marks the request as not billed. The search must find nobody:
 * a search by radius would otherwise find people in other states.
 */
export function isNowhere(request: FastifyRequest, state_code: string | undefined): boolean {
  if (state_code !== NOWHERE) return false
  request.billedRows = 0
  return true
}
