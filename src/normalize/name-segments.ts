import { isJoint } from './name-roles.ts'
import { isFigure } from './name-tokens.ts'
import type { NameToken } from './name-tokens.ts'
import {
  CREDENTIALS,
  DOUBTFUL_CREDENTIALS,
  firstScore,
  GENERATIONS,
  hasVowel,
  surnameFrequency,
  TITLE_LEADS,
  TITLES,
} from './name-words.ts'

export type NameOrder = 'surname_first' | 'given_first' | 'parts' | 'unknown'

/** The words of one person, without titles, degrees, suffixes and notes. */
export interface Segment {
  words: NameToken[]
  suffix: string | null
  titled: boolean
  /** How many of the words come before the comma of 'LAST, FIRST'; 0 without a comma. */
  beforeComma: number
}

/** Splits the tokens of a field into the words of each person. */
export function splitPeople(tokens: NameToken[], order: NameOrder): NameToken[][] {
  const people: NameToken[][] = []
  let current: NameToken[] = []
  const hasJoint = tokens.some(isJoint)
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    if (!isJoint(token)) current.push(token)
    const ends = isJoint(token) || (token.comma && endsPerson(tokens, i, current, order, hasJoint))
    if (!ends) continue
    if (current.length > 0) people.push(current)
    current = []
  }
  if (current.length > 0) people.push(current)
  return people
}

// Returns whether the comma after token i separates two people: 'DANA MERCER, PAUL HOLT', 'MERCER DANA, PAUL & RITA',
// 'DANA, PAUL AND RITA MERCER'. In 'MERCER HOLT, PAUL' and 'ROE, JANE & JOHN' it separates surname and first name.
function endsPerson(
  tokens: NameToken[],
  i: number,
  current: NameToken[],
  order: NameOrder,
  hasJoint: boolean,
): boolean {
  const next = tokens[i + 1]
  if (next === undefined || isJoint(next) || !isLikelyGiven(next, order)) return false
  if (!hasJoint && (order !== 'given_first' || current.length < 2)) return false
  const first = current[0]!
  const last = current.at(-1)!
  if (order === 'surname_first') {
    // 'SMITH JOHN & MARY, JONES PAUL': after '&', a single given name is a whole person.
    if (current.length === 1) return i > 0 && isJoint(tokens[i - 1]!) && firstScore(first.text) > 0.7
    return (
      current.length === 2 &&
      firstScore(first.text) < -0.7 &&
      firstScore(last.text) > 0.7 &&
      firstScore(next.text) > 0.7
    )
  }
  if (order !== 'given_first') return false
  if (current.length === 1) return i === 0 && firstScore(first.text) > 0.7 && endsInSurname(tokens)
  const following = tokens[i + 2]
  if (following === undefined || following.text.length === 1 || isJoint(following)) return false
  const isWhole = firstScore(first.text) > 0.7 && firstScore(last.text) < -0.5
  return isWhole && firstScore(next.text) > (firstScore(following.text) < -0.5 ? 0 : 0.3)
}

function isLikelyGiven(token: NameToken, order: NameOrder): boolean {
  if (token.text.length < 2 || GENERATIONS.has(token.text) || CREDENTIALS.has(token.text)) return false
  return order === 'surname_first' || firstScore(token.text) > 0
}

function endsInSurname(tokens: NameToken[]): boolean {
  const joint = tokens.findLastIndex(isJoint)
  return tokens.length - joint > 2 && !tokens.slice(joint).some(({ comma }) => comma)
}

/**
 * Removes titles, generations, degrees, nicknames and figures from the words of one person. Joins 'MC DONALD' and 'O
 * BRIEN'.
 */
export function readSegment(tokens: NameToken[], order: NameOrder): Segment {
  const asides = tokens.filter((token) => token.aside && !GENERATIONS.has(token.text))
  let words =
    asides.length === 0 || tokens.length - asides.length < 2
      ? tokens
      : tokens.filter((token) => !token.aside || GENERATIONS.has(token.text))
  let titled = false
  let from = 0
  while (
    from < words.length &&
    (isLeadingTitle(words, from, order) || (words.length === 1 && TITLES.has(words[0]!.text)))
  ) {
    titled = true
    from++
  }
  words = from === 0 ? words : words.slice(from)
  let suffix: string | null = null
  const kept: NameToken[] = []
  let comma = 0
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    const generation = generationOf(words, i, order)
    const drop =
      generation !== null ||
      isCredential(words, i, kept.length) ||
      isFigure(word.text) ||
      isDoctor(words, i, kept.length) ||
      (comma === 0 && kept.length > 0 && isTitleBeforeComma(words, i)) ||
      (i > 0 &&
        (comma === kept.length || order === 'surname_first') &&
        isTitleBehind(words, i, kept.length, order))
    if (generation !== null) suffix = generation
    if (!drop) kept.push(word)
    // A comma after 'SMITH' or 'SMITH JR' separates surname and first name. A comma after the first name or before a
    // degree does not.
    if (word.comma && comma === 0 && kept.length > 0 && i + 1 < words.length && !(drop && kept.length === 1 && order === 'given_first' && generation === null)) comma = kept.length // prettier-ignore
  }
  if (comma >= kept.length || isStrayComma(kept, comma, order)) comma = 0
  const joined = joinPrefixes(kept, order)
  if (comma > 0 && joined.length < kept.length) comma = Math.max(1, comma - (kept.length - joined.length))
  return { words: joined, suffix, titled, beforeComma: comma }
}

// Returns whether a comma does not separate a surname from first names: 'Jane Q, Roe', 'ROE JOHN, A'.
function isStrayComma(words: NameToken[], comma: number, order: NameOrder): boolean {
  if (comma < 2) return false
  const behind = words.slice(comma)
  if (order === 'surname_first')
    return behind.every(({ text }) => text.length === 1) && firstScore(words[comma - 1]!.text) > 1
  const initialBefore = comma === 2 && words[1]!.text.length === 1
  return initialBefore && behind.length === 1 && firstScore(words[0]!.text) > 1
}

// Returns whether the first word is a title. Where surnames come first, 'BISHOP SCOTT A' is Scott Bishop.
function isLeadingTitle(words: NameToken[], i: number, order: NameOrder): boolean {
  return isTitle(words, i) && !(order === 'surname_first' && i === 0 && NAME_TITLES.has(words[i]!.text))
}

function isTitle(words: NameToken[], i: number): boolean {
  const { text } = words[i]!
  const next = words[i + 1]
  if (next === undefined) return i === 0 ? false : TITLES.has(text) && text !== 'MS'
  if (TITLES.has(text)) return !(NAME_TITLES.has(text) && words.length < 3)
  return TITLE_LEADS.has(text) && TITLES.has(next.text)
}

// Returns whether a title follows the surname: 'ROE, DR JANE'. Where surnames come first also 'ROE DR JANE' and 'ROE
// JANE MRS'.
function isTitleBehind(words: NameToken[], i: number, kept: number, order: NameOrder): boolean {
  if (order !== 'surname_first' || words[i - 1]!.comma) return isTitle(words, i)
  if (!PLAIN_TITLES.has(words[i]!.text)) return false
  return (kept === 1 && i + 1 < words.length) || (kept > 1 && i === words.length - 1)
}

// Returns whether a title stands before the comma: 'ROE DR, JANE', 'ROE COL, JANE'. 'ROE BISHOP, JANE' has two
// surnames.
function isTitleBeforeComma(words: NameToken[], i: number): boolean {
  const { text, comma } = words[i]!
  return comma && i + 1 < words.length && TITLES.has(text) && surnameFrequency(text) < 1
}

const PLAIN_TITLES = new Set([
  'MR',
  'MRS',
  'MS',
  'MISS',
  'DR',
  'REV',
  'REVEREND',
  'HON',
  'PROF',
  'RABBI',
  'FR',
])

// Returns whether a degree is written letter by letter: 'ROE JANE L M D', 'Jane Roe Ph. D.'.
function isDoctor(words: NameToken[], i: number, kept: number): boolean {
  const last = words.length - 1
  if (kept < 2 || i < last - 1 || words[last]!.text.length > 1 || words[last - 1]!.text.length > 2)
    return false
  return SPELLED_DEGREES.has(`${words[last - 1]!.text} ${words[last]!.text}`)
}

const SPELLED_DEGREES = new Set(['M D', 'PH D', 'D O', 'D C', 'J D', 'R N'])

// Titles that are also names. With only one other word they are the name: 'Judge Smith'.
const NAME_TITLES = new Set(['MAJ', 'ALDERMAN', 'CAPTAIN', 'GOVERNOR', 'DOCTOR', 'SERGEANT', 'COLONEL', 'FATHER', 'PROFESSOR', 'SECRETARY', 'OFFICER', 'MADAM', 'SIR', 'ELDER', 'BISHOP', 'MAJOR', 'JUDGE', 'LADY', 'GEN', 'REP', 'FR', 'PASTOR', 'COACH', 'CAPT', 'SIS', 'BRO', 'MAYOR', 'LORD', 'DAME', 'PRESIDENT']) // prettier-ignore

function generationOf(words: NameToken[], i: number, order: NameOrder): string | null {
  if (i === 0) return null
  const { text } = words[i]!
  const known = GENERATIONS.get(text)
  if (known !== undefined)
    return words.length > 2 || i > 1 || known === 'JR' || known.startsWith('I') ? known : null
  const closes = text === 'V' && i > 1 && i === words.length - 1 && words[i - 1]!.text.length > 1
  return closes && (words.length > 3 || order === 'given_first') ? 'V' : null
}

function isCredential(words: NameToken[], i: number, kept: number): boolean {
  const written = words[i]!.text
  // 'PA-C', 'FNP-BC': the part before the hyphen is the degree.
  const text = written.includes(' ') && i > 0 ? degreeOf(written) : written
  if (!CREDENTIALS.has(text)) return false
  // 'ROE, BSN, RN, JANE', 'ROE AIA, JANE', 'ROE, AIA': credentials beside the surname.
  if (kept === 1 && i > 0 && isBesideSurname(words, i)) return true
  if (kept < 2) return false
  if (!DOUBTFUL_CREDENTIALS.has(text)) return true
  return (
    words[i - 1]!.comma ||
    CREDENTIALS.has(words[i - 1]!.text) ||
    (i + 2 === words.length && CREDENTIALS.has(words[i + 1]!.text)) ||
    kept >= 3 ||
    (i === words.length - 1 && !hasVowel(text))
  )
}

/**
 * Returns whether the credentials from `i` on stand between a surname and its comma, or are everything after the comma.
 */
function isBesideSurname(words: NameToken[], i: number): boolean {
  if (words[i]!.comma && words[i - 1]!.comma && i < words.length - 1) return true
  for (let at = i; at < words.length; at++) {
    const { text, comma } = words[at]!
    if (!CREDENTIALS.has(text) || DOUBTFUL_CREDENTIALS.has(text)) return false
    if (comma && at < words.length - 1) return true
  }
  return words.slice(0, i).some(({ comma }) => comma)
}

function degreeOf(written: string): string {
  const [base = '', ...rest] = written.split(' ')
  return CREDENTIALS.has(base) && rest.every((part) => part.length < 3) ? base : base + rest.join('')
}

function joinPrefixes(words: NameToken[], order: NameOrder): NameToken[] {
  const joined: NameToken[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    const next = words[i + 1]
    if (next !== undefined && !word.comma && joinsNext(word, next, i, words.length, order)) {
      const apostrophe = word.text === 'O' || word.text === 'D' ? "'" : ''
      joined.push({
        ...next,
        text: word.text + next.text,
        shown: word.shown.replace("'", '') + apostrophe + next.shown,
      })
      i++
    } else joined.push(word)
  }
  return joined
}

function joinsNext(word: NameToken, next: NameToken, i: number, count: number, order: NameOrder): boolean {
  if (next.text.length < 3) return false
  if (word.text === 'MC') return true
  const leads = order === 'surname_first' && i === 0 && count > 2
  if (leads && PREFIXES.has(word.text) && surnameFrequency(word.text + next.text) > 0.1) return true
  if (word.text === 'MAC') return i + 2 === count && i > 0
  if (word.text !== 'O' && word.text !== 'D') return false
  if (word.shown.includes("'")) return true
  const whole = surnameFrequency(word.text + next.text)
  if (word.text === 'O' && i === 0 && count > 2 && whole > 0.1) return true
  return whole >= 1 && whole > surnameFrequency(next.text) && (i === 0 || i + 2 === count)
}

const PREFIXES = new Set(['MAC', 'D'])
