import { isJoint } from './name-roles.ts'
import type { NameToken } from './name-tokens.ts'
import {
  CREDENTIALS,
  firstNameFrequency,
  firstScore,
  GENERATIONS,
  hasVowel,
  organisationWord,
  PARTICLES,
  surnameFrequency,
  TITLE_LEADS,
  TITLES,
} from './name-words.ts'
import type { OrganisationWord } from './name-words.ts'
import { nameFrequency } from './name-frequencies.ts'
import { referenceWords } from './reference.ts'
import { hasDigit } from './street-tokens.ts'
import { tradeOdds } from './word-letters.ts'

/** A name with this score or more is an organisation. decisions/002-names.md says how words are weighed. */
export const THRESHOLD = 1

/** Legal forms that elsewhere are initials, surnames or degrees. They count only at the end of a name. */
export const ENDING_FORMS = new Set(['PA', 'PC', 'SA', 'AG', 'AB', 'NV', 'BV', 'SAS', 'GP', 'JV', 'PSC', 'LC', 'COS', 'AS', 'NA', 'PROFESSIONAL', 'CO']) // prettier-ignore
/** The kinds of words that are legal forms. */
export const LEGAL_KINDS = new Set(['llc', 'corporation', 'partnership'])

const GRAMMAR = new Set(['THE', 'ON', 'IN', 'AT', 'BY', 'WITH', 'FROM', 'OUR', 'MY', 'YOUR', 'ITS', 'NOT', 'ARE', 'IS', 'WE', 'THAT', 'THIS', 'WHO', 'UP', 'OUT', 'OFF']) // prettier-ignore
// Words that no person's name contains.
const STRONG_GRAMMAR = new Set(['OF', 'FOR', 'TO'])

// The lowest total that the names of one person can have: 'JOHN SMITH GALLERY' stays a gallery. Names of couples count
// in full.
const NAMES_AT_MOST = -2.5

/** Returns how strongly the words point to an organisation; from `THRESHOLD` on they are one. */
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
  if (words === 1) return isKnownFirm(tokens) ? THRESHOLD : score > 0 ? score + 1 : score
  if (
    titles === 0 &&
    (isFirm(tokens) || isSacred(tokens) || startsWithArticle(tokens) || isKnownFirm(tokens))
  ) {
    return Math.max(score, THRESHOLD)
  }
  return score
}

// Companies with names like people's, which hardly any person has: 'BURGER KING'.
const KNOWN_FIRMS = new Set(referenceWords('known-firms.txt'))

function isKnownFirm(tokens: NameToken[]): boolean {
  if (tokens.length > 4 || tokens[0]!.comma) return false
  const words = tokens.filter((token) => !isJoint(token)).map(({ text }) => text)
  return KNOWN_FIRMS.has(words.join(' '))
}

// An article that no given name follows begins an organisation: 'LOS CABOS', 'LAS BRISAS', 'LES HALLES'. EL also begins
// surnames, and LES is also short for Lester.
const ARTICLES = new Set(['LOS', 'LAS', 'LES'])

function startsWithArticle(tokens: NameToken[]): boolean {
  if (tokens.length > 3 || tokens[0]!.comma) return false
  // 'LA MICHOACANA', 'EL RANCHITO': the Census would list the word if it were a surname.
  const article = tokens[0]!.text
  if ((article === 'LA' || article === 'EL') && tokens.length === 2)
    return tokens[1]!.text.length > 5 && nameFrequency(tokens[1]!.text) === undefined
  if (!ARTICLES.has(article)) return false
  if (article === 'LES' && nameFrequency(tokens[1]!.text) !== undefined) return false
  return tokens.slice(1).every(({ text }) => text.length > 2 && firstNameFrequency(text) < 0.1)
}

/** Returns whether the name is a firm of joined surnames: 'BARON & BUDD', 'BOIES, SCHILLER & FLEXNER'. */
export function isFirm(tokens: NameToken[]): boolean {
  const joint = tokens.findIndex(isJoint)
  if (joint < 1) return false
  if (
    joint > 2 &&
    joint === tokens.length - 2 &&
    tokens.every((token) => isJoint(token) || isOnlySurname(token))
  )
    return true
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

// Returns whether the word is only a surname. 'MERCER HOLT VEGA & TRAN' is a firm, because no person has three surnames
// and no given name.
function isOnlySurname({ text }: NameToken): boolean {
  return text.length > 2 && (nameFrequency(text)?.surname ?? 0) > 0 && firstScore(text) < -0.7
}

// CHAPEL and CHURCH are also surnames. After these words they name a church: 'ST FRANCIS CHAPEL', 'MOUNT HOPE CHURCH'.
const SACRED_STARTS = new Set(['ST', 'SAINT', 'SAINTS', 'STS', 'SAN', 'SANTA', 'MOUNT', 'MT', 'HOLY', 'OUR', 'TEMPLE', 'IGLESIA', 'SACRED', 'MARS', 'GRACE', 'TRINITY', 'CHRIST']) // prettier-ignore

const SACRED_ENDS = new Set(['CHURCH', 'CHAPEL', 'TEMPLE'])
// 'ST JOHN PARISH', 'OUR LADY OF MERCY SHRINE': last words of religious institutions.
const PARISHES = new Set(['PARISH', 'SHRINE', 'SCHOOL', 'ACADEMY', 'HOSPITAL', 'CEMETERY'])

function isSacred(tokens: NameToken[]): boolean {
  if (
    tokens.length > 2 &&
    (tokens[0]!.text === 'ST' || tokens[0]!.text === 'SAINT') &&
    PARISHES.has(tokens.at(-1)!.text)
  )
    // prettier-ignore
    return true
  if (
    tokens.length > 2 &&
    tokens[0]!.text === 'TEMPLE' &&
    (tokens[1]!.text === 'BETH' || tokens[1]!.text === 'BNAI')
  )
    return true
  const last = organisationWord(tokens.at(-1)!.text)
  if (last === undefined || last.kind !== 'association') return false
  if (SACRED_STARTS.has(tokens[0]!.text)) return true
  return SACRED_ENDS.has(tokens.at(-1)!.text) && firstNameFrequency(tokens[0]!.text) < 0.1
}

// Returns the number of titles at the beginning: 2 for 'STATE SENATOR JANE ROE', where STATE is part of the title.
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

const INITIAL_SCORE = -0.8

function tokenScore(tokens: NameToken[], i: number): number {
  const token = tokens[i]!
  const { text } = token
  if (token.dotted && text.length < 4 && i === 0) return INITIAL_SCORE
  if (token.possessive) return 3.5
  const word = organisationWord(text) ?? hyphenatedWord(text)
  const closes = i > 0 && i === tokens.length - 1
  // 'MERCER & SON', 'MERCER BROTHERS': relatives after a surname name a company.
  if (closes && (isJoint(tokens[i - 1]!) ? KIN.has(text) : text === 'BROTHERS' || text === 'BROS')) return 4
  if (text.length === 1) return isJoinedInitial(tokens, i) ? -0.3 : INITIAL_SCORE
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
    if (i > 1 && closes && STRONG_ENDS.has(text)) return 4
    if (word.weight > 0.2) return i === 0 && word.weight < 1 ? word.weight * 0.5 : word.weight
  }
  return nameScore(text)
}

/** Returns whether the word's weight depends on its position or on its neighbours. */
export function isOrganisationSign(word: string): boolean {
  return (
    ARTICLES.has(word) ||
    GRAMMAR.has(word) ||
    STRONG_GRAMMAR.has(word) ||
    STREETS.has(word) ||
    KIN.has(word) ||
    STRONG_ENDS.has(word) ||
    word === 'TEMPLE'
  )
}

const KIN = new Set(['SON', 'SONS', 'BROTHER', 'BROTHERS', 'BROS', 'DAUGHTER', 'DAUGHTERS', 'SISTERS'])

// Rare surnames that end the names of many companies: 'D R HORTON HOMES', 'ATLAS VAN LINES'.
const STRONG_ENDS = new Set(['HOMES', 'LINES', 'SALES', 'SERVICE', 'WORKS', 'STEEL', 'MUSIC', 'COFFEE', 'KITCHEN', 'CENTER', 'CENTERS', 'MART', 'GRILL', 'BEVERAGE', 'BOOKS', 'GAMES', 'SOLAR', 'PRESS', 'PLAZA', 'SQUARE', 'LOAN', 'LEAGUE', 'COUNCIL', 'COMMONS', 'MANOR', 'PINES', 'SHORES', 'TOWERS', 'BROTHERS', 'SONS', 'MARINE', 'NAIL', 'CABLE', 'CRAFTS', 'LEASE', 'HOLDING', 'STORAGE']) // prettier-ignore

// Street words that make the end of a name an address: 'HAWTHORN ST', 'ROE AVENUE'.
const STREETS = new Set(['ST', 'AVE', 'AVENUE', 'BLVD', 'HWY', 'PKWY', 'LN'])

// Returns whether an initial is joined to another one: 'R & T ASPHALT'.
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

// Endings of words for trades and goods, and of company names. They count only in words that the Census does not list
// as names.
const TRADE_ENDINGS = ['ING', 'TION', 'TIONS', 'MENT', 'MENTS', 'ICS', 'ICAL', 'LOGY', 'LOGIES', 'GRAPHY', 'TECH', 'TEK', 'CORP', 'SOFT', 'WARE', 'WORKS', 'WERKS', 'CARE', 'MART', 'NESS', 'TIVE', 'TIES', 'RIES', 'CIES', 'ERS', 'ORS', 'ISTS', 'ANTS', 'ENTS', 'ANCE', 'ENCE', 'SHIP', 'PLEX', 'NET', 'COM', 'TRON', 'TRONICS', 'MATIC', 'CHEM', 'PHARM', 'PHARMA', 'BANK', 'FUND', 'PAC', 'MED', 'PRINT', 'SHOP', 'HOUSE', 'SERV', 'LINK', 'POWER', 'ENERGY', 'SYS', 'GROUP', 'LABS', 'MEDIA', 'WIDE', 'WEAR', 'GRAM', 'SCAPE', 'SCAPES', 'TRANS', 'CRAFT', 'PRESS'] // prettier-ignore

function unknownScore(text: string): number {
  if (text.length <= 5 && text.length > 1 && !hasVowel(text)) return 1.2
  if (isNameWithS(text)) return 2
  // A word with odds of 3.5 or more is an organisation by itself.
  const score = text.length > 3 ? Math.max(0.3, Math.min(4, 0.3 + 1.4 * (tradeOdds(text) - 0.8))) : 0.3
  for (const ending of TRADE_ENDINGS)
    if (text.length > ending.length + 1 && text.endsWith(ending))
      return Math.max(score, ending === 'ING' ? 0.6 : 1.4)
  return score
}

// Returns whether a word is a name with S: 'TONYS', 'ROEBUCKS'. Used for words that are no names themselves.
function isNameWithS(text: string): boolean {
  if (text.length < 5 || !text.endsWith('S')) return false
  const name = text.slice(0, -1)
  return firstNameFrequency(name) >= 5 || surnameFrequency(name) >= 5
}

// Returns the organisation word within a hyphenated word: 'SUB-DISTRICT', 'CARPET-WORLD'.
function hyphenatedWord(text: string): OrganisationWord | undefined {
  const space = text.indexOf(' ')
  if (space < 0) return undefined
  const word = organisationWord(text.slice(space + 1)) ?? organisationWord(text.slice(0, space))
  return word !== undefined && word.weight >= 4 ? word : undefined
}

// Particles before a surname that may also be an organisation word: 'VAN DE WATER', 'VON STEIN', 'MC BRIDE'.
const NAME_STARTS = new Set(['VAN', 'VON', 'DER', 'DEN', 'MC', 'MAC'])

function followsParticle(tokens: NameToken[], i: number): boolean {
  const before = tokens[i - 1]?.text ?? ''
  return NAME_STARTS.has(before) || (before === 'DE' && tokens[i - 2]?.text === 'VAN')
}

/** Returns how strongly a word outside all tables points to an organisation; below 0 it points to a person. */
function nameScore(text: string): number {
  const space = text.indexOf(' ')
  // 'ROE-DOE-LITTLE': no person has three surnames joined by hyphens.
  if (space > 0 && text.includes(' ', space + 1)) return 0.3
  if (space > 0) return nameScore(text.slice(0, space)) * 0.5 + nameScore(text.slice(space + 1)) * 0.5 - 0.2
  const frequency = nameFrequency(text)
  if (frequency === undefined) return unknownScore(text)
  const first = frequency.given
  const { surname } = frequency
  return -Math.max(
    first > 0.1 ? 0.6 + 0.35 * Math.log10(1 + first) : 0,
    surname > 0.1 ? 0.3 + 0.2 * Math.log10(1 + surname) : 0,
  )
}
