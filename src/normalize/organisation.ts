import { isJoint } from './name-roles.ts'
import type { Roles } from './name-roles.ts'
import type { NameToken } from './name-tokens.ts'
import { firstNameFrequency, GENERATIONS, organisationWord, TRUST_SORTS } from './name-words.ts'
import { nameFrequency } from './name-frequencies.ts'
import { stateCode } from './places.ts'
import {
  ENDING_FORMS,
  isFirm,
  isOrganisationSign,
  LEGAL_KINDS,
  organisationScore,
  THRESHOLD,
} from './organisation-score.ts'
import { hasDigit } from './street-tokens.ts'

export type PartyKind =
  | 'individual'
  | 'llc'
  | 'corporation'
  | 'trust'
  | 'partnership'
  | 'bank'
  | 'government'
  | 'association'
  | 'estate'
  | 'entity'
  | 'unknown'

const PLACES_WITH_GOVERNMENT = new Set(['CITY', 'TOWN', 'VILLAGE', 'COUNTY', 'STATE', 'TOWNSHIP', 'BOROUGH', 'COMMONWEALTH', 'PARISH', 'DEPARTMENT', 'DEPT', 'BUREAU', 'SECRETARY', 'BOARD', 'HOUSING', 'MUNICIPALITY']) // prettier-ignore
const SURELY_GOVERNMENT = new Set(['AUTHORITY', 'ISD', 'CISD', 'COMMISSION', 'COMMISSIONERS', 'MUNICIPALITY', 'MUD', 'GOVERNMENT', 'GOVT', 'DEPARTMENT', 'DEPT', 'USA', 'TREASURY', 'HUD', 'MUNICIPAL', 'SHERIFF', 'IRS', 'USDA', 'NYCHA', 'NYCDOE', 'FNMA', 'FHLMC', 'USPS', 'CDD', 'WCID', 'TXDOT', 'FDOT', 'TIITF', 'COMMRS']) // prettier-ignore

/**
 * Returns the kind of organisation that the tokens name; null for people. With `surnameFirst` a name without a comma
 * may be 'SURNAME GIVEN'.
 */
export function organisationKind(roles: Roles, surnameFirst = false): PartyKind | null {
  const { tokens } = roles
  if (tokens.length === 0) return null
  if (SPELLED_GOVERNMENTS.has(spelledEnd(tokens))) return 'government'
  if (isSpelledFirm(tokens)) return 'entity'
  if (isCutTrust(tokens)) return 'trust'
  if (isWrittenAsPerson(tokens, surnameFirst)) return roles.isEstate ? 'estate' : null
  const kind = legalKind(tokens)
  if (kind !== null) return kind
  if (isEstateName(roles)) return 'estate'
  if (isTrustName(tokens)) return 'trust'
  if (organisationScore(tokens) < THRESHOLD) return null
  return otherKind(tokens)
}

// Joins the single letters at the end, at most four: USA in 'U S A', ISD in 'ROUND ROCK I S D'.
function spelledEnd(tokens: NameToken[]): string {
  let letters = ''
  for (let i = tokens.length - 1; i >= 0 && tokens[i]!.text.length === 1 && letters.length < 4; i--)
    letters = tokens[i]!.text + letters
  return tokens.length > 3 && letters === 'USA' ? '' : letters
}

const SPELLED_GOVERNMENTS = new Set(['USA', 'ISD', 'MUD', 'CISD'])

/** Returns whether the name consists of four or more single letters: 'M E R S'. No person has only initials. */
export function isSpelledFirm(tokens: NameToken[]): boolean {
  return tokens.length > 3 && tokens.every(isInitial)
}

// Returns whether the name is written like a person's, although its words also name organisations: 'GOODS, MARSHALL',
// 'WIDE, ROBERT R JR & ANN', 'GOODS, ANN & WIDE, CARL'. A surname, a comma and a given name come first, then only given
// names, initials and generations. Where surnames come first, a final initial replaces the comma: 'WIDE ROBERT R'.
function isWrittenAsPerson(tokens: NameToken[], surnameFirst: boolean): boolean {
  let at = surnameAndGiven(tokens, 0, surnameFirst)
  if (at === 0) return false
  const parted = tokens.slice(0, at).some(({ comma }) => comma)
  for (; at < tokens.length; at++) {
    if (isJoint(tokens[at]!)) at += surnameAndGiven(tokens, at + 1, surnameFirst)
    else if (!isPartOfGivenName(tokens[at]!, parted)) return false
  }
  return spelledOutKind(tokens) === null && !isFirm(tokens)
}

/** Returns the number of words of a surname and its given name; 0 for other words. */
function surnameAndGiven(tokens: NameToken[], from: number, surnameFirst: boolean): number {
  const surname = tokens[from]
  if (surname === undefined) return 0
  const end = GENERATIONS.has(tokens[from + 1]?.text ?? '') ? from + 2 : from + 1
  const given = tokens[end]
  if (given === undefined) return 0
  if (surname.comma || tokens[end - 1]!.comma)
    return isGivenBehindComma(tokens, end, surname) ? end + 1 - from : 0
  const isCommon = isCensusSurname(surname) && firstNameFrequency(given.text) >= COMMON_GIVEN_NAME
  return isCommon && surnameFirst && isInitial(tokens[end + 1]) ? end + 1 - from : 0
}

/**
 * Returns whether the word after the comma of 'SURNAME, GIVEN' is a given name. A rare or unlisted name is enough,
 * because hardly any organisation has a comma after its first word. A word that is listed for organisations is not
 * enough.
 */
function isGivenBehindComma(tokens: NameToken[], at: number, surname: NameToken): boolean {
  const given = tokens[at]!
  const frequency = firstNameFrequency(given.text)
  if (!isCensusSurname(surname))
    return frequency >= COMMON_GIVEN_NAME && !speaksForOrganisation(surname.text) && !surname.possessive
  if (frequency >= COMMON_GIVEN_NAME || isInitial(given)) return true
  if (isLegalForm(given.text)) return false
  if (isListedGivenName(given.text))
    return !(speaksForOrganisation(given.text) && speaksForOrganisation(surname.text))
  return !tokens.some(isJoint) && isUnmarkedWord(given)
}

function isCensusSurname({ text }: NameToken): boolean {
  return (nameFrequency(text)?.surname ?? 0) > 0
}

function isListedGivenName(text: string): boolean {
  const counted = nameFrequency(text)
  return counted !== undefined && counted.female + counted.male > 0
}

function isLegalForm(text: string): boolean {
  const word = organisationWord(text)
  return word !== undefined && (LEGAL_KINDS.has(word.kind) || word.kind === 'bank' || word.kind === 'trust')
}

/** Returns whether no table of organisations contains the word. It may be a name that the Census does not list. */
function isUnmarkedWord(token: NameToken): boolean {
  const { text } = token
  if (token.possessive || text.length < 2 || hasDigit(text) || text === '#') return false
  if (isFormWord(text) || TRUST_SORTS.has(text)) return false
  return !text.split(' ').some((part) => speaksForOrganisation(part) || isOrganisationSign(part))
}

function speaksForOrganisation(text: string): boolean {
  return (organisationWord(text)?.weight ?? 0) > 1
}

// People per 100,000 that have a common first name.
const COMMON_GIVEN_NAME = 2

function isPartOfGivenName(token: NameToken, parted: boolean): boolean {
  if (token.aside || isInitial(token) || GENERATIONS.has(token.text)) return true
  if (token.possessive) return false
  if (firstNameFrequency(token.text) >= COMMON_GIVEN_NAME || DEGREES_ONLY.has(token.text)) return true
  return parted && isUnmarkedWord(token)
}

// Degrees that follow people and never companies.
const DEGREES_ONLY = new Set(['MD', 'PHD', 'DDS', 'DVM', 'ESQ', 'RN'])

function isInitial(token: NameToken | undefined): boolean {
  return token !== undefined && token.text.length === 1 && token.text >= 'A' && token.text <= 'Z'
}

/** Returns whether the word may belong to a legal form, an estate, a trust or a bank. */
function isFormWord(word: string): boolean {
  return FORM_WORDS.has(word) || TRUST_ENDS.has(word) || isBankName(word, '') || isCutSort(word, '')
}

const FORM_WORDS = new Set(['LIABILITY', 'LIAB', 'ESTATE', 'EST', 'ESTATES', 'HEIRS', 'THE', 'OF', 'SAVINGS', 'BANK', 'CREDIT', 'QPRT', 'GRAT', 'FBO']) // prettier-ignore

// Returns the kind of the last legal form: 'SMITH PARTNERS LP LLC' is an LLC. A bank stays a bank whatever its form.
function legalKind(tokens: NameToken[]): PartyKind | null {
  const last = tokens.length - 1
  let kind: PartyKind | null = null
  let bank = false
  for (let i = 0; i <= last; i++) {
    const { text } = tokens[i]!
    const word = organisationWord(text)
    if (isBankName(text, tokens[i + 1]?.text ?? '')) return 'bank'
    if (text === 'BANK' && i > 0 && (last > 1 || firstNameFrequency(tokens[0]!.text) < 20)) return 'bank'
    if (word === undefined) continue
    if (word.kind === 'bank' && word.weight > 1.5 && text !== 'SAVINGS') bank = true
    if (!LEGAL_KINDS.has(word.kind) || i === 0) continue
    // 'ARMY CORPS OF ENGINEERS': CORPS before OF is not a legal form.
    if (text === 'CORPS' && tokens[i + 1]?.text === 'OF') continue
    if (ENDING_FORMS.has(text) && !(i === last && last >= 1 && formFits(tokens, i))) continue
    kind = word.kind as PartyKind
  }
  kind = spelledOutKind(tokens) ?? kind
  if (tokens.some((token, i) => token.text === 'CREDIT' && tokens[i + 1]?.text === 'UNION')) bank = true
  return bank && (kind !== null || organisationScore(tokens) >= THRESHOLD) ? 'bank' : kind
}

// Returns whether words name a bank: 'CITIBANK', 'ROE SAVINGS & LOAN', 'ROE TRUST COMPANY'.
function isBankName(text: string, next: string): boolean {
  if (text.length > 6 && text.endsWith('BANK') && nameFrequency(text) === undefined) return true
  if (text === 'SAVINGS') return next === '&' || next === 'AND' || next === 'BANK' || next === 'FUND'
  return text === 'TRUST' && (next === 'COMPANY' || next === 'CO')
}

// Returns the kind of a legal form that is written letter by letter: 'ROE WIDGETS L L C', 'ROE & DOE P A'.
function spelledOutKind(tokens: NameToken[]): PartyKind | null {
  const last = tokens.length - 1
  const liable = tokens.findIndex(({ text }, i) => i > 0 && (text === 'LIABILITY' || text === 'LIAB'))
  if (liable > 0) {
    const of = tokens[liable + 1]?.text ?? ''
    if (of === 'COMPANY' || of === 'CO' || of === 'COMP') return 'llc'
    if (of.startsWith('PARTN') || of.startsWith('PTN')) return 'partnership'
  }
  if (last < 2) return null
  const form = tokens[last - 1]!.text + tokens[last]!.text
  if (form === 'LC' && tokens[last - 2]!.text === 'L') return 'llc'
  if (form === 'LP' || form === 'JV') return 'partnership'
  if (form === 'CU' && organisationScore(tokens.slice(0, last - 1)) >= THRESHOLD) return 'bank'
  if (last < 3) return null
  if (form !== 'PC' && form !== 'PA') return null
  return tokens[last - 2]!.comma || tokens.some(isJoint) ? 'corporation' : null
}

// Returns whether the last word, which may also be a name, is a legal form: it is one in 'JOHN ROE PA', but not in
// 'MARY CO'.
function formFits(tokens: NameToken[], last: number): boolean {
  if (tokens[last]!.text === 'CO') return tokens.length > 2 || firstNameFrequency(tokens[0]!.text) < 1
  return tokens.length > 2 || organisationScore(tokens.slice(0, last)) > 0.3
}

function isEstateName(roles: Roles): boolean {
  const { tokens } = roles
  if (roles.isEstate) return true
  const first = tokens[0]!.text
  const second = tokens[1]?.text
  if ((first === 'ESTATE' || first === 'EST' || first === 'ESTATES' || first === 'HEIRS') && second === 'OF')
    return true
  if (first === 'THE' && second === 'ESTATE' && tokens[2]?.text === 'OF') return true
  const last = tokens.at(-1)!.text
  const closes =
    last === 'EST' || last === 'ESTATE' || (last === 'OF' && tokens.at(-2)?.text.startsWith('EST') === true)
  return closes && tokens.length > 2 && tokens.at(-2)!.text !== 'REAL'
}

const TRUST_ENDS = new Set(['TRUST', 'TRUSTS', 'TRST', 'TR'])
const NO_TRUST = new Set([
  'BANK',
  'COMPANY',
  'CO',
  'NATIONAL',
  'LAND',
  'FUND',
  'SERVICES',
  'CHARITABLE',
  'COMMUNITY',
  'CONSERVATION',
])

function isTrustName(tokens: NameToken[]): boolean {
  for (let i = 1; i < tokens.length; i++) {
    const { text } = tokens[i]!
    if (text === 'TRUST' || text === 'TRST' || text === 'TRUSTS')
      return !(tokens[i + 1] !== undefined && NO_TRUST.has(tokens[i + 1]!.text))
    if (text === 'TR' && TRUST_SORTS.has(tokens[i - 1]!.text)) return true
    if (text === 'QPRT' || text === 'GRAT' || text === 'FBO' || text === 'F/B/O') return true
  }
  if (tokens.length === 2 && tokens[1]!.text === 'TR' && firstNameFrequency(tokens[0]!.text) < 1) return true
  return TRUST_ENDS.has(tokens[0]!.text) && tokens.length > 2
}

/**
 * Returns whether a name is a trust that was cut off before TRUST: 'ROE JANE Q REVOCABLE', 'ROE JANE REVOCAB', 'JANE
 * ROE REV LIVING TRU'. Some files have fields of 25 or 30 characters. Two whole words must come first, because Living
 * is also a surname.
 */
export function isCutTrust(tokens: NameToken[]): boolean {
  const last = tokens.length - 1
  if (last < 2) return false
  const { text } = tokens[last]!
  const before = tokens[last - 1]!.text
  if (!isCutSort(text, before)) return false
  if (CLOSING_SORTS.has(before) && text !== 'LIVING') return true
  return tokens.filter((token, i) => i < last && token.text.length > 1 && !isJoint(token)).length > 1
}

// Words before TRUST, and those of them that name a trust alone.
const CLOSING_SORTS = new Set(['REVOCABLE', 'REVOC', 'REV', 'IRREVOCABLE', 'IRREVOC', 'IRREV', 'RESIDUARY', 'TESTAMENTARY', 'MARITAL', 'LIVING', 'LIV', 'LVG', 'FAMILY', 'FAM', 'RLT']) // prettier-ignore
const WHOLE_SORTS = new Set(['REVOCABLE', 'IRREVOCABLE', 'RESIDUARY', 'TESTAMENTARY', 'MARITAL', 'LIVING', 'REVOC', 'IRREVOC', 'IRREV', 'RLT']) // prettier-ignore
const CUTTABLE_SORTS = ['REVOCABLE', 'IRREVOCABLE', 'RESIDUARY', 'TESTAMENTARY']

function isCutSort(text: string, before: string): boolean {
  if (WHOLE_SORTS.has(text)) return true
  if (CLOSING_SORTS.has(before) && ('TRUST'.startsWith(text) || 'LIVING'.startsWith(text))) return true
  return text.length > 3 && nameFrequency(text) === undefined && CUTTABLE_SORTS.some((sort) => sort.startsWith(text)) // prettier-ignore
}

// Phrases of campaigns and religious groups: 'MERCER FOR CONGRESS', 'OUR LADY OF GUADALUPE', 'SISTERS OF MERCY'.
const CONTESTS =
  /^ASSEMBL(Y|IES) OF GOD|\bFOR (CONGRESS|SENATE|GOVERNOR|MAYOR|SHERIFF|JUDGE|PRESIDENT|ASSEMBLY|COUNCIL|STATE|HOUSE|HUMANITY|\w+ SENATE)\b|^(THE )?(OUR LADY|SISTERS|BROTHERS|DAUGHTERS|SONS|FRIENDS) OF |^(THE )?SALVATION ARMY/

const GOVERNMENT_PAIRS = new Set(['TAX COLLECTOR', 'TAX ASSESSOR', 'PROPERTY APPRAISER', 'APPRAISAL DISTRICT', 'POSTAL SERVICE', 'INTERNAL REVENUE', 'ARMY CORPS', 'SHERIFFS OFFICE', 'REDEVELOPMENT AGENCY', 'CITY COUNCIL', 'FIRE DEPT', 'FIRE DISTRICT', 'HOUSING PRESERVATION', 'CLERK OF', 'PARKS DEPARTMENT', 'LAND BANK', 'PUBLIC WORKS', 'PUBLIC SCHOOLS', 'VETERANS AFFAIRS', 'VETERANS ADMINISTRATION', 'FOREST SERVICE', 'CORPS OF', 'NATIONAL GUARD', 'AIR FORCE', 'HIGHWAY PATROL', 'TRANSIT DISTRICT', 'WATER DISTRICT', 'UTILITY DISTRICT', 'PARK SERVICE', 'DEVELOPMENT DIST', 'DEVELOPMENT DISTRICT', 'UTILITY DIST', 'WATER DIST', 'FIRE DIST', 'SCHOOL DISTRICT', 'COUNTY COMMRS', 'COUNTY COMM', 'COUNTY BD']) // prettier-ignore

function otherKind(tokens: NameToken[]): PartyKind {
  const last = tokens.length - 1
  let association = false
  if (CONTESTS.test(tokens.map(({ text }) => text).join(' '))) return 'association'
  for (let i = 0; i <= last; i++) {
    const { text } = tokens[i]!
    const word = organisationWord(text)
    const next = tokens[i + 1]?.text ?? ''
    if (GOVERNMENT_PAIRS.has(`${text} ${next}`)) return 'government'
    if (text === 'USA' && (i > 0 || last > 1)) continue
    if (SURELY_GOVERNMENT.has(text)) return 'government'
    if (PLACES_WITH_GOVERNMENT.has(text) && tokens[i + 1]?.text === 'OF' && (i === 0 || text !== 'BOARD'))
      return 'government'
    if (text === 'COUNTY' && i > 0 && i === last - 1 && stateCode(next) !== null) return 'government'
    if (
      (text === 'COUNTY' || text === 'DISTRICT' || text === 'TOWNSHIP' || text === 'CITY') &&
      i === last &&
      i > 0
    )
      return 'government'
    if (text === 'UNITED' && tokens[i + 1]?.text === 'STATES' && i === 0) return 'government'
    if (text === 'SCHOOL' && /^(DISTRICT|DIST|BOARD|BD)$/.test(tokens[i + 1]?.text ?? '')) return 'government'
    if (text === 'UNION' && i < last && next !== 'LOCAL' && next !== 'OF') continue
    if (word?.kind === 'association' && word.weight > 0.5) association = true
  }
  return association ? 'association' : 'entity'
}
