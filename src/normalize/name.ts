import { readRoles, isJoint } from './name-roles.ts'
import type { Roles } from './name-roles.ts'
import { isFigure, nameTokens } from './name-tokens.ts'
import type { NameToken } from './name-tokens.ts'
import { firstNameFrequency, firstScore, GENERATIONS, TRUST_SORTS } from './name-words.ts'
import { isCutTrust, isSpelledFirm, organisationKind } from './organisation.ts'
import type { PartyKind } from './organisation.ts'
import { organisationDisplay, organisationKey } from './organisation-text.ts'
import { readPeople, textOf } from './person-name.ts'
import type { NameOrder, PersonName } from './person-name.ts'
import { titleWord } from './title-case.ts'

export type { PartyKind } from './organisation.ts'
export type { NameOrder, PersonName } from './person-name.ts'

export interface ParsedName {
  kind: PartyKind
  /** In the order of the field. For trusts and estates: the people that their names contain. */
  people: PersonName[]
  /** The display name; null for individuals. */
  organisation: string | null
  /** The key for matching, without legal form, articles and punctuation. */
  organisation_key: string | null
  has_et_al: boolean
  is_trustee: boolean
  is_life_estate: boolean
  care_of: string | null
}

/**
 * Reads a name field. With order `parts` the text is 'last<tab>first<tab>middle<tab>suffix' of one person. Never
 * throws.
 */
export function parseName(text: string, declared: NameOrder): ParsedName {
  if (declared === 'parts') return parseParts(text)
  const roles = readRoles(nameTokens(text), declared === 'surname_first')
  const order = declared === 'surname_first' && isSpoken(roles) ? 'given_first' : declared
  const result: ParsedName = {
    kind: 'unknown',
    people: [],
    organisation: null,
    organisation_key: null,
    has_et_al: roles.hasEtAl,
    is_trustee: roles.isTrustee,
    is_life_estate: roles.isLifeEstate,
    care_of: roles.careOf.length === 0 ? null : organisationDisplay(roles.careOf),
  }
  if (roles.tokens.length === 0) return result
  if (roles.tradeName.length > 0) return soleTrader(roles, result, order)
  const kind = organisationKind(roles, order === 'surname_first')
  if (kind === null) {
    result.people = readPeople(roles.tokens, order)
    const isTrust = roles.isTrustee || roles.isTrust
    result.kind = result.people.length === 0 ? 'unknown' : isTrust ? 'trust' : 'individual'
    if (roles.trustName.length > 0 && result.people.length > 0) {
      result.organisation = organisationDisplay(roles.trustName)
      result.organisation_key = organisationKey(roles.trustName)
    }
    return result
  }
  result.kind = kind
  const named = isSpelledFirm(roles.tokens) ? [joinedLetters(roles.tokens)] : roles.tokens
  result.organisation = organisationDisplay(named)
  result.organisation_key = organisationKey(named)
  if (kind === 'trust' || kind === 'estate') result.people = namedPeople(roles, kind, order)
  return result
}

function joinedLetters(tokens: NameToken[]): NameToken {
  const text = tokens.map((token) => token.text).join('')
  return { ...tokens[0]!, text, shown: text }
}

/**
 * Returns whether a name is written first name first in a file with surnames first: 'JANE ROE, AS EXECUTOR'. The comma
 * before the office must be the only comma, and the first word must be likelier a first name than the last word.
 */
function isSpoken({ tokens, hasOfficeBehindComma }: Roles): boolean {
  const last = tokens.length - 1
  if (!hasOfficeBehindComma || last < 1 || tokens.some(({ comma }, i) => comma && i < last)) return false
  return firstScore(tokens[0]!.text) - firstScore(tokens[last]!.text) > 1
}

// Reads a name with 'DBA' (doing business as). 'JANE ROE DBA ROE PLUMBING' is the business ROE PLUMBING and names Jane
// Roe. 'ROE LLC DBA …' is the organisation ROE LLC.
function soleTrader(roles: Roles, result: ParsedName, order: NameOrder): ParsedName {
  const kind = organisationKind(roles, order === 'surname_first')
  const named = kind === null ? roles.tradeName : roles.tokens
  result.kind = kind ?? 'entity'
  result.organisation = organisationDisplay(named)
  result.organisation_key = organisationKey(named)
  if (kind === null) result.people = readPeople(roles.tokens, order)
  return result
}

// Returns the people in the name of a trust or estate: 'JOHN A SMITH REVOCABLE TRUST', 'ESTATE OF MARY JONES'. A family
// trust names no person.
function namedPeople(roles: Roles, kind: 'trust' | 'estate', order: NameOrder): PersonName[] {
  // 'ROE JANE REVOCAB': the last word of a cut-off field is part of REVOCABLE, not a name.
  const tokens = kind === 'trust' && isCutTrust(roles.tokens) ? roles.tokens.slice(0, -1) : roles.tokens
  if (tokens.some((token) => NAMELESS.has(token.text)) && !tokens.some(isJoint)) return []
  const skip = kind === 'estate' ? ESTATE_WORDS : TRUST_SORTS
  const cut = tokens.findIndex((token, i) => i > 1 && skip.has(token.text) && token.text !== 'OF')
  const words = tokens.slice(0, cut < 0 ? tokens.length : cut).filter((token) => !skip.has(token.text))
  if (words.some((token) => isFigure(token.text)) || !words.some((token) => isGiven(token.text))) return []
  const single = words.filter((token) => !isJoint(token)).length < 2
  // 'ESTATE OF …' and 'THE … TRUST' put first names first, whatever the order of the file.
  const spoken = tokens[0]!.text === 'THE' || tokens.some((token) => token.text === 'OF')
  return single ? [] : readPeople(words, spoken ? 'unknown' : order)
}

// Trusts named after something other than a person.
const NAMELESS = new Set(['FAMILY', 'FAM', 'LAND'])

function isGiven(text: string): boolean {
  return text.length === 1 || firstNameFrequency(text) >= 0.2
}

const ESTATE_WORDS = new Set(['ESTATE', 'ESTATES', 'EST', 'OF', 'THE', 'HEIRS', 'LATE'])

function parseParts(text: string): ParsedName {
  const [last = '', first = '', middle = '', suffix = ''] = text.split('\t')
  const surname = nameTokens(last)
  const given = nameTokens(first).filter((token) => !token.aside)
  const between = nameTokens(middle)
  let generation = generationIn(nameTokens(suffix))
  if (generation === null && surname.length > 1) {
    generation = GENERATIONS.get(surname.at(-1)!.text) ?? null
    if (generation !== null) surname.pop()
  }
  const all = [...given, ...between, ...surname]
  const display = all.map((token) => titleWord(token.shown))
  if (generation !== null)
    display.push(generation === 'JR' || generation === 'SR' ? titleWord(generation) : generation)
  const person = {
    first: textOf(given),
    middle: textOf(between),
    last: textOf(surname),
    suffix: generation,
    display: display.join(' '),
  }
  return individual(all.length === 0 ? [] : [person])
}

function individual(people: PersonName[]): ParsedName {
  return {
    kind: people.length === 0 ? 'unknown' : 'individual',
    people,
    organisation: null,
    organisation_key: null,
    has_et_al: false,
    is_trustee: false,
    is_life_estate: false,
    care_of: null,
  }
}

function generationIn(tokens: NameToken[]): string | null {
  for (const token of tokens) {
    const generation =
      GENERATIONS.get(token.text) ?? (token.text === 'V' || token.text === 'I' ? token.text : null)
    if (generation !== null) return generation
  }
  return null
}
