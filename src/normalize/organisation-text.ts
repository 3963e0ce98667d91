import { LEGAL_KINDS } from './organisation-score.ts'
import type { NameToken } from './name-tokens.ts'
import { organisationWord } from './name-words.ts'
import { titleWord } from './title-case.ts'

const DROPPED = new Set(['THE', 'OF', 'AND', '&'])

/** Returns a key that different spellings of an organisation share: without legal form, articles and punctuation. */
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

/** Returns the display name: 'First National Bank of Austin NA'. */
export function organisationDisplay(tokens: NameToken[]): string {
  return tokens
    .map((token, i) => {
      if (CAPITALS.has(token.text)) return token.text
      if (i > 0 && SMALL.has(token.text)) return token.text.toLowerCase()
      return titleWord(token.shown)
    })
    .join(' ')
}
