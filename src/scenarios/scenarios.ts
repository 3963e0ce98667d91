/** The errors that a request with a test key can ask for. */
export type PlannedFailure = 'rate_limited' | 'usage_cap_exceeded' | 'overloaded' | 'query_timeout'

export interface Scenario {
  readonly name: string
  /** A request that shows the scenario. */
  readonly path: string
  readonly status: number
}

/**
 * The scenarios that callers with a test key can rely on. The OpenAPI file lists them, and the tests request each of
 * them.
 */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'a person with more phones, e-mails and past addresses than a search shows', path: '/v2/person/?name=Ada+Sample&state_code=TX', status: 200 },
  { name: 'the details of that person', path: '/v2/person/PTEST000001', status: 200 },
  { name: 'a person id that was merged into that person', path: '/v2/person/PTEST000099', status: 200 },
  { name: 'a person who has died', path: '/v2/person/PTEST000003', status: 200 },
  { name: 'a person of whom little is known', path: '/v2/person/PTEST000004', status: 200 },
  { name: 'a search with a second page', path: '/v2/person/?name=Casey+Common&page=2', status: 200 },
  { name: 'a search that finds nobody', path: '/v2/person/?name=Nobody+Whatsoever&strict_match=true', status: 200 },
  { name: 'a person id that does not exist', path: '/v2/person/PTEST000404', status: 404 },
  { name: 'too many requests: wait for Retry-After', path: '/v2/person/PTEST000429', status: 429 },
  { name: 'the monthly cap is used up', path: '/v2/person/PTESTCAP429', status: 429 },
  { name: 'the service is overloaded', path: '/v2/person/PTEST000503', status: 503 },
  { name: 'a landline with two owners', path: '/v2/phone/5125550100', status: 200 },
  { name: 'a mobile phone with one owner', path: '/v2/phone/5125550101', status: 200 },
  { name: 'a phone with more people than are listed', path: '/v2/phone/5125550110', status: 200 },
  { name: 'the phone of a business', path: '/v2/phone/5125550120', status: 200 },
  { name: 'a phone with a name that belongs to no known person', path: '/v2/phone/5125550121', status: 200 },
  { name: 'a phone of which nothing is known', path: '/v2/phone/5125550199', status: 200 },
  { name: 'too many requests for phones', path: '/v2/phone/5125550129', status: 429 },
  { name: 'a house with two owners and a mortgage', path: '/v2/property/?street=100+Example+Ave&city=Austin&state_code=TX', status: 200 },
  { name: 'the details of that house', path: '/v2/property/RTEST000001', status: 200 },
  { name: 'a property of a business', path: '/v2/property/RTEST000002', status: 200 },
  { name: 'a parcel without an address', path: '/v2/property/RTEST000003', status: 200 },
  { name: 'a property id that does not exist', path: '/v2/property/RTEST000404', status: 404 },
  { name: 'an address without a property', path: '/v2/property/?street=999+Nowhere+Rd&city=Austin&state_code=TX&strict_match=true', status: 404 },
  { name: 'too many requests for properties', path: '/v2/property/RTEST000429', status: 429 },
  { name: 'the deeds of a county', path: '/v1/events/deed?region=county:tx.travis', status: 200 },
  { name: 'one deed', path: '/v1/events/00000000-0000-5000-8000-000000000001', status: 200 },
  { name: 'an event id that does not exist', path: '/v1/events/00000000-0000-5000-8000-000000000404', status: 404 },
  { name: 'a search for events that takes too long', path: '/v1/events/deed?region=state:tx&property_id=RTEST000504', status: 504 },
] // prettier-ignore

const FAILURES: ReadonlyMap<string, PlannedFailure> = new Map([
  ['PTEST000429', 'rate_limited'],
  ['RTEST000429', 'rate_limited'],
  ['5125550129', 'rate_limited'],
  ['PTESTCAP429', 'usage_cap_exceeded'],
  ['PTEST000503', 'overloaded'],
])
const SLOW_PROPERTY = 'RTEST000504'

/** Parameters of a request by name, as sent. */
export type Given = Readonly<Record<string, unknown>>

/** Returns the error that the parameters of a test request ask for; null for none. */
export function plannedFailure(route: string, path: Given, query: Given): PlannedFailure | null {
  if (route === '/v1/events/deed') return query['property_id'] === SLOW_PROPERTY ? 'query_timeout' : null
  const named = [path['id'], path['property_id'], digitsOf(path['phone']), digitsOf(query['phone'])]
  for (const value of named) {
    const failure = typeof value === 'string' ? FAILURES.get(value) : undefined
    if (failure !== undefined) return failure
  }
  return null
}

// The longest form of a phone number has about 20 characters, so longer texts are cut.
function digitsOf(phone: unknown): string | null {
  return typeof phone === 'string' ? phone.slice(0, 40).replaceAll(/\D/g, '').replace(/^1/, '') : null
}
