import { propertyId } from '../../normalize/identifier.ts'
import type { Candidate, Lookup, PersonParts, ReadClues } from '../../lookup/index.ts'
import {
  type Field,
  fieldValues,
  isOfProperty,
  missingRequirement,
  type PropertyDetails,
  type Requirement,
  type Value,
} from './fields.ts'
import { agreements, reasonOf } from './reasons.ts'
import type { RowClues } from './row-clues.ts'
import { suppressedClue, suppressedPerson, type Suppressions } from './suppressions.ts'

export const STATUSES = ['matched', 'ambiguous', 'no_match', 'invalid', 'suppressed'] as const
export type MatchStatus = (typeof STATUSES)[number]

/** The answer to a row, or one of several answers (`rank` from 1). */
export interface RowAnswer {
  readonly status: MatchStatus
  /** From 0.01 to 0.99: the share of rows like this one that mean this person. Null without a candidate. */
  readonly match_probability: number | null
  readonly matched_by: readonly string[]
  readonly reason: string
  readonly person_id: string | null
  readonly person_name: string | null
  readonly property_id: string | null
  readonly rank: number
  /** The values of the chosen fields; empty unless the row is matched. */
  readonly values: readonly Value[]
  /** The person's number in the snapshot. Reports and the removal of duplicates use it. */
  readonly person: number | null
  readonly zip: string | null
  /**
   * True for matched rows, and for rows that the caller's suppression list removes because of a fact that the row
   * lacks.
   */
  readonly isBillable: boolean
}

export interface MatchOptions {
  readonly fields: readonly Field[]
  readonly require: readonly Requirement[]
  /** The least match probability of a matched row, in percent. */
  readonly minScore: number
  readonly top: number
  /** The caller's own suppression list; null without one. */
  readonly suppressions: Suppressions | null
  /**
   * True on the operator's command line: a row that means a person on the operator's suppression list gets the status
   * `suppressed`. False for callers over HTTP: such a row is answered as if nobody was found.
   */
  readonly reportsSuppressed: boolean
  /**
   * True when the caller's suppression list also applies to facts that the row does not contain. False in dry runs over
   * HTTP, because their counts are free and would reveal such facts.
   */
  readonly suppressesPeople: boolean
  /** `YYYY-MM-DD`, the day for which ages are computed. */
  readonly today: string
}

/** Above this share of the best candidate's probability, a second candidate makes the row ambiguous. */
const CLOSE = 1 / 3
/**
 * The least `confidence_score` of property search that counts as a match. It means another unit in the same building.
 */
const SAME_BUILDING = 90

/** The answer to rows after the cap on billable matches. */
export const NOT_LOOKED_UP: readonly [RowAnswer] = [
  answer('no_match', 'not looked up: the cap on billable matches is reached'),
]

/** Reasons of rows without a person. Results that are screened later use them too. */
export const NOBODY_FOUND = 'nobody like this was found'
export const NO_SUCH_ID = 'no person has this id'

/**
 * Returns the parsed clues of rows that ask for a person, for `matchRow`; null for other rows. Parsing many rows at
 * once is faster.
 */
export function readRows(
  lookup: Lookup,
  rows: readonly RowClues[],
  { today, reportsSuppressed }: Pick<MatchOptions, 'today' | 'reportsSuppressed'>,
): (ReadClues | null)[] {
  const read = lookup.readClues(rows.filter(asksForPerson), today, reportsSuppressed).values()
  return rows.map((clues) => (asksForPerson(clues) ? read.next().value! : null))
}

/**
 * Finds the person or property that a row means. The command line and the API both use this function. Returns the
 * answers best first, at least one. `read` is the result of `readRows` for this row.
 */
export function matchRow(
  lookup: Lookup,
  clues: RowClues,
  options: MatchOptions,
  read: ReadClues | null = null,
): RowAnswer[] {
  const listed = options.suppressions === null ? null : suppressedClue(options.suppressions, clues)
  if (listed !== null) return [answer('suppressed', `the row's ${listed} is on the suppression list`)]
  if (clues.person_id !== undefined) return [byId(lookup, clues, clues.person_id, options)]
  if (!namesPerson(clues)) return [byProperty(lookup, clues, options)]
  const { today, reportsSuppressed } = options
  const { candidates, faults, isSearchable, suppressedScore } = lookup.identify(
    read ?? lookup.readClues([clues], today, reportsSuppressed)[0]!,
    today,
  )
  if (!isSearchable)
    return [answer('invalid', faults.length > 0 ? faults.join('; ') : 'nothing to search by')]
  const [best, second] = candidates
  if (suppressedScore >= options.minScore && suppressedScore > (best?.score ?? 0))
    return [answer('suppressed', 'the person is suppressed')]
  if (best === undefined) return [answer('no_match', withFaults(NOBODY_FOUND, faults))]
  if (best.score < options.minScore) {
    // Together the candidates reach the threshold: the row means one of them, but it is unclear which one.
    const together = candidates.reduce((sum, one) => sum + one.score, 0)
    if (second === undefined || together < options.minScore || second.score <= best.score * CLOSE) {
      return [
        answer('no_match', withFaults(`the best candidate fits too little: ${reasonOf(best)}`, faults), {
          match_probability: best.score / 100,
        }),
      ]
    }
    return ambiguous(lookup, candidates, options)
  }
  if (second !== undefined && second.score > best.score * CLOSE) return ambiguous(lookup, candidates, options)
  const first = withPerson(lookup, clues, best, withFaults(reasonOf(best), faults), options)
  if (first.status !== 'matched') return [first]
  return [
    first,
    ...candidates.slice(1, options.top).map((one, at) => ranked(lookup, one, 'no_match', at + 2, options)),
  ]
}

/** Returns the fact of a person that is on the caller's suppression list; null when none is. */
function suppressedFact(
  person: PersonParts,
  { suppressions, suppressesPeople }: MatchOptions,
): string | null {
  return suppressions === null || !suppressesPeople ? null : suppressedPerson(suppressions, person)
}

function asksForPerson(clues: RowClues): boolean {
  return clues.person_id === undefined && namesPerson(clues)
}

function namesPerson({ name, first_name, last_name, phones, emails }: RowClues): boolean {
  return (
    name !== undefined ||
    first_name !== undefined ||
    last_name !== undefined ||
    phones !== undefined ||
    emails !== undefined
  )
}

function ambiguous(lookup: Lookup, candidates: readonly Candidate[], options: MatchOptions): RowAnswer[] {
  const best = candidates[0]!
  const close = candidates.filter((one) => one.score > best.score * CLOSE).length
  const answers = candidates
    .slice(0, options.top)
    .map((one, at) => ranked(lookup, one, 'ambiguous', at + 1, options))
  const reason = `${close} people fit about as well: ${reasonOf(best)}`
  return answers.map((one, at) =>
    at === 0 ? { ...one, reason, isBillable: answers.some(({ isBillable }) => isBillable) } : one,
  )
}

function ranked(
  lookup: Lookup,
  candidate: Candidate,
  status: MatchStatus,
  rank: number,
  options: MatchOptions,
): RowAnswer {
  const person = lookup.personParts(candidate.person, options.today)
  if (suppressedFact(person, options) !== null)
    return {
      ...answer('suppressed', 'the person is on the suppression list'),
      rank,
      isBillable: !options.reportsSuppressed,
    }
  return answer(status, reasonOf(candidate), {
    match_probability: candidate.score / 100,
    matched_by: agreements(candidate),
    person_id: person.id,
    rank,
  })
}

function withPerson(
  lookup: Lookup,
  clues: RowClues,
  candidate: Candidate,
  reason: string,
  options: MatchOptions,
): RowAnswer {
  return matched(
    lookup,
    clues,
    { person: candidate.person, score: candidate.score, matched_by: agreements(candidate), reason },
    options,
  )
}

function byId(lookup: Lookup, clues: RowClues, id: string, options: MatchOptions): RowAnswer {
  if (!/^P[0-9A-Za-z]{10}$/.test(id))
    return answer('invalid', 'the person id is not P followed by 10 letters and digits')
  const person = lookup.personNumber(id)
  if (person === null) return answer('no_match', NO_SUCH_ID)
  return matched(lookup, clues, { person, score: 99, matched_by: ['id'], reason: 'the person id' }, options)
}

interface Found {
  readonly person: number
  /** The match probability in percent. */
  readonly score: number
  readonly matched_by: readonly string[]
  readonly reason: string
}

function matched(lookup: Lookup, clues: RowClues, found: Found, options: MatchOptions): RowAnswer {
  const { fields, require, today } = options
  const person = lookup.personParts(found.person, today)
  const listed = suppressedFact(person, options)
  if (listed !== null && options.reportsSuppressed)
    return answer('suppressed', `the person's ${listed} is on the suppression list`)
  const needsProperty = fields.some(isOfProperty) || require.includes('property')
  const { id, name } = person
  const { zip } = person.address ?? { zip: null }
  // `person` reads from a buffer of the store, which the next read replaces. So the property is fetched last.
  const lack = missingRequirement(
    require.filter((one) => one !== 'property'),
    person,
    null,
  )
  if (lack !== null)
    return answer('no_match', `the match has no ${lack}, which is required`, {
      match_probability: found.score / 100,
    })
  const personFields = fields.filter((field) => !isOfProperty(field))
  const personValues = fieldValues(personFields, person, null)
  const property = needsProperty ? propertyOf(lookup, clues, person, today) : null
  if (require.includes('property') && property === null)
    return answer('no_match', 'the match has no property, which is required', {
      match_probability: found.score / 100,
    })
  // The row is billed. Free answers would let callers test facts about people with inputs of one row.
  if (listed !== null)
    return answer('suppressed', 'the person is on the suppression list', {
      person: found.person,
      isBillable: true,
    })
  return answer('matched', found.reason, {
    match_probability: found.score / 100,
    matched_by: found.matched_by,
    person_id: id,
    person_name: name,
    property_id: property?.property_id ?? null,
    // Columns of properties come after columns of people.
    values: [...personValues, ...fieldValues(fields.filter(isOfProperty), null, property)],
    person: found.person,
    zip,
  })
}

/** Returns the property that the row names, else the first property that the person owns. */
function propertyOf(
  lookup: Lookup,
  clues: RowClues,
  person: PersonParts,
  today: string,
): PropertyDetails | null {
  const [owned] = person.owned
  return (
    namedProperty(lookup, clues, today)?.details ??
    (owned === undefined ? null : details(lookup, owned.id, today))
  )
}

function namedProperty(
  lookup: Lookup,
  clues: RowClues,
  today: string,
): { details: PropertyDetails; score: number; by: string } | null {
  const { property_id, apn, county_fips, street, city, state_code, zipcode } = clues
  const ids = [
    property_id,
    apn === undefined || county_fips === undefined ? undefined : propertyId(county_fips, apn),
  ]
  for (const [at, id] of ids.entries()) {
    if (id === undefined || !/^[RA][0-9A-Za-z]{10}$/.test(id)) continue
    const found = details(lookup, id, today)
    if (found !== null) return { details: found, score: 99, by: at === 0 ? 'id' : 'parcel' }
  }
  if (street === undefined) return null
  const query = { street, ...(city === undefined ? {} : { city }), ...(state_code === undefined ? {} : { state_code }), ...(zipcode === undefined ? {} : { zipcode }), strict_match: true } // prettier-ignore
  const body = lookup.findProperty(query, today)
  if (body === null) return null
  const { property_id: found, property_metadata } = JSON.parse(body.toString()) as {
    property_id: string
    property_metadata: { confidence_score: number | null }
  }
  const grade = property_metadata.confidence_score
  if (grade === null || grade < SAME_BUILDING) return null
  const whole = details(lookup, found, today)
  return whole === null ? null : { details: whole, score: Math.min(99, grade), by: 'address' }
}

function details(lookup: Lookup, id: string, today: string): PropertyDetails | null {
  const body = lookup.property(id, today)
  return body === null ? null : (JSON.parse(body.toString()) as PropertyDetails)
}

/** Answers a row that names no person with a property. */
function byProperty(lookup: Lookup, clues: RowClues, options: MatchOptions): RowAnswer {
  const { property_id, apn, county_fips, street } = clues
  if (property_id === undefined && street === undefined && (apn === undefined || county_fips === undefined)) {
    return answer(
      'invalid',
      apn === undefined ? 'nothing to search by' : 'the county of the parcel number is unknown',
    )
  }
  const found = namedProperty(lookup, clues, options.today)
  if (found === null) return answer('no_match', 'there is no such property')
  return answer(
    'matched',
    found.by === 'id'
      ? 'the property id'
      : found.by === 'parcel'
        ? 'the parcel number'
        : found.score === 99
          ? 'the address'
          : 'another unit of the building',
    {
      match_probability: found.score / 100,
      matched_by: [found.by === 'address' ? 'address' : 'id'],
      property_id: found.details.property_id,
      values: fieldValues(options.fields, null, found.details),
    },
  )
}

function answer(status: MatchStatus, reason: string, rest: Partial<RowAnswer> = {}): RowAnswer {
  return {
    status,
    match_probability: null,
    matched_by: [],
    reason,
    person_id: null,
    person_name: null,
    property_id: null,
    rank: 1,
    values: [],
    person: null,
    zip: null,
    isBillable: status === 'matched',
    ...rest,
  }
}

function withFaults(reason: string, faults: readonly string[]): string {
  return faults.length === 0 ? reason : `${reason} (${faults.join('; ')})`
}
