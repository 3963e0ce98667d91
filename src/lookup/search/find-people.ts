import { normalizeEmail } from '../../normalize/email.ts'
import { parsePhone } from '../../normalize/phone.ts'
import { ageAt } from '../format/birth.ts'
import { personDocument } from '../snapshot/documents.ts'
import { centreOf } from './centre.ts'
import { askedLocations, type LocationMatcher, plainLocation } from './locations.ts'
import type { PeoplePage, PersonQuery, Version } from './queries.ts'
import { ASKED_FOR, type AskedFor, contactQuality, matchScore, WEIGHTS } from '../person/match-score.ts'
import {
  type AskedName,
  askedName,
  EXACT,
  exactName,
  fuzzyName,
  type NameMatcher,
  partialName,
} from './names.ts'
import { nearLocation } from './near-location.ts'
import { writeSearchResult } from '../format/person-document.ts'
import { writePersonV1 } from '../person/person-v1.ts'
import { type Matches, pageOf } from './page-of.ts'
import type { UnresolvedOwner } from '../format/phone-document.ts'
import { peopleOfEmail } from '../phone/people-of-contact.ts'
import { readPhone } from '../phone/read-phone.ts'
import { unresolvedRecord } from '../phone/unresolved-record.ts'
import { peopleIn, type Shard, shardOfPerson, type Snapshot } from '../snapshot/snapshot.ts'
import { NOBODY } from '../format/store.ts'
import { wordsOf } from '../format/words.ts'

/** The conditions of one search pass in one shard. A person must meet all that are not null. */
interface Pass extends Conditions {
  readonly name: NameMatcher | null
  readonly location: LocationMatcher | null
}

/** The conditions that are the same in all shards and passes. */
interface Conditions {
  readonly contacts: Contacts
  readonly ages: { readonly min: number; readonly max: number } | null
  readonly today: number
}

interface Contacts {
  readonly phone: Contact | null
  readonly email: Contact | null
}

/** An owner without a person id who meets all conditions of the query, with the match score. */
interface ScoredOwner {
  readonly owner: UnresolvedOwner
  readonly score: number
}

interface Contact {
  /** The phone in national format, or the e-mail address, as documents show it. */
  readonly shown: string
  /** By number of the person in the snapshot: the quality of this contact as that person's. */
  readonly people: ReadonlyMap<number, number>
  /** The owners of the phone who have no person id; empty for an e-mail address. */
  readonly unresolved: readonly UnresolvedOwner[]
}

const FALLBACK_MILES = [5, 25] as const

/**
 * Returns a page of the people whom a query matches. Searches exact names first. If nobody matches and the
 * query allows it, searches fuzzy names, then addresses within 5 and 25 miles of the location.
 */
export function findPeople(
  snapshot: Snapshot,
  query: PersonQuery,
  today: number,
  version: Version,
): PeoplePage {
  const { shards } = snapshot
  const asked = askedName(query)
  const places = askedLocations(shards, query)
  const historic = query.include_historical_locations
  const ages = query.min_age === undefined && query.max_age === undefined ? null : { min: query.min_age ?? 0, max: query.max_age ?? 200 } // prettier-ignore
  const contacts = { phone: askedPhone(snapshot, query), email: askedEmail(snapshot, query) }
  const unresolved = fittingOwners(query, asked, contacts)
  const near = (miles: number): LocationMatcher[] | null => {
    const centre = places === null ? null : centreOf(shards, places)
    return centre === null ? null : shards.map(({ index }, at) => nearLocation(index, places![at]!, centre, miles, historic)) // prettier-ignore
  }
  const locations =
    (query.radius === undefined ? null : near(query.radius)) ??
    places?.map((place, at) => plainLocation(shards[at]!.index, place, historic)) ??
    null

  const names = asked === null ? null : shards.map((shard) => namePasses(shard, query, asked))
  // One step of the search in all shards. The next step depends on whether any shard finds somebody.
  const search = (where: readonly LocationMatcher[] | null): Matches => {
    const steps = names === null ? 1 : names[0]!.length
    let found = NO_MATCHES
    for (let step = 0; step < steps && found.people.length === 0; step++) {
      found = matches(snapshot, unresolved, (at) => ({
        name: names === null ? null : names[at]![step]!(),
        location: where === null ? null : where[at]!,
        contacts,
        ages,
        today,
      }))
    }
    return found
  }
  let found = search(locations)
  const mayWiden = !query.strict_match && !query.include_fuzzy_matching && query.radius === undefined
  for (const miles of mayWiden && places !== null ? FALLBACK_MILES : []) {
    if (found.people.length > 0) break
    const wider = near(miles)
    if (wider !== null) found = search(wider)
  }
  return page(snapshot, query, found, {
    contacts,
    ages,
    hasName: asked !== null,
    hasLocation: places !== null,
    unresolved,
    today,
    version,
  })
}

/**
 * Returns the name searches to try in turn until one finds people in any shard. A fuzzy search is prepared
 * only when it is needed.
 */
function namePasses(
  { index, workspace }: Shard,
  query: PersonQuery,
  asked: AskedName,
): (() => NameMatcher)[] {
  const exact = exactName(index, asked)
  const fuzzy = once(() => fuzzyOrExact(exact, fuzzyName(index, workspace, asked)))
  if (query.include_fuzzy_matching) return [fuzzy]
  const passes = [() => exact]
  if (!asked.isParts) passes.push(once(() => partialName(index, workspace, asked)))
  if (!query.strict_match) passes.push(fuzzy)
  return passes
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

const NO_MATCHES: Matches = { people: [], scores: [] }

function fuzzyOrExact(exact: NameMatcher, fuzzy: NameMatcher): NameMatcher {
  return {
    candidates: () => fuzzy.candidates(),
    quality(person) {
      const quality = fuzzy.quality(person)
      return quality === 0 ? 0 : exact.quality(person) || quality
    },
  }
}

function askedPhone(snapshot: Snapshot, query: PersonQuery): Contact | null {
  if (query.phone === undefined) return null
  const parsed = parsePhone(query.phone)
  const known = parsed === null ? null : readPhone(snapshot, parsed.phone)
  return {
    shown: parsed?.national_format ?? '',
    people: qualities(known?.people ?? []),
    unresolved: known?.unresolved ?? [],
  }
}

function askedEmail(snapshot: Snapshot, query: PersonQuery): Contact | null {
  if (query.email === undefined) return null
  const email = normalizeEmail(query.email)
  return {
    shown: email ?? '',
    people: qualities(email === null ? [] : peopleOfEmail(snapshot, email)),
    unresolved: [],
  }
}

// Returns the owners without a person id who meet the query. Only a name and a phone are known of them, so a
// query with an address or an e-mail address never matches. Their age is unknown.
function fittingOwners(
  query: PersonQuery,
  asked: AskedName | null,
  { phone, email }: Contacts,
): readonly ScoredOwner[] {
  if (phone === null || phone.unresolved.length === 0 || email !== null) return NO_OWNERS
  const isPlaced = [query.street, query.city, query.state_code, query.zipcode].some(
    (part) => part !== undefined,
  )
  if (isPlaced) return NO_OWNERS
  const isAged = query.min_age !== undefined || query.max_age !== undefined
  const weight = WEIGHTS.phone + (asked === null ? 0 : WEIGHTS.name) + (isAged ? WEIGHTS.age : 0)
  return phone.unresolved
    .filter(({ name }) => asked === null || hasAskedWords(name, asked))
    .map((owner) => {
      const sum = contactQuality(owner.score) * WEIGHTS.phone + (asked === null ? 0 : WEIGHTS.name)
      return { owner, score: matchScore(sum / weight, 0, true) }
    })
}

const NO_OWNERS: readonly ScoredOwner[] = []

function hasAskedWords(name: string, asked: AskedName): boolean {
  const words = wordsOf(name)
  return asked.words.every(({ word }) => words.includes(word))
}

function qualities(people: readonly { person: number; score: number }[]): Map<number, number> {
  return new Map(people.map(({ person, score }) => [person, contactQuality(score)]))
}

/**
 * Returns everyone in any shard who meets all conditions, with match scores, and then `unresolved`: owners without a
 * person id, who meet them too. `passIn` returns the conditions with the word and place numbers of one shard.
 */
function matches(
  { shards, personCount }: Snapshot,
  unresolved: readonly ScoredOwner[],
  passIn: (shard: number) => Pass,
): Matches {
  const { people, scores } = matchesIn(shards[0]!, passIn(0))
  for (let at = 1; at < shards.length; at++) {
    const more = matchesIn(shards[at]!, passIn(at))
    for (const person of more.people) people.push(person)
    for (const score of more.scores) scores.push(score)
  }
  // Owners without a person id get numbers from `personCount` on, so they sort after people with the same
  // score.
  for (const [at, { score }] of unresolved.entries()) {
    people.push(personCount + at)
    scores.push(score)
  }
  return { people, scores }
}

/** Returns everyone in the shard who meets all conditions, by number in the snapshot, with match scores. */
function matchesIn(shard: Shard, pass: Pass): { people: number[]; scores: number[] } {
  const { firstPerson } = shard
  const { person_completeness } = shard.index.columns
  const { name, contacts } = pass
  const { phone, email } = contacts
  const weight = weightOf(pass)
  const { people, scores } = inPlace(shard, pass)
  if (name !== null) shard.workspace.ahead.names(people)
  let count = 0
  for (let at = 0; at < people.length; at++) {
    const person = people[at]!
    let sum = scores[at]!
    let isExact = true
    if (name !== null) {
      const quality = name.quality(person)
      if (quality === 0) continue
      isExact = quality >= EXACT
      sum += quality * WEIGHTS.name
    }
    if (phone !== null) {
      const quality = phone.people.get(firstPerson + person)
      if (quality === undefined) continue
      sum += quality * WEIGHTS.phone
    }
    if (email !== null) {
      const quality = email.people.get(firstPerson + person)
      if (quality === undefined) continue
      sum += quality * WEIGHTS.email
    }
    people[count] = firstPerson + person
    scores[count] = matchScore(sum / weight, person_completeness[person]! / 100, isExact)
    count++
  }
  people.length = count
  scores.length = count
  return { people, scores }
}

function weightOf({ name, location, contacts, ages }: Pass): number {
  const given = { name, ...contacts, address: location, age: ages }
  let weight = 0
  for (const kind of ASKED_FOR) if (given[kind] !== null) weight += WEIGHTS[kind]
  return weight
}

/**
 * Returns the candidates who are not suppressed and whose age and addresses match. `scores` has the sum of
 * weight × quality of age and address, to which the caller adds the other parts.
 */
function inPlace(shard: Shard, pass: Pass): { people: number[]; scores: number[] } {
  const { person_birth } = shard.index.columns
  const { hidden } = shard
  const { location, ages, today } = pass
  const people: number[] = []
  const scores: number[] = []
  const list = candidates(shard, pass)
  for (let at = 0; at < list.length; at++) {
    const person = list[at]!
    if (hidden?.[person] === 1) continue
    let sum = 0
    if (ages !== null) {
      const age = ageAt(person_birth[person]!, today)
      if (age !== null && (age < ages.min || age > ages.max)) continue
      sum += age === null ? 0 : WEIGHTS.age
    }
    if (location !== null) {
      const quality = location.quality(person)
      if (quality === 0) continue
      sum += quality * WEIGHTS.address
    }
    people.push(person)
    scores.push(sum)
  }
  return { people, scores }
}

/** Returns the shortest available list that contains everyone who matches. */
function candidates(shard: Shard, { name, location, contacts }: Pass): ArrayLike<number> {
  const contact = contacts.phone ?? contacts.email
  if (contact !== null) return peopleIn(shard, contact.people.keys())
  const named = name?.candidates() ?? null
  const size = location?.size ?? Number.POSITIVE_INFINITY
  if (named !== null && named.length <= size) return named
  if (location === null || size === Number.POSITIVE_INFINITY) return named ?? NOBODY
  const { people } = shard.workspace
  location.addCandidates(people)
  return people.take()
}

interface PageFacts {
  readonly contacts: Contacts
  readonly ages: Pass['ages']
  readonly hasName: boolean
  readonly hasLocation: boolean
  readonly unresolved: readonly ScoredOwner[]
  readonly today: number
  readonly version: Version
}

function page(snapshot: Snapshot, query: PersonQuery, found: Matches, facts: PageFacts): PeoplePage {
  const { out, personCount } = snapshot
  const { phone, email } = facts.contacts
  const given = {
    name: facts.hasName,
    phone: phone !== null,
    email: email !== null,
    address: facts.hasLocation,
    age: false,
  }
  const withoutAge = matchedBy(given)
  const withAge = facts.ages === null ? withoutAge : matchedBy({ ...given, age: true })
  out.reset()
  out.ascii('[')
  for (const [position, at] of pageOf(snapshot, found, query.page, query.page_size).entries()) {
    const person = found.people[at]!
    if (position > 0) out.ascii(',')
    if (person >= personCount) {
      const { owner, score } = facts.unresolved[person - personCount]!
      const result = { match_score: score, matched_by: JSON.parse(withoutAge) as string[] }
      out.text(unresolvedRecord(owner, parsePhone(query.phone!)!.phone, facts.version === 1 ? null : result))
      continue
    }
    if (facts.version === 1) {
      writePersonV1(out, snapshot, person, personDocument(snapshot, person), phone?.shown ?? null)
      continue
    }
    const isAged = facts.ages !== null && ageAt(birthOf(snapshot, person), facts.today) !== null
    writeSearchResult(out, personDocument(snapshot, person), facts.today, {
      match_score: found.scores[at]!,
      matched_by: isAged ? withAge : withoutAge,
      pinned_phone: phone?.shown ?? null,
      pinned_email: email?.shown ?? null,
    })
  }
  out.ascii(']')
  return { total: found.people.length, results: out.take() }
}

function birthOf(snapshot: Snapshot, person: number): number {
  const { index, firstPerson } = shardOfPerson(snapshot, person)
  return index.columns.person_birth[person - firstPerson]!
}

/** Returns `matched_by` as JSON text: the kinds of condition that the query has. */
function matchedBy(given: Readonly<Record<AskedFor, boolean>>): string {
  let list = ''
  for (const kind of ASKED_FOR) if (given[kind]) list += list === '' ? `"${kind}"` : `,"${kind}"`
  return `[${list}]`
}
