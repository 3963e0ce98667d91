import type { NameToken } from './name-tokens.ts'

/** What a name field says beside names. */
export interface Roles {
  /** The names, without the words below. */
  tokens: NameToken[]
  /** The words behind 'C/O'. */
  careOf: NameToken[]
  /** The words behind 'DBA'. */
  tradeName: NameToken[]
  hasEtAl: boolean
  isTrustee: boolean
  isLifeEstate: boolean
  isEstate: boolean
}

const TRUSTEES = new Set(['TRUSTEE', 'TRUSTEES', 'TRS', 'TTEE', 'TTEES', 'TRSTE', 'TRSTEE', 'TRUSTE', 'TRTE', 'TRUS', 'CO TRUSTEE', 'CO TRUSTEES', 'CO TR', 'CO TRS', 'CO TTEE', 'COTRUSTEE', 'COTRUSTEES', 'SUCTR', 'TSTEE', 'TRUSTEE(S)']) // prettier-ignore
const ET_AL = new Set(['ETAL', 'ETALS', 'ET/AL', 'ETALIA', 'ETC'])
const SPOUSES = new Set(['ETUX', 'ETVIR', 'ETU', 'ETVI', 'H/W', 'W/H', 'HW', 'WH', 'HUSB', 'UX'])
const TENANCIES = new Set(['JTRS', 'JTROS', 'JTWROS', 'JTWRS', 'JTTEN', 'JT', 'J/T', 'TIC', 'T/C', 'TBE', 'T/E', 'TBYE', 'TENENT', 'W/R/S', 'R/S', 'W/R/O/S', 'WROS', 'CPWROS', 'C/P', 'CP', 'ROS', 'JTE', 'TENCOM', 'TENENTS', 'TENANCY', 'UNMARRIED', 'SURVIVORSHIP', 'ENTIRETIES', 'ENTIRETY', 'REMAINDERMAN', 'REMAINDER', 'REMAINDERMEN', 'REM', 'GRANTEE', 'GRANTOR', 'BENEFICIARY', 'BENE', 'W/LE', 'W/L/E', 'RLE']) // prettier-ignore
const OFFICES = new Set(['GUARDIAN', 'GUARDIANS', 'GDN', 'EXECUTOR', 'EXECUTRIX', 'EXEC', 'EXTR', 'EXR', 'ADMINISTRATOR', 'ADMINISTRATRIX', 'ADMR', 'ADMX', 'CONSERVATOR', 'CUSTODIAN', 'CUST', 'POA', 'AIF', 'AGENT', 'RECEIVER', 'NOMINEE', 'INDIVIDUALLY', 'INDIV', 'OWNER']) // prettier-ignore
// From these on nothing names an owner any more, up to the next joint.
const ENDINGS = new Set(['AS', 'DTD', 'DATED', 'U/A', 'U/D', 'U/T', 'U/W', 'UA', 'UTD', 'UAD', 'U/A/D', 'U/T/D', 'UDT', 'UTA', 'T/U/W', 'TR/U/A', 'D/T/D', 'I/T/F', 'ITF', 'HUSBAND', 'WIFE', 'SPOUSE', 'DECEASED', 'DECD', 'DEC', 'SINGLE', 'MARRIED']) // prettier-ignore
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

/** Takes roles, tenancies and notes out of a name field. `surnameFirst` decides what a closing 'LE' is. */
export function readRoles(all: NameToken[], surnameFirst: boolean): Roles {
  const roles: Roles = {
    tokens: [],
    careOf: [],
    tradeName: [],
    hasEtAl: false,
    isTrustee: false,
    isLifeEstate: false,
    isEstate: false,
  }
  for (let i = 0; i < all.length; i++) {
    const token = all[i]!
    const used = careOf(all, i, roles) || phrase(all, i, roles) || word(all, i, roles, surnameFirst)
    if (used > 0) {
      i += used - 1
    } else if (token.aside && isNumberToken(token)) continue
    else roles.tokens.push(token)
  }
  trimJoints(roles.tokens)
  return roles
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
  switch (text) {
    case 'ET':
      if (next === 'AL' || next === 'ALS') {
        roles.hasEtAl = true
        return 2
      }
      return next === 'UX' || next === 'VIR' || next === 'UXOR' ? 2 : 0
    case 'LIFE':
      if (next === 'ESTATE' || next === 'EST' || next === 'TENANT' || next === 'ESTATES') {
        roles.isLifeEstate = true
        return 2
      }
      return 0
    case 'AND':
    case '&':
      return next === 'OTHERS' ? ((roles.hasEtAl = true), 2) : 0
    case 'TENANTS':
    case 'TENS':
    case 'TEN':
      if (next === 'IN' || next === 'BY' || next === 'COM' || next === 'ENT') return toJoint(all, i)
      return 0
    case 'JOINT':
      return next === 'TENANTS' || next === 'TENANCY' || next === 'TEN' ? toJoint(all, i) : 0
    case 'COMMUNITY':
      return next === 'PROPERTY' ? toJoint(all, i) : 0
    case 'PERSONAL':
      return next === 'REPRESENTATIVE' || next === 'REP' ? 2 : 0
    case 'ATTORNEY':
    case 'ATTY':
    case 'ATTORNEYS':
      return i > 1 && next === 'AT' && all[i + 2]?.text === 'LAW' ? 3 : 0
    case 'SUCCESSOR':
      return TRUSTEES.has(next) ? 1 : 0
    case 'HEIRS':
    case 'DEVISEES':
      if (i > 0) roles.isEstate = true
      return i > 0 ? toJoint(all, i) : 0
    case 'WITH':
      return next === 'RIGHT' || next === 'RIGHTS' || next === 'FULL' ? toJoint(all, i) : 0
    case 'HIS':
    case 'HER':
      return next === 'WIFE' || next === 'HUSBAND' || next === 'SPOUSE' ? 2 : 0
    case 'A':
      return next === 'SINGLE' ||
        next === 'MARRIED' ||
        next === 'WIDOW' ||
        next === 'WIDOWER' ||
        next === 'MINOR'
        ? toJoint(all, i)
        : 0
    case 'AN':
      return next === 'UNMARRIED' ? toJoint(all, i) : 0
    default:
      return 0
  }
}

function word(all: NameToken[], i: number, roles: Roles, surnameFirst: boolean): number {
  const token = all[i]!
  const { text } = token
  if (i > 0 && TRUSTEES.has(text)) {
    roles.isTrustee = true
    return 1
  }
  if (i > 0 && text === 'TR' && surnameFirst) {
    roles.isTrustee = true
    return 1
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
  if (SPOUSES.has(text) || TENANCIES.has(text)) return 1
  if (OFFICES.has(text) && (i > 1 || all[i - 1]!.text === '&')) return 1
  if (TRADES.has(text)) {
    roles.tradeName = all.slice(i + 1)
    return all.length - i
  }
  if (ALIASES.has(text)) return toJoint(all, i)
  if (ENDINGS.has(text) && i > 1) return toJoint(all, i)
  return 0
}

// Surnames whose bearers may well be called Le.
const VIETNAMESE = new Set(['NGUYEN', 'TRAN', 'PHAM', 'HUYNH', 'HOANG', 'VO', 'VU', 'DANG', 'BUI', 'DO', 'NGO', 'DUONG', 'LY', 'DINH', 'TRUONG', 'LAM', 'TRINH', 'DAO', 'LUONG', 'PHAN', 'LE']) // prettier-ignore

function closes(all: NameToken[], i: number): boolean {
  if (VIETNAMESE.has(all[0]!.text)) return false
  return i >= 2 && (all[i + 1] === undefined || all[i + 1]!.text === '&' || all[i]!.comma)
}

function toJoint(all: NameToken[], i: number): number {
  let end = i + 1
  while (end < all.length && all[end]!.text !== '&' && all[end]!.text !== 'C/O') end++
  return end - i
}

function isNumberToken(token: NameToken): boolean {
  return token.text[0]! >= '0' && token.text[0]! <= '9'
}

function trimJoints(tokens: NameToken[]): void {
  while (tokens.length > 0 && isJoint(tokens.at(-1)!)) tokens.pop()
  while (tokens.length > 0 && isJoint(tokens[0]!)) tokens.shift()
}

/** Whether the token joins two names. */
export function isJoint(token: NameToken): boolean {
  return token.text === '&' || token.text === 'AND' || token.text === 'OR'
}
