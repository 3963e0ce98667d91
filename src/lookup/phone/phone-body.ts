import { parsePhone } from '../../normalize/phone.ts'
import { nationalFormat } from '../format/phone-document.ts'
import { writeSearchResult } from '../format/person-document.ts'
import type { Output } from '../format/output.ts'
import { contactQuality, matchScore } from '../person/match-score.ts'
import { personDocument } from '../snapshot/documents.ts'
import { rankOfPerson, shardOfPerson, type Snapshot } from '../snapshot/snapshot.ts'
import { type Phone, readPhone } from './read-phone.ts'
import { unresolvedRecord } from './unresolved-record.ts'

/** How many people the response about a phone shows. */
export const PEOPLE_LIMIT = 10

/** Returns the response body for a phone of eleven digits. `today` is a packed day (format/birth.ts). */
export function phoneBody(snapshot: Snapshot, phone: string, today: number): Buffer {
  const { out } = snapshot
  out.reset()
  const known = readPhone(snapshot, phone)
  if (known === null) {
    writeUnknownPhone(out, phone)
    return out.take()
  }
  writePhoneHead(out, known)
  const shown = known.people
    .slice(0, PEOPLE_LIMIT)
    .map(({ person, score }) => ({
      person,
      match_score: matchScore(contactQuality(score), completenessOf(snapshot, person) / 100, true),
    }))
    .sort(
      (a, b) =>
        b.match_score - a.match_score || rankOfPerson(snapshot, a.person) - rankOfPerson(snapshot, b.person),
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
  out.text(`],"businesses":[${known.businesses}]}`)
  return out.take()
}

function completenessOf(snapshot: Snapshot, person: number): number {
  const { index, firstPerson } = shardOfPerson(snapshot, person)
  return index.columns.person_completeness[person - firstPerson]!
}

/** Writes the response body up to the list of people. */
function writePhoneHead(out: Output, known: Phone): void {
  const { phone, facts: text, people, unresolved, businessCount, hasSuppressed } = known
  const owners = people.length + unresolved.length
  // Everyone who could be the primary owner is suppressed.
  const primary = businessCount > 0 ? 'business' : 'unknown'
  const isNobodys = hasSuppressed && people.length === 0
  out.ascii(`{"phone":{"e164":"+${phone}","national_format":"${nationalFormat(phone)}",`)
  out.text(isNobodys ? text.replace(PRIMARY_OWNER, `"primary_owner":"${primary}"`) : text)
  out.ascii(
    `,"returned_people":${Math.min(owners, PEOPLE_LIMIT)},"people_limit":${PEOPLE_LIMIT},"people_truncated":${owners > PEOPLE_LIMIT},"returned_businesses":${businessCount}},"people":[`,
  )
}

const PRIMARY_OWNER = /"primary_owner":"\w+"/

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
