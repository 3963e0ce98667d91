import { isFigure } from './name-tokens.ts'
import type { NameToken } from './name-tokens.ts'
import { firstNameFrequency, organisationWord, TRUST_SORTS, VIETNAMESE } from './name-words.ts'

/** The contents of a name field: names, and words that are not names. */
export interface Roles {
  /** The names, without the words listed below. */
  tokens: NameToken[]
  /** The words after 'C/O'. */
  careOf: NameToken[]
  /** The words after 'DBA'. */
  tradeName: NameToken[]
  /** The words after a trustee word ('TRUSTEE OF', 'TR', 'TTEE') that name a trust. */
  trustName: NameToken[]
  hasEtAl: boolean
  isTrustee: boolean
  /** True for 'U/A DTD …': the property is held under a trust agreement. */
  isTrust: boolean
  isLifeEstate: boolean
  isEstate: boolean
  /** True where an office follows a comma: 'JANE ROE, AS EXECUTOR'. */
  hasOfficeBehindComma: boolean
}

const TRUSTEES = new Set(['TRUSTEE', 'TRUSTEES', 'TRS', 'TTEE', 'TTEES', 'TRSTE', 'TRSTEE', 'TRUSTE', 'TRTE', 'TRUS', 'CO TRUSTEE', 'CO TRUSTEES', 'CO TR', 'CO TRS', 'CO TTEE', 'COTRUSTEE', 'COTRUSTEES', 'CO TTEES', 'COTTEE', 'COTTEES', 'SUCTR', 'TSTEE', 'TRUSTEE(S)']) // prettier-ignore
const ET_AL = new Set(['ETAL', 'ETALS', 'ET/AL', 'ETALIA', 'ETC'])
const SPOUSES = new Set(['ETUX', 'ETVIR', 'ETU', 'ETVI', 'H/W', 'W/H', 'HW', 'WH', 'UX'])
// Words for a spouse: 'PAUL & WIFE RITA', 'PAUL & WF RITA'.
const WIVES = new Set(['WIFE', 'HUSBAND', 'SPOUSE', 'WF', 'HUSB', 'HUS'])
// Words about marital and legal status: S/M means single man ('MERCER DANA S/M').
const STANDINGS = new Set([
  'S/M',
  'S/W',
  'M/M',
  'M/W',
  'U/M',
  'U/W',
  'WIDOW',
  'WIDOWER',
  'WID',
  'SINGLE',
  'MARRIED',
])
const TENANCIES = new Set(['JTRS', 'JTROS', 'JTWROS', 'JTWRS', 'JTTEN', 'JT', 'J/T', 'JT/RS', 'JTS', 'TIC', 'T/C', 'TBE', 'T/E', 'TBYE', 'TENENT', 'W/R/S', 'R/S', 'W/R/O/S', 'WROS', 'CPWROS', 'C/P', 'CP', 'ROS', 'JTE', 'TENCOM', 'TENENTS', 'TENANCY', 'UNMARRIED', 'SURVIVORSHIP', 'ENTIRETIES', 'ENTIRETY', 'GRANTEE', 'GRANTOR', 'BENEFICIARY', 'BENE', 'W/LE', 'W/L/E', 'RLE']) // prettier-ignore
const REMAINDERS = new Set(['REM', 'REMAINDER', 'REMAINDERMAN', 'REMAINDERMEN', 'REMDR'])
const OFFICES = new Set(['GUARDIAN', 'GUARDIANS', 'GDN', 'GRDN', 'EXECUTOR', 'EXECUTORS', 'EXECUTRIX', 'EXECUTRICES', 'EXECUTR', 'EXECUT', 'EXECU', 'EXEC', 'EXECS', 'EXECX', 'EXTR', 'EXTRX', 'EXTX', 'EXR', 'EXRS', 'EXRX', 'EXORS', 'EXOR', 'EX', 'ADMINISTRATOR', 'ADMINISTRATORS', 'ADMINISTRATRIX', 'ADMINISTRAT', 'ADMINISTR', 'ADMINR', 'ADMINX', 'ADMR', 'ADMRX', 'ADMX', 'CTA', 'DBN', 'DBNCTA', 'CONSERVATOR', 'CONSERVATORS', 'CONSERVATRIX', 'CUSTODIAN', 'CUSTODIANS', 'CUST', 'DISTRIBUTEE', 'DISTRIBUTEES', 'DISTRIBUTE', 'DEVISEE', 'LEGATEE', 'LEGATEES', 'POA', 'AIF', 'AGENT', 'RECEIVER', 'NOMINEE', 'NOMINEES', 'INDIVIDUALLY', 'INDIV', 'OWNER', 'P/R', 'PERSREP']) // prettier-ignore
// Offices that are also trades or surnames. They count as an office only after a person's whole name.
const DOUBTFUL_OFFICES = new Set(['ADMIN', 'ADMINS', 'ADM', 'DISTRIB', 'DISTRIBU', 'DISTRIBUT', 'DIST', 'DISTR', 'HEIR', 'REFEREE', 'NOM']) // prettier-ignore
const ADVERBS = new Set(['SOLE', 'SUCCESSOR', 'SUCC', 'SUC', 'CO', 'ALTERNATE', 'TEMPORARY', 'TEMP', 'PRELIMINARY', 'INDEPENDENT', 'ACTING', 'DULY', 'THE', 'AN', 'A']) // prettier-ignore
// After these words no owner is named until a word that joins two names ('&', 'AND').
const ENDINGS = new Set(['AS', 'DTD', 'DATED', 'U/A', 'U/D', 'U/T', 'UA', 'UTD', 'UAD', 'U/A/D', 'U/T/D', 'UDT', 'UTA', 'T/U/W', 'TR/U/A', 'D/T/D', 'I/T/F', 'ITF', 'C/F', 'SURVIVING', 'HUSBAND', 'WIFE', 'SPOUSE', 'DECEASED', 'DECD', 'DEC']) // prettier-ignore
const AGREEMENTS = new Set([
  'U/A',
  'U/D',
  'U/T',
  'UA',
  'UTD',
  'UAD',
  'U/A/D',
  'U/T/D',
  'UDT',
  'UTA',
  'T/U/W',
  'TR/U/A',
])
const SHARES = new Set(['INT', 'INTEREST', 'UND', 'UNDIV', 'UNDIVIDED', 'SHARE'])
const TRADES = new Set(['DBA', 'D/B/A', 'T/A'])
const ALIASES = new Set([
  'AKA',
  'A/K/A',
  'FKA',
  'F/K/A',
  'NKA',
  'N/K/A',
  'DBA',
  'D/B/A',
  'T/A',
  'NEE',
  'FNA',
  'AKAS',
])

// First words of the phrases that `phrase` and `careOf` look for.
const PHRASES = ['H', 'W', 'ET', 'LIFE', 'LF', 'AND', '&', 'TENANTS', 'TENS', 'TEN', 'JOINT', 'COMMUNITY', 'COMM', 'JT', 'SOLE', 'PERSONAL', 'PERS', 'LEGAL', 'BY', 'ATTORNEY', 'ATTY', 'ATTORNEYS', 'SUCCESSOR', 'SUCC', 'SUC', 'CO', 'HEIRS', 'DEVISEES', 'WITH', 'HIS', 'HER', 'A', 'AN', 'C/O', 'ATTN', 'ATTENTION', 'CARE', 'TR', 'L/E', 'LIFE-EST', 'W/LE', 'LE', 'AS'] // prettier-ignore
const ROLE_WORDS = new Set([...PHRASES, ...[TRUSTEES, ET_AL, SPOUSES, WIVES, STANDINGS, TENANCIES, REMAINDERS, OFFICES, DOUBTFUL_OFFICES, ADVERBS, ENDINGS, AGREEMENTS, TRADES, ALIASES, SHARES].flatMap((words) => [...words])]) // prettier-ignore

/**
 * Separates roles, tenancies and notes from the names of a field. In a file with surnames first (`surnameFirst`) a
 * final LE means 'life estate'; elsewhere it is a surname.
 */
export function readRoles(all: NameToken[], surnameFirst: boolean): Roles {
  const roles: Roles = {
    tokens: [],
    careOf: [],
    tradeName: [],
    trustName: [],
    hasEtAl: false,
    isTrustee: false,
    isTrust: false,
    isLifeEstate: false,
    isEstate: false,
    hasOfficeBehindComma: false,
  }
  for (let i = 0; i < all.length; i++) {
    const token = all[i]!
    if (!ROLE_WORDS.has(token.text) && !isFigure(token.text) && !token.text.startsWith('CO ')) {
      roles.tokens.push(token)
      continue
    }
    const used = careOf(all, i, roles) || phrase(all, i, roles) || word(all, i, roles, surnameFirst)
    if (used > 0) {
      if (i > 1 && all[i - 1]!.comma && isOfficeOrTrustee(all, i)) roles.hasOfficeBehindComma = true
      i += used - 1
    } else if ((token.aside && isFigure(token.text)) || isShare(all, i)) continue
    else roles.tokens.push(token)
  }
  trimJoints(roles.tokens)
  return roles
}

function isOfficeOrTrustee(all: NameToken[], i: number): boolean {
  const at = all[i]!.text === 'AS' ? i + 1 : i
  return isOfficePhrase(all, at) || TRUSTEES.has(all[at]?.text ?? '')
}

function careOf(all: NameToken[], i: number, roles: Roles): number {
  const text = all[i]!.text
  const marked =
    text === 'C/O' || text === 'ATTN' || text === 'ATTENTION' || (text === 'CO' && all[i]!.shown === 'C/O')
  const spelled = text === 'CARE' && all[i + 1]?.text === 'OF'
  if (!marked && !spelled) return 0
  roles.careOf = all.slice(i + (spelled ? 2 : 1))
  return all.length - i
}

function phrase(all: NameToken[], i: number, roles: Roles): number {
  const text = all[i]!.text
  const next = all[i + 1]?.text ?? ''
  const pair = `${text} ${next}`
  if (DROPPED_PAIRS.has(pair)) return 2
  if (CLOSING_PAIRS.has(pair)) return toJoint(all, i)
  switch (text) {
    case 'H':
    case 'W':
      if (i < 2 || next !== '&' || all[i + 2]?.text !== (text === 'H' ? 'W' : 'H')) return 0
      roles.tokens.push(JOINT)
      return 3
    case 'ET':
      if (next === 'AL' || next === 'ALS') roles.hasEtAl = true
      else if (next === 'UX' || next === 'VIR' || next === 'UXOR') roles.tokens.push(JOINT)
      else return 0
      return 2
    case 'LIFE':
    case 'LF':
      if (next !== 'ESTATE' && next !== 'EST' && next !== 'TENANT' && next !== 'ESTATES') return 0
      roles.isLifeEstate = true
      return 2
    case 'AND':
    case '&':
      if (next !== 'OTHERS') return 0
      roles.hasEtAl = true
      return 2
    case 'HEIRS':
    case 'DEVISEES':
      if (i > 0) roles.isEstate = true
      return i > 0 ? toJoint(all, i) : 0
    default:
      return officePhrase(all, i, text, next)
  }
}

function officePhrase(all: NameToken[], i: number, text: string, next: string): number {
  switch (text) {
    case 'BY':
      return i > 1 && (OFFICES.has(next) || next === 'ATTORNEY' || next === 'ATTY') ? toJoint(all, i) : 0
    case 'ATTORNEY':
    case 'ATTY':
    case 'ATTORNEYS':
      if (i < 2) return 0
      return (next === 'IN' && all[i + 2]?.text === 'FACT') || (next === 'AT' && all[i + 2]?.text === 'LAW')
        ? 3
        : 0
    default:
      return ADVERBS.has(text) && i > 0 && text.length > 1 && isOfficeBehindAdverb(all, i, next) ? 1 : 0
  }
}

// Returns whether an office follows the adverb at `i`: 'ROE JANE CO EXECUTOR', 'ROE JANE SUCC TR', but not 'ACME THE
// AGENT'.
function isOfficeBehindAdverb(all: NameToken[], i: number, next: string): boolean {
  const { text } = all[i]!
  if (text === 'THE' || text === 'AN') return false
  if (TRUSTEES.has(next)) return true
  if (next === 'TR') return text !== 'CO'
  return i > 1 && OFFICES.has(next) && !BUSINESS_OFFICES.has(next)
}

// Offices that also end names of companies: in 'MERCER HOLT CO RECEIVER', CO may mean company.
const BUSINESS_OFFICES = new Set(['AGENT', 'OWNER', 'RECEIVER', 'EX'])

// Notes of two words. `readRoles` drops a dropped pair alone, and a closing pair with all words up to the next '&'.
const DROPPED_PAIRS = new Set(['JT TEN', 'JT TENS', 'JT TENANTS', 'JT RS', 'SOLE OWNER', 'SOLE HEIR', 'SOLE HEIRS', 'SOLE DISTRIBUTEE', 'SOLE DEVISEE', 'LEGAL REPRESENTATIVE', 'LEGAL REP', 'SOLE PROPERTY', 'SOLE PROP', 'PERSONAL REPRESENTATIVE', 'PERSONAL REP', 'PERS REPRESENTATIVE', 'PERS REP', 'HIS WIFE', 'HIS SPOUSE', 'HER HUSBAND', 'HER SPOUSE']) // prettier-ignore
const CLOSING_PAIRS = new Set(['TENANTS IN', 'TENANTS BY', 'TENANTS COM', 'TENS IN', 'TENS BY', 'TENS COM', 'TENS ENT', 'TEN IN', 'TEN BY', 'TEN COM', 'TEN ENT', 'JOINT TENANTS', 'JOINT TENANCY', 'JOINT TEN', 'COMMUNITY PROPERTY', 'COMMUNITY PROP', 'COMM PROPERTY', 'COMM PROP', 'WITH RIGHT', 'WITH RIGHTS', 'WITH FULL', 'A SINGLE', 'A MARRIED', 'A WIDOW', 'A WIDOWER', 'A MINOR', 'AN UNMARRIED', 'HEIR AT', 'SOLE SURVIVING']) // prettier-ignore

function word(all: NameToken[], i: number, roles: Roles, surnameFirst: boolean): number {
  const token = all[i]!
  const { text } = token
  if (
    TRUSTEES.has(text) &&
    !(text === 'TRUS' && i > 0 && TRUST_SORTS.has(all[i - 1]!.text)) &&
    (i > 0 || (all.length > 2 && all[1]!.text !== 'OF' && all[1]!.text !== 'FOR'))
  ) {
    roles.isTrustee = true
    return 1 + trustNamed(all, i + 1, roles)
  }
  // 'ROE JOHN TR' has a trustee; 'ROE JOHN REV TR' is a trust.
  if (i > 0 && text === 'TR' && surnameFirst && !TRUST_SORTS.has(all[i - 1]!.text)) {
    roles.isTrustee = true
    return 1 + trustNamed(all, i + 1, roles)
  }
  if (ET_AL.has(text) && i > 0) {
    if (text !== 'ETC') roles.hasEtAl = true
    return 1
  }
  const lifeEstate =
    text === 'L/E' ||
    text === 'LIFE-EST' ||
    text === 'W/LE' ||
    (text === 'LE' && i > 0 && (token.aside || (surnameFirst && closes(all, i))))
  if (lifeEstate) {
    roles.isLifeEstate = true
    return 1
  }
  if (i === 0) return 0
  if (SPOUSES.has(text) || REMAINDERS.has(text)) {
    roles.tokens.push(JOINT)
    return 1
  }
  if (TENANCIES.has(text)) return 1
  if (isSpouse(all, i, surnameFirst)) return 1
  if (i > 1 && STANDINGS.has(text)) return toJoint(all, i)
  const office = officeAt(all, i)
  if (office > 0) return office
  if (TRADES.has(text)) {
    roles.tradeName = all.slice(i + 1)
    return all.length - i
  }
  if (ALIASES.has(text)) return toJoint(all, i)
  if (text === 'AS' && i > 1 && TRUSTEES.has(all[i + 1]?.text ?? '')) return 1
  if (text === 'AS' && isOfficePhrase(all, i + 1)) return officePhraseEnd(all, i)
  if (!ENDINGS.has(text) || i < 2) return 0
  if (AGREEMENTS.has(text)) roles.isTrust = true
  return toJoint(all, i)
}

/**
 * Returns the number of words of the office that begins at `i`: 'EXECUTOR' or 'EXEC OF …'. 0 where no office begins.
 */
function officeAt(all: NameToken[], i: number): number {
  const { text } = all[i]!
  const next = all[i + 1]?.text ?? ''
  const isFor = PREPOSITIONS.has(next)
  if (text === 'NOM') return isFor ? toJoint(all, i) : 0
  if (DOUBTFUL_OFFICES.has(text)) {
    if (!(isFor || closesWholeName(all, i)) || !followsPerson(all, i)) return 0
    // 'AUSTIN SCHOOL DIST' is a school district, not a distributee.
    if (text.startsWith('DIST') && text.length < 6 && !all[i - 1]!.comma) return 0
    return isFor ? toJoint(all, i) : 1
  }
  if (!isOffice(text)) return 0
  if (isFor && !BUSINESS_OFFICES.has(text)) return toJoint(all, i)
  if (i < 2 && all[i - 1]!.text !== '&') return 0
  return isFor ? toJoint(all, i) : 1
}

function isOffice(text: string): boolean {
  return OFFICES.has(text.startsWith('CO ') ? text.slice(3) : text)
}

const PREPOSITIONS = new Set(['OF', 'FOR', 'TO', 'UNDER', 'U/W', 'EST', 'ESTATE'])

/** Returns whether a name ends at the word `i`, at a comma or at the end of the field. */
function closesWholeName(all: NameToken[], i: number): boolean {
  return i + 1 === all.length || isJoint(all[i + 1]!) || all[i - 1]!.comma || all[i]!.comma
}

/**
 * Returns whether the words before `i` are a person: two or more words, one of them a given name and none a trade. 'ROE
 * JANE' is a person, 'AUSTIN BEVERAGE' is not.
 */
function followsPerson(all: NameToken[], i: number): boolean {
  let words = 0
  let hasGiven = false
  for (let at = i - 1; at >= 0 && !isJoint(all[at]!); at--) {
    const { text } = all[at]!
    if (text.length < 2) continue
    if ((organisationWord(text)?.weight ?? 0) > 1) return false
    words++
    if (firstNameFrequency(text) >= COMMON_GIVEN_NAME) hasGiven = true
  }
  return words > 1 && hasGiven
}

// A given name is common from this frequency on, per 100,000 people.
const COMMON_GIVEN_NAME = 2

/** Returns whether the words from `at` on are an office, with or without adverbs: 'EXECUTOR', 'THE SOLE EXECUTRIX'. */
function isOfficePhrase(all: NameToken[], at: number): boolean {
  let i = at
  while (ADVERBS.has(all[i]?.text ?? '')) i++
  const text = all[i]?.text ?? ''
  return isOffice(text) || DOUBTFUL_OFFICES.has(text) || (TRUSTEES.has(text) && i > at)
}

/**
 * Returns the number of tokens of the office phrase at `i`: 2 for 'AS EXECUTOR'. In 'ROE, AS EXECUTOR, JANE' it ends at
 * the next comma, because a given name follows. In fields without a comma after the first word it ends before the next
 * '&' or 'C/O'.
 */
function officePhraseEnd(all: NameToken[], i: number): number {
  if (i > 1 || !all[0]!.comma) return toJoint(all, i)
  let end = i
  while (end < all.length - 1 && !all[end]!.comma) end++
  return end + 1 - i
}

const JOINT: NameToken = {
  text: '&',
  shown: '&',
  comma: false,
  aside: false,
  possessive: false,
  dotted: false,
}

// Returns whether the word at `i` says that the second person is a spouse: '& WIFE RITA', '& W RITA'. A single W counts
// only where surnames come first.
function isSpouse(all: NameToken[], i: number, surnameFirst: boolean): boolean {
  if (!isJoint(all[i - 1]!)) return false
  const { text } = all[i]!
  if (WIVES.has(text)) return true
  const next = all[i + 1]
  return surnameFirst && (text === 'W' || text === 'H') && next !== undefined && next.text.length > 1 && i > 2
}

// Returns the number of words that name the trust: 'TRUSTEE OF THE ROE FAMILY TRUST', 'TR ROE FAMILY TRUST'. Stores
// them in `trustName`.
function trustNamed(all: NameToken[], from: number, roles: Roles): number {
  let start = from
  while (LINKS.has(all[start]?.text ?? '')) start++
  const end = from + toJoint(all, from - 1) - 1
  const words = all.slice(start, end)
  if (!words.some(({ text }) => text === 'TRUST' || text === 'TRUSTS' || text === 'TRST')) return start - from > 1 ? end - from : 0 // prettier-ignore
  if (words.length > 1) roles.trustName = words
  return end - from
}

const LINKS = new Set(['OF', 'FOR', 'THE', 'UNDER', 'U/A', 'U/D', 'U/T'])

// Returns whether the token belongs to the share of a property that an owner holds: '50%', '1/2 INT', 'UND 1/2
// INTEREST'.
function isShare(all: NameToken[], i: number): boolean {
  if (i < 2) return false
  const { text } = all[i]!
  if (isFigure(all[i]!.text)) return text.endsWith('%') || FRACTION.test(text)
  if (!SHARES.has(text)) return false
  const before = all[i - 1]!.text
  const after = all[i + 1]?.text ?? ''
  return before.endsWith('%') || FRACTION.test(before) || FRACTION.test(after) || after.endsWith('%')
}

const FRACTION = /^\d+\/\d+$/

function closes(all: NameToken[], i: number): boolean {
  if (VIETNAMESE.has(all[0]!.text)) return false
  const next = all[i + 1]?.text
  return i >= 2 && (next === undefined || next === '&' || next === 'ET' || ET_AL.has(next) || all[i]!.comma)
}

function toJoint(all: NameToken[], i: number): number {
  let end = i + 1
  while (end < all.length && all[end]!.text !== '&' && all[end]!.text !== 'C/O') end++
  return end - i
}

function trimJoints(tokens: NameToken[]): void {
  while (tokens.length > 0 && isJoint(tokens.at(-1)!)) tokens.pop()
  while (tokens.length > 0 && isJoint(tokens[0]!)) tokens.shift()
}

/** Returns whether the token joins two names. */
export function isJoint(token: NameToken): boolean {
  return JOINTS.has(token.text)
}

const JOINTS = new Set(['&', 'AND', 'OR'])
