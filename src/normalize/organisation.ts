import type { OrganisationWord } from './name-words.ts'
import { isJoint } from './name-roles.ts'
import type { Roles } from './name-roles.ts'
import type { NameToken } from './name-tokens.ts'
import {
  CREDENTIALS,
  firstNameFrequency,
  GENERATIONS,
  organisationWord,
  PARTICLES,
  surnameFrequency,
  TITLE_LEADS,
  TITLES,
} from './name-words.ts'
import { nameFrequency } from './name-frequencies.ts'
import { titleWord } from './title-case.ts'
import { tradeOdds } from './word-letters.ts'

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

// From here on the words speak for an organisation (see README.md for how the words are weighed).
const THRESHOLD = 1

const GRAMMAR = new Set(['THE', 'ON', 'IN', 'AT', 'BY', 'WITH', 'FROM', 'OUR', 'MY', 'YOUR', 'ITS', 'NOT', 'ARE', 'IS', 'WE', 'THAT', 'THIS', 'WHO', 'UP', 'OUT', 'OFF']) // prettier-ignore
// Words that no name of a person holds.
const STRONG_GRAMMAR = new Set(['OF', 'FOR', 'TO'])
// Legal forms that are initials, surnames or degrees elsewhere: they count at the end of a name only.
const ENDING_FORMS = new Set(['PA', 'PC', 'SA', 'AG', 'AB', 'NV', 'BV', 'SAS', 'GP', 'JV', 'PSC', 'LC', 'COS', 'AS', 'NA', 'PROFESSIONAL', 'CO']) // prettier-ignore
const LEGAL_KINDS = new Set(['llc', 'corporation', 'partnership'])
const PLACES_WITH_GOVERNMENT = new Set(['CITY', 'TOWN', 'VILLAGE', 'COUNTY', 'STATE', 'TOWNSHIP', 'BOROUGH', 'COMMONWEALTH', 'PARISH', 'DEPARTMENT', 'DEPT', 'BUREAU', 'SECRETARY', 'BOARD', 'HOUSING', 'MUNICIPALITY']) // prettier-ignore
const SURELY_GOVERNMENT = new Set(['AUTHORITY', 'ISD', 'CISD', 'COMMISSION', 'COMMISSIONERS', 'MUNICIPALITY', 'MUD', 'GOVERNMENT', 'GOVT', 'DEPARTMENT', 'DEPT', 'USA', 'TREASURY', 'HUD', 'MUNICIPAL', 'SHERIFF', 'IRS', 'USDA']) // prettier-ignore

/**
 * What the names (roles taken out) belong to; null when they are people. `surnameFirst` lets a name without a comma be
 * read the way a county writes people.
 */
export function organisationKind(roles: Roles, surnameFirst = false): PartyKind | null {
  const { tokens } = roles
  if (tokens.length === 0) return null
  if (isWrittenAsPerson(tokens, surnameFirst)) return roles.isEstate ? 'estate' : null
  const kind = legalKind(tokens)
  if (kind !== null) return kind
  if (isEstateName(roles)) return 'estate'
  if (isTrustName(tokens)) return 'trust'
  if (organisationScore(tokens) < THRESHOLD) return null
  return otherKind(tokens)
}

// 'GOODS, MARSHALL', 'WIDE, ROBERT R JR & ANN', 'GOODS, ANN & WIDE, CARL': a surname, a comma, a common given name and
// nothing but given names, initials and generations behind it. Where surnames lead, an initial stands for the comma:
// 'WIDE ROBERT R'. What the Census doesn't know as a surname is none before a comma either.
function isWrittenAsPerson(tokens: NameToken[], surnameFirst: boolean): boolean {
  let at = surnameAndGiven(tokens, 0, surnameFirst)
  if (at === 0) return false
  for (; at < tokens.length; at++) {
    if (isJoint(tokens[at]!)) at += surnameAndGiven(tokens, at + 1, surnameFirst)
    else if (!isPartOfGivenName(tokens[at]!)) return false
  }
  return spelledOutKind(tokens) === null && !isFirm(tokens)
}

// How many words a surname and the given name behind it take; 0 when the words are something else.
function surnameAndGiven(tokens: NameToken[], from: number, surnameFirst: boolean): number {
  const surname = tokens[from]
  if (surname === undefined || (nameFrequency(surname.text)?.surname ?? 0) === 0) return 0
  const at = GENERATIONS.has(tokens[from + 1]?.text ?? '') ? from + 2 : from + 1
  const given = tokens[at]
  if (given === undefined || firstNameFrequency(given.text) < COMMON_GIVEN_NAME) return 0
  const parted = surname.comma || tokens[at - 1]!.comma || (surnameFirst && isInitial(tokens[at + 1]))
  return parted ? at + 1 - from : 0
}

// People per 100,000: the 2,761 most frequent first names have it.
const COMMON_GIVEN_NAME = 2

function isPartOfGivenName(token: NameToken): boolean {
  if (token.aside || isInitial(token) || GENERATIONS.has(token.text)) return true
  if (token.possessive) return false
  return firstNameFrequency(token.text) >= COMMON_GIVEN_NAME || DEGREES_ONLY.has(token.text)
}

// Degrees that stand behind people, never behind a firm.
const DEGREES_ONLY = new Set(['MD', 'PHD', 'DDS', 'DVM', 'ESQ', 'RN'])

function isInitial(token: NameToken | undefined): boolean {
  return token !== undefined && token.text.length === 1 && token.text >= 'A' && token.text <= 'Z'
}

// The last legal form decides ('SMITH PARTNERS LP LLC' is an LLC); a bank stays a bank whatever its form.
function legalKind(tokens: NameToken[]): PartyKind | null {
  const last = tokens.length - 1
  let kind: PartyKind | null = null
  let bank = false
  for (let i = 0; i <= last; i++) {
    const { text } = tokens[i]!
    const word = organisationWord(text)
    if (text === 'BANK' && i > 0 && (last > 1 || firstNameFrequency(tokens[0]!.text) < 20)) return 'bank'
    if (word === undefined) continue
    if (word.kind === 'bank' && word.weight > 1.5 && text !== 'SAVINGS') bank = true
    if (!LEGAL_KINDS.has(word.kind) || i === 0) continue
    if (ENDING_FORMS.has(text) && !(i === last && last >= 1 && formFits(tokens, i))) continue
    kind = word.kind as PartyKind
  }
  kind = spelledOutKind(tokens) ?? kind
  if (tokens.some((token, i) => token.text === 'CREDIT' && tokens[i + 1]?.text === 'UNION')) bank = true
  return bank && (kind !== null || organisationScore(tokens) >= THRESHOLD) ? 'bank' : kind
}

// 'ROE WIDGETS L L C', 'ROE & DOE P A'
function spelledOutKind(tokens: NameToken[]): PartyKind | null {
  const last = tokens.length - 1
  if (last < 3) return null
  const form = tokens[last - 1]!.text + tokens[last]!.text
  if (form === 'LC' && tokens[last - 2]!.text === 'L') return 'llc'
  if (form !== 'PC' && form !== 'PA') return null
  return tokens[last - 2]!.comma || tokens.some(isJoint) ? 'corporation' : null
}

// 'JOHN ROE PA' is a firm, 'PEREZ SA' may be one, 'MARY CO' is not.
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
  }
  return TRUST_ENDS.has(tokens[0]!.text) && tokens.length > 2
}

/** Words that say what sort of trust it is, and no more. */
export const TRUST_SORTS = new Set(['REV', 'REVOCABLE', 'REVOC', 'LIVING', 'LIV', 'LVG', 'IRREVOCABLE', 'IRREV', 'FAMILY', 'FAM', 'JOINT', 'TESTAMENTARY', 'INTER', 'VIVOS', 'LAND', 'QUALIFIED', 'RESIDENCE', 'MARITAL', 'BYPASS', 'EXEMPT', 'CREDIT', 'SHELTER', 'DISCLAIMER', 'DECEDENTS', 'SURVIVORS', 'SPECIAL', 'NEEDS', 'SUPPLEMENTAL', 'THE', 'AGREEMENT', 'DECLARATION', 'RESTATED', 'AMENDED', 'SEPARATE', 'PROPERTY', 'REVOCABL', 'RLT', 'IRR', 'PERSONAL', 'GST', 'NO', 'ESTATE', 'TRUST', 'TRUSTS', 'TRST', 'TR', 'OF']) // prettier-ignore

// However many names stand before it, 'GALLERY' is a gallery: firms are called after people. Couples' names all count.
const NAMES_AT_MOST = -2.5

/** How much the words speak for an organisation; above the threshold they are one. */
export function organisationScore(tokens: NameToken[]): number {
  let names = 0
  let trades = 0
  let words = 0
  const titles = leadingTitles(tokens)
  for (let i = titles; i < tokens.length; i++) {
    const token = tokens[i]!
    if (isJoint(token) || token.aside) continue
    words++
    const score = tokenScore(tokens, i)
    if (score < 0 && !CREDENTIALS.has(token.text) && !GENERATIONS.has(token.text)) names += score
    else trades += score
  }
  const against = tokens.some(isJoint) ? names : Math.max(NAMES_AT_MOST, names)
  const score = trades + against - (titles > 0 ? 2 : 0)
  if (words === 1) return score > 0 ? score + 1 : score
  if (
    titles === 0 &&
    (isFirm(tokens) || isSacred(tokens) || startsWithArticle(tokens) || isKnownFirm(tokens))
  ) {
    return Math.max(score, THRESHOLD)
  }
  return score
}

// Firms that are called like people, and hardly any people are.
const KNOWN_FIRMS = new Set(['WELLS FARGO', 'MERRILL LYNCH', 'GOLDMAN SACHS', 'BEAR STEARNS', 'PAINE WEBBER', 'PIPER JAFFRAY', 'BURGER KING', 'TACO BELL', 'DAIRY QUEEN', 'NEIMAN MARCUS', 'DUANE READE', 'NORTHROP GRUMMAN', 'ROLLS ROYCE', 'ALFA ROMEO', 'LAND ROVER', 'MERCEDES BENZ', 'FANNIE MAE', 'FREDDIE MAC', 'SALLIE MAE', 'GINNIE MAE', 'COLDWELL BANKER', 'CUSHMAN WAKEFIELD', 'MCGRAW HILL', 'HOUGHTON MIFFLIN', 'BOOZ ALLEN', 'DELOITTE TOUCHE', 'COLGATE PALMOLIVE', 'PITNEY BOWES', 'HEWLETT PACKARD', 'KRISPY KREME']) // prettier-ignore

function isKnownFirm(tokens: NameToken[]): boolean {
  return tokens.length === 2 && !tokens[0]!.comma && KNOWN_FIRMS.has(`${tokens[0]!.text} ${tokens[1]!.text}`)
}

// 'LOS CABOS', 'LAS BRISAS', 'LES HALLES': an article and no given name. 'EL' begins surnames, 'LES' is Lester where a name
// follows.
const ARTICLES = new Set(['LOS', 'LAS', 'LES'])

function startsWithArticle(tokens: NameToken[]): boolean {
  if (tokens.length > 3 || tokens[0]!.comma) return false
  if (!ARTICLES.has(tokens[0]!.text)) return false
  if (tokens[0]!.text === 'LES' && nameFrequency(tokens[1]!.text) !== undefined) return false
  return tokens.slice(1).every(({ text }) => text.length > 2 && firstNameFrequency(text) < 0.1)
}

// 'BARON & BUDD', 'BOIES, SCHILLER & FLEXNER': surnames only, joined.
function isFirm(tokens: NameToken[]): boolean {
  const joint = tokens.findIndex(isJoint)
  if (joint < 1) return false
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    if (isJoint(token)) continue
    const next = tokens[i + 1]
    if (next !== undefined && !isJoint(next) && !token.comma) return false
    if (token.text.length < 3 || firstNameFrequency(token.text) > surnameFrequency(token.text) * 0.7)
      return false
    if (i > joint + 1 && joint === 1) return false
  }
  return true
}

// 'ST FRANCIS CHAPEL', 'MOUNT HOPE CHURCH': what would weigh nothing behind a first name.
const SACRED_STARTS = new Set(['ST', 'SAINT', 'SAINTS', 'STS', 'SAN', 'SANTA', 'MOUNT', 'MT', 'HOLY', 'OUR', 'TEMPLE', 'IGLESIA', 'SACRED', 'MARS', 'GRACE', 'TRINITY', 'CHRIST']) // prettier-ignore

const SACRED_ENDS = new Set(['CHURCH', 'CHAPEL', 'TEMPLE'])

function isSacred(tokens: NameToken[]): boolean {
  const last = organisationWord(tokens.at(-1)!.text)
  if (last === undefined || last.kind !== 'association') return false
  if (SACRED_STARTS.has(tokens[0]!.text)) return true
  return SACRED_ENDS.has(tokens.at(-1)!.text) && firstNameFrequency(tokens[0]!.text) < 0.1
}

// 'STATE SENATOR JANE ROE' is a person whatever STATE is elsewhere.
function leadingTitles(tokens: NameToken[]): number {
  let at = 0
  if (TITLE_LEADS.has(tokens[0]!.text) && TITLES.has(tokens[1]?.text ?? '')) at = 1
  while (
    at < tokens.length - 1 &&
    TITLES.has(tokens[at]!.text) &&
    (at > 0 || PLAIN_TITLES.has(tokens[at]!.text))
  )
    at++
  return at
}

const PLAIN_TITLES = new Set(['MR', 'MRS', 'MS', 'MISS', 'DR', 'DRS', 'REV', 'REVEREND', 'SENATOR', 'REPRESENTATIVE', 'HON', 'HONORABLE', 'PROF', 'PROFESSOR', 'ATTORNEY', 'ATTY', 'SEN', 'REP', 'RABBI', 'SGT', 'COL', 'CAPT', 'LT']) // prettier-ignore

function tokenScore(tokens: NameToken[], i: number): number {
  const token = tokens[i]!
  const { text } = token
  if (token.dotted && text.length < 4 && i === 0) return -0.8
  if (token.possessive) return 3.5
  const word = organisationWord(text) ?? hyphenatedWord(text)
  if (text.length === 1) return isJoinedInitial(tokens, i) ? -0.3 : -0.8
  if (STREETS.has(text) && i > 0 && i === tokens.length - 1 && firstNameFrequency(tokens[i - 1]!.text) < 5)
    return 3
  if (GENERATIONS.has(text)) return i > 0 ? -2 : 0
  if (TITLES.has(text) && i === 0) return word === undefined ? -2 : 0
  if (CREDENTIALS.has(text) && i > 1 && word === undefined) return -1.5
  if (hasDigit(text) || text === '#') return 3
  if (PARTICLES.has(text)) return nameFrequency(text) === undefined ? -0.2 : -0.4
  if (STRONG_GRAMMAR.has(text)) return text === 'TO' ? 3.5 : 6
  if (GRAMMAR.has(text)) return 1.6
  if (word !== undefined && !followsParticle(tokens, i)) {
    if (LEGAL_KINDS.has(word.kind) && ENDING_FORMS.has(text) && i < tokens.length - 1) return 0.6
    if (word.weight > 0.2) return i === 0 && word.weight < 1 ? word.weight * 0.5 : word.weight
  }
  return nameScore(text)
}

// At the end: 'HAWTHORN ST', 'ROE AVENUE'.
const STREETS = new Set(['ST', 'AVE', 'AVENUE', 'BLVD', 'HWY', 'PKWY', 'LN'])

// 'R & T ASPHALT'
function isJoinedInitial(tokens: NameToken[], i: number): boolean {
  const joint = tokens[i === 0 ? 1 : i - 1]
  return (
    i < 3 &&
    tokens.length > 3 &&
    joint !== undefined &&
    isJoint(joint) &&
    tokens[i === 0 ? 2 : 0]!.text.length === 1
  )
}

// Endings of words for what people do, make or sell, and of the names that firms give themselves. Only looked for in
// words that the Census doesn't know as names.
const TRADE_ENDINGS = ['ING', 'TION', 'TIONS', 'MENT', 'MENTS', 'ICS', 'ICAL', 'LOGY', 'LOGIES', 'GRAPHY', 'TECH', 'TEK', 'CORP', 'SOFT', 'WARE', 'WORKS', 'WERKS', 'CARE', 'MART', 'NESS', 'TIVE', 'TIES', 'RIES', 'CIES', 'ERS', 'ORS', 'ISTS', 'ANTS', 'ENTS', 'ANCE', 'ENCE', 'SHIP', 'PLEX', 'NET', 'COM', 'TRON', 'TRONICS', 'MATIC', 'CHEM', 'PHARM', 'PHARMA', 'BANK', 'FUND', 'PAC', 'MED', 'PRINT', 'SHOP', 'HOUSE', 'SERV', 'LINK', 'POWER', 'ENERGY', 'SYS', 'GROUP', 'LABS', 'MEDIA', 'WIDE', 'WEAR', 'GRAM', 'SCAPE', 'SCAPES', 'TRANS', 'CRAFT', 'PRESS'] // prettier-ignore

function unknownScore(text: string): number {
  if (text.length <= 5 && text.length > 1 && !hasVowel(text)) return 1.2
  if (isNameWithS(text)) return 2
  // From 0.8 on (six trades of ten, one surname of thirty) the odds add up: at 3.5 the word decides alone.
  const score = text.length > 3 ? Math.max(0.3, Math.min(4, 0.3 + 1.4 * (tradeOdds(text) - 0.8))) : 0.3
  for (const ending of TRADE_ENDINGS)
    if (text.length > ending.length + 1 && text.endsWith(ending))
      return Math.max(score, ending === 'ING' ? 0.6 : 1.4)
  return score
}

// 'TONYS', 'ROEBUCKS': a possessive without its apostrophe, when nobody is called so.
function isNameWithS(text: string): boolean {
  if (text.length < 5 || !text.endsWith('S')) return false
  const name = text.slice(0, -1)
  return firstNameFrequency(name) >= 5 || surnameFrequency(name) >= 5
}

function hasVowel(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (VOWELS.includes(text[i]!)) return true
  return false
}

const VOWELS = 'AEIOUY'

// 'SUB-DISTRICT', 'CARPET-WORLD'
function hyphenatedWord(text: string): OrganisationWord | undefined {
  const space = text.indexOf(' ')
  if (space < 0) return undefined
  const word = organisationWord(text.slice(space + 1)) ?? organisationWord(text.slice(0, space))
  return word !== undefined && word.weight >= 4 ? word : undefined
}

// 'VAN DE WATER', 'VON STEIN', 'MC BRIDE': behind a particle stands a name.
const NAME_STARTS = new Set(['VAN', 'VON', 'DER', 'DEN', 'MC', 'MAC'])

function followsParticle(tokens: NameToken[], i: number): boolean {
  const before = tokens[i - 1]?.text ?? ''
  return NAME_STARTS.has(before) || (before === 'DE' && tokens[i - 2]?.text === 'VAN')
}

function nameScore(text: string): number {
  const space = text.indexOf(' ')
  // Nobody has three surnames in one: 'ROE-DOE-LITTLE'.
  if (space > 0 && text.includes(' ', space + 1)) return 0.3
  if (space > 0) return nameScore(text.slice(0, space)) * 0.5 + nameScore(text.slice(space + 1)) * 0.5 - 0.2
  if (nameFrequency(text) === undefined) return unknownScore(text)
  const first = firstNameFrequency(text)
  const surname = surnameFrequency(text)
  return -Math.max(
    first > 0.1 ? 0.6 + 0.35 * Math.log10(1 + first) : 0,
    surname > 0.1 ? 0.3 + 0.2 * Math.log10(1 + surname) : 0,
  )
}

function hasDigit(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 48 && text.charCodeAt(i) <= 57) return true
  return false
}

function otherKind(tokens: NameToken[]): PartyKind {
  const last = tokens.length - 1
  let association = false
  for (let i = 0; i <= last; i++) {
    const { text } = tokens[i]!
    const word = organisationWord(text)
    if (SURELY_GOVERNMENT.has(text)) return 'government'
    if (PLACES_WITH_GOVERNMENT.has(text) && tokens[i + 1]?.text === 'OF' && (i === 0 || text !== 'BOARD'))
      return 'government'
    if (
      (text === 'COUNTY' || text === 'DISTRICT' || text === 'TOWNSHIP' || text === 'CITY') &&
      i === last &&
      i > 0
    )
      return 'government'
    if (text === 'UNITED' && tokens[i + 1]?.text === 'STATES' && i === 0) return 'government'
    if (text === 'SCHOOL' && /^(DISTRICT|DIST|BOARD|BD)$/.test(tokens[i + 1]?.text ?? '')) return 'government'
    if (word?.kind === 'association' && word.weight > 0.5) association = true
  }
  return association ? 'association' : 'entity'
}

const DROPPED = new Set(['THE', 'OF', 'AND', '&'])

/** What two spellings of one organisation share: legal forms, articles and punctuation are out. */
export function organisationKey(tokens: NameToken[]): string {
  const words: string[] = []
  tokens.forEach((token, i) => {
    const word = organisationWord(token.text)
    const form = i > 0 && word !== undefined && LEGAL_KINDS.has(word.kind) && token.text !== 'PARTNERS'
    if (!form && !DROPPED.has(token.text)) words.push(KEY_WORDS.get(token.text) ?? token.text)
  })
  if (words.length > 3 && words.slice(-3).join('') === 'LLC') words.length -= 3
  return words.length === 0 ? tokens.map((token) => token.text).join(' ') : words.join(' ')
}

const KEY_WORDS = new Map([['ASSN', 'ASSOCIATION'], ['ASSOC', 'ASSOCIATION'], ['ASSOCS', 'ASSOCIATES'], ['MGMT', 'MANAGEMENT'], ['MGT', 'MANAGEMENT'], ['PROP', 'PROPERTIES'], ['PROPS', 'PROPERTIES'], ['INVS', 'INVESTMENTS'], ['NATL', 'NATIONAL'], ['INTL', 'INTERNATIONAL'], ['MTG', 'MORTGAGE'], ['MTGE', 'MORTGAGE'], ['SVCS', 'SERVICES'], ['SVC', 'SERVICE'], ['ENTPS', 'ENTERPRISES'], ['DEPT', 'DEPARTMENT'], ['UNIV', 'UNIVERSITY'], ['BROS', 'BROTHERS'], ['GRP', 'GROUP'], ['CTR', 'CENTER'], ['FDN', 'FOUNDATION'], ['DEV', 'DEVELOPMENT'], ['CONST', 'CONSTRUCTION'], ['TRST', 'TRUST'], ['REV', 'REVOCABLE'], ['LIV', 'LIVING'], ['FAM', 'FAMILY'], ['TR', 'TRUST']]) // prettier-ignore

const CAPITALS = new Set(['LLC', 'LLP', 'LP', 'LLLP', 'PLLC', 'PA', 'PC', 'NA', 'FSB', 'USA', 'US', 'HOA', 'ISD', 'II', 'III', 'IV', 'LC', 'PLC', 'YMCA', 'YWCA', 'VFW', 'HUD', 'PTA', 'SA', 'AG', 'FCU', 'FBO', 'IRA', 'TV', 'RV', 'CPA', 'MD', 'DDS', 'FDIC', 'FNMA', 'JV', 'BBQ', 'HVAC']) // prettier-ignore
const SMALL = new Set(['OF', 'THE', 'AND', 'FOR', 'TO', 'AT', 'BY', 'IN', 'ON', 'WITH', 'FROM'])

/** 'First National Bank of Austin NA' */
export function organisationDisplay(tokens: NameToken[]): string {
  return tokens
    .map((token, i) => {
      if (CAPITALS.has(token.text)) return token.text
      if (i > 0 && SMALL.has(token.text)) return token.text.toLowerCase()
      return titleWord(token.shown)
    })
    .join(' ')
}
