import { parsePhone } from '../../normalize/phone.ts'
import { nationalFormat } from '../format/phone-document.ts'
import { writeSearchResult } from '../format/person-document.ts'
import type { Output } from '../format/output.ts'
import { contactQuality, matchScore } from '../person/match-score.ts'
import { personDocument } from '../snapshot/documents.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { type Phone, readPhone } from './read-phone.ts'
import { unresolvedRecord } from './unresolved-record.ts'

/** How many people the response about a phone shows. */
export const PEOPLE_LIMIT = 10

/** Returns the response body for a phone of eleven digits. `today` is a packed day (format/birth.ts). */
export function phoneBody(snapshot: Snapshot, phone: string, today: number): Buffer {
  const {
    index,
    workspace: { out },
  } = snapshot
  const { columns } = index
  out.reset()
  const known = readPhone(snapshot, phone)
  if (known === null) {
    writeUnknownPhone(out, phone)
    return out.take()
  }
  writePhoneHead(out, index, known)
  const shown = known.people
    .slice(0, PEOPLE_LIMIT)
    .map(({ person, score }) => ({
      person,
      match_score: matchScore(contactQuality(score), columns.person_completeness[person]! / 100, true),
    }))
    .sort(
      (a, b) =>
        b.match_score - a.match_score || columns.person_rank[a.person]! - columns.person_rank[b.person]!,
    )
  const national = nationalFormat(phone)
  for (const [at, { person, match_score }] of shown.entries()) {
    if (at > 0) out.ascii(',')
    writeSearchResult(out, personDocument(snapshot, person), today, {
      match_score,
      matched_by: '["phone"]',
      pinned_phone: national,
      pinned_email: null,
    })
  }
  // Owners without a person id come after all people.
  for (const [at, owner] of known.unresolved.slice(0, PEOPLE_LIMIT - shown.length).entries()) {
    if (at + shown.length > 0) out.ascii(',')
    const match_score = matchScore(contactQuality(owner.score), 0, true)
    out.text(unresolvedRecord(owner, phone, { match_score, matched_by: ['phone'] }))
  }
  if (known.businesses === '') out.ascii('],"businesses":[]}')
  else out.text(`],"businesses":[${known.businesses}]}`)
  const body = out.take()
  return known.hasSuppressed ? correctedBody(body, known.people.length) : body
}

/**
 * Writes the response body up to the list of people. The counts include suppressed people; `correctedBody`
 * replaces them.
 */
function writePhoneHead(
  out: Output,
  { columns, facts }: Index,
  { phone, number, businessCount, nameCount }: Phone,
): void {
  const linked = columns.phone_person_start[number + 1]! - columns.phone_person_start[number]! + nameCount
  out.ascii(`{"phone":{"e164":"+${phone}","national_format":"${nationalFormat(phone)}",`)
  facts.write(out, columns.phone_facts[number]!)
  out.ascii(
    `,"returned_people":${Math.min(linked, PEOPLE_LIMIT)},"people_limit":${PEOPLE_LIMIT},"people_truncated":${linked > PEOPLE_LIMIT},"returned_businesses":${businessCount}},"people":[`,
  )
}

/**
 * Returns the body of a phone that had suppressed people, with counts for the `peopleCount` people who
 * remain.
 */
function correctedBody(body: Buffer, peopleCount: number): Buffer {
  const { phone, people, businesses } = JSON.parse(body.toString()) as {
    phone: Record<string, unknown>
    people: unknown[]
    businesses: unknown[]
  }
  const primary_owner = peopleCount > 0 ? phone['primary_owner'] : businesses.length > 0 ? 'business' : 'unknown' // prettier-ignore
  const facts = {
    ...phone,
    primary_owner,
    returned_people: people.length,
    people_truncated: peopleCount > PEOPLE_LIMIT,
  }
  return Buffer.from(JSON.stringify({ phone: facts, people, businesses }))
}

/** Writes the response body for a phone that the snapshot does not have. */
function writeUnknownPhone(out: Output, phone: string): void {
  const isTollFree = parsePhone(phone)?.is_toll_free === true
  const facts = {
    e164: `+${phone}`,
    national_format: nationalFormat(phone),
    line_type: isTollFree ? 'tollfree' : 'unknown',
    carrier: null,
    primary_owner: 'unknown',
    returned_people: 0,
    people_limit: PEOPLE_LIMIT,
    people_truncated: false,
    returned_businesses: 0,
  }
  out.ascii(JSON.stringify({ phone: facts, people: [], businesses: [] }))
}
