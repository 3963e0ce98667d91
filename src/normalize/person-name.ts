import type { NameToken } from './name-tokens.ts'
import { readSegment, splitPeople } from './name-segments.ts'
import type { NameOrder, Segment } from './name-segments.ts'
import { DOUBTFUL_PARTICLES, firstScore, PARTICLES, surnameFrequency, VIETNAMESE } from './name-words.ts'
import { nameFrequency } from './name-frequencies.ts'
import { titleWord } from './title-case.ts'

export type { NameOrder } from './name-segments.ts'

export interface PersonName {
  first: string | null
  middle: string | null
  last: string | null
  suffix: string | null
  display: string
}

interface Draft {
  first: NameToken[]
  middle: NameToken[]
  last: NameToken[]
  suffix: string | null
}

/** Returns the people of a field in order. A spouse without a surname gets the surname of the other. */
export function readPeople(tokens: NameToken[], order: NameOrder): PersonName[] {
  const segments = splitPeople(tokens, order)
    .map((words) => readSegment(words, order))
    .filter((segment) => segment.words.length > 0 || segment.titled)
  const drafts: (Draft | null)[] = []
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!
    const before = lastDraft(drafts)
    if (segment.words.length === 0) drafts.push(null)
    else if (before !== null && before.last.length > 0 && inherits(segment, before, order))
      drafts.push(givenOnly(segment, before.last))
    else if (
      order !== 'surname_first' &&
      segment.beforeComma === 0 &&
      i + 1 < segments.length &&
      lacksSurname(segment)
    ) {
      drafts.push(givenOnly(segment, []))
    } else if (i > 0 && segment.beforeComma === 0 && segment.words.length > 1 && isWholeName(segment.words)) {
      drafts.push(givenFirst(segment.words, segment.suffix))
    } else drafts.push(draftOf(segment, order))
  }
  fillForward(drafts)
  return drafts.filter((draft) => draft !== null).map((draft) => personOf(withWholeGiven(draft)))
}

function lastDraft(drafts: (Draft | null)[]): Draft | null {
  return drafts.findLast((draft) => draft !== null) ?? null
}

// Gives people without a surname that of the next person: 'John A & Mary B Smith'.
function fillForward(drafts: (Draft | null)[]): void {
  for (let i = drafts.length - 2; i >= 0; i--) {
    const draft = drafts[i]
    const next = drafts[i + 1]
    if (draft && next && draft.last.length === 0) draft.last = next.last
  }
}

// Joins two words that are one given name: 'La Shawn K Ford', 'De Andre Roe', 'Jo Anne Roe'.
function withWholeGiven(draft: Draft): Draft {
  const first = draft.first[0]
  const second = draft.middle[0]
  if (draft.first.length !== 1 || first === undefined || second === undefined) return draft
  if (!isSplitGiven(first, second)) return draft
  return { ...draft, first: [first, second], middle: draft.middle.slice(1) }
}

function isSplitGiven(first: NameToken, second: NameToken): boolean {
  if (!GIVEN_STARTS.has(first.text) || second.text.length < 3 || first.comma) return false
  return (nameFrequency(first.text + second.text)?.given ?? 0) >= 0.2
}

/** First words of given names of two words. */
export const GIVEN_STARTS = new Set(['LA', 'DE', 'DA', 'TA', 'SHA', 'KA', 'TE', 'JA', 'LE', 'RA', 'MA', 'JO'])

// Returns whether the words after '&' are only given names, so that the person has the surname of the person before
// '&'.
function inherits(segment: Segment, before: Draft, order: NameOrder): boolean {
  const { words } = segment
  if (segment.beforeComma > 0) return false
  const surname = before.last.map((token) => token.text).join(' ')
  if (words[0]!.text === before.last[0]!.text || words.at(-1)!.text === before.last.at(-1)!.text) return false
  if (words.length === 1) {
    const score = firstScore(words[0]!.text)
    return score > 0 || (order !== 'given_first' && !segment.titled && score > -1.5)
  }
  if (isWholeName(words)) return false
  if (surname === '') return false
  const last = words.at(-1)!.text
  if (words.length === 2 && last.length === 1)
    return order !== 'given_first' || firstScore(words[0]!.text) > 0
  if (order === 'given_first') return false
  // 'MARY ANN' is two given names and 'JONES MARY' is not: the first word must hardly ever be a surname.
  if (PARTICLES.has(words[0]!.text) && words.length > 2) return false
  if (words.length === 2)
    return firstScore(words[0]!.text) > 0.7 && firstScore(words[0]!.text) > firstScore(words[1]!.text) - 0.3
  if (words.length === 3 && last.length === 1)
    return firstScore(words[0]!.text) > 0.7 && firstScore(words[1]!.text) > -0.3
  return false
}

// Returns whether the words are first name and surname: 'RITA HOLT', 'MARY JO HOLT'. The person after '&' is often
// written so, also in files with surnames first.
function isWholeName(words: NameToken[]): boolean {
  const last = words.at(-1)!
  if (last.text.length === 1 || PARTICLES.has(words[0]!.text)) return false
  return firstScore(words[0]!.text) > 0.7 && firstScore(last.text) < -0.7
}

// Returns whether a person before '&' has no surname: 'John', 'John A' and 'Mary Ann' in 'Mary Ann & … Smith'.
function lacksSurname(segment: Segment): boolean {
  const { words } = segment
  if (words.length === 1) return !segment.titled || firstScore(words[0]!.text) > 0
  const last = words.at(-1)!
  if (last.text.length === 1) return true
  return words.length === 2 && firstScore(last.text) > 1 && surnameFrequency(last.text) < 5
}

function givenOnly(segment: Segment, last: NameToken[]): Draft {
  return { first: segment.words.slice(0, 1), middle: segment.words.slice(1), last, suffix: segment.suffix }
}

function draftOf(segment: Segment, order: NameOrder): Draft {
  const { words, suffix } = segment
  if (segment.beforeComma > 0) {
    const last = words.slice(0, segment.beforeComma)
    const given = words.slice(segment.beforeComma)
    return withTrailingParticles({ first: given.slice(0, 1), middle: given.slice(1), last, suffix })
  }
  if (words.length === 1) {
    const isLast = segment.titled || order === 'surname_first' || firstScore(words[0]!.text) < 0
    return { first: isLast ? [] : words, middle: [], last: isLast ? words : [], suffix }
  }
  return surnameLeads(words, order) ? surnameFirst(words, suffix) : givenFirst(words, suffix)
}

// Moves particles from the end to the surname: 'CRUZ, MARIA DE LA'.
function withTrailingParticles(draft: Draft): Draft {
  let at = draft.middle.length
  while (at > 0 && isFirmParticle(draft.middle[at - 1]!)) at--
  if (at === draft.middle.length) return draft
  return { ...draft, middle: draft.middle.slice(0, at), last: [...draft.middle.slice(at), ...draft.last] }
}

function isFirmParticle(token: NameToken): boolean {
  return PARTICLES.has(token.text) && !DOUBTFUL_PARTICLES.has(token.text)
}

// Returns whether the first word is a surname. The declared order decides, unless `isPlainlyTurned` finds strong
// evidence against it.
function surnameLeads(words: NameToken[], order: NameOrder): boolean {
  const first = words[0]!
  const last = words.at(-1)!
  const natural = firstScore(first.text) - firstScore(last.text)
  if (order === 'surname_first') {
    const initialBetween = words.length === 3 && words[1]!.text.length === 1 && last.text.length > 1
    return !(initialBetween && natural > 4)
  }
  if (order === 'given_first') return isPlainlyTurned(words)
  const leads = PARTICLES.has(first.text) && words.length > 2 && first.text.length > 1
  if (leads && !(DOUBTFUL_PARTICLES.has(first.text) && firstScore(first.text) > 0)) return true
  if (PARTICLES.has(words[1]!.text) && words.length > 2 && words[1]!.text.length > 1) return false
  if (last.text.length === 1) return words.length > 2 ? natural < 0.5 : firstScore(first.text) < -1.5
  if (first.text.length === 1 || (words.length === 3 && words[1]!.text.length === 1)) return false
  // The first word is taken for a surname only when a later word is a given name.
  const given = Math.max(firstScore(words[1]!.text), firstScore(last.text))
  return natural < -1 && given > 0
}

/**
 * In log10 odds: first-name score of the first word minus that of the last. Below this limit the surname comes first.
 */
const TURNED_AT = -3

// Returns whether a name begins with its surname in a file with first names first: 'Swanson Peter A', 'Glowacki Julie'.
// The odds must be a thousand to one.
function isPlainlyTurned(words: readonly NameToken[]): boolean {
  const last = words.at(-1)!
  if (words.length === 2) return firstScore(words[0]!.text) - firstScore(last.text) < TURNED_AT
  if (words.length !== 3 || words[1]!.text.length === 1) return false
  // 'Nguyen Thi Hoa': a Vietnamese name with the surname first.
  if (VIETNAMESE.has(words[0]!.text) && (words[1]!.text === 'THI' || words[1]!.text === 'VAN')) return true
  // 'Petroshius Douglas Joseph': a word that the Census does not list, before two given names.
  const isUnknown = nameFrequency(words[0]!.text) === undefined
  if (
    isUnknown &&
    words[0]!.text.length > 2 &&
    firstScore(words[1]!.text) > 0.7 &&
    firstScore(last.text) > 0.7
  )
    return true
  const given =
    last.text.length === 1
      ? firstScore(words[1]!.text)
      : Math.min(firstScore(words[1]!.text), firstScore(last.text))
  return given > 0.5 && firstScore(words[0]!.text) - given < -2
}

function givenFirst(words: NameToken[], suffix: string | null): Draft {
  let at = words.length - 1
  while (at > 1 && continuesSurname(words, at - 1)) at--
  // 'LUIS ORTIZ Y VEGA': both surnames around Y belong together.
  if (words[at]!.text === 'Y' && at > 1) at--
  // 'MIGUEL A PEREZ SANTOS': after a middle initial, the third word begins the surname.
  if (at === 3 && words.length === 4 && words[1]!.text.length === 1 && firstScore(words[2]!.text) < -1) at = 2
  // 'Van Dyk': the second of three words is a particle of the surname, so only the first word is a given name.
  if (at === 1 && words.length > 2)
    return { first: words.slice(0, 1), middle: [], last: words.slice(1), suffix }
  return { first: words.slice(0, 1), middle: words.slice(1, at), last: words.slice(at), suffix }
}

function continuesSurname(words: NameToken[], i: number): boolean {
  const { text } = words[i]!
  if (!PARTICLES.has(text)) return false
  return text.length > 1 || words[i]!.shown.includes("'") || (text === 'Y' && i > 1)
}

function surnameFirst(words: NameToken[], suffix: string | null): Draft {
  let end = 1
  // 'ORTIZ Y VEGA LUIS', 'RODRIGUEZ DE FLORES MARISOL': a surname of three words comes first.
  const joins = words.length > 3 && (words[1]!.text === 'Y' || words[1]!.text === 'DE')
  if (joins && words[3]!.text.length > 1 && !isSplitGiven(words[1]!, words[2]!)) end = 3
  while (end < words.length - 1 && PARTICLES.has(words[end - 1]!.text) && leadsSurname(words, end - 1)) end++
  // 'GARCIA LOPEZ MARIA': two surnames. The second word is no first name, and a first name follows.
  if (end === 1 && words.length >= 3 && isSecondSurname(words)) end = 2
  return { first: words.slice(end, end + 1), middle: words.slice(end + 1), last: words.slice(0, end), suffix }
}

function leadsSurname(words: NameToken[], i: number): boolean {
  const { text } = words[i]!
  if (text.length === 1) return false
  if (!DOUBTFUL_PARTICLES.has(text) || i > 0) return true
  // 'LA ROSA ANTHONY': LA alone is not a surname.
  if (
    words.length > 2 &&
    NO_SURNAMES.has(text) &&
    words[2]!.text.length > 1 &&
    firstScore(words[2]!.text) > 0
  )
    return true
  // 'LE CORY A' is Cory Le, 'LE BLANC CORY' is Cory Le Blanc.
  return words.length > 2 && (firstScore(words[1]!.text) < 0.5 || PARTICLES.has(words[1]!.text))
}

const NO_SURNAMES = new Set(['LA', 'EL', 'DA', 'DU', 'DEL', 'SAN', 'SANTA', 'SAINT', 'STE', 'BEN', 'ABU'])

function isSecondSurname(words: NameToken[]): boolean {
  const second = words[1]!
  const third = words[2]!
  return (
    second.text.length > 1 &&
    third.text.length > 1 &&
    firstScore(second.text) < -1.5 &&
    surnameFrequency(second.text) > 1 &&
    firstScore(third.text) > 0.3
  )
}

function personOf(draft: Draft): PersonName {
  const shown = [...draft.first, ...draft.middle, ...draft.last].map((token) =>
    token.shown.split(' ').map(titleWord).join(' '),
  )
  if (draft.suffix !== null)
    shown.push(
      draft.suffix.length === 2 && draft.suffix !== 'II' && draft.suffix !== 'IV' && draft.suffix !== 'VI'
        ? titleWord(draft.suffix)
        : draft.suffix,
    )
  return {
    first: textOf(draft.first),
    middle: textOf(draft.middle),
    last: textOf(draft.last),
    suffix: draft.suffix,
    display: shown.join(' '),
  }
}

/** Joins the words with spaces; null for no words. */
export function textOf(tokens: NameToken[]): string | null {
  if (tokens.length === 0) return null
  return tokens.length === 1 ? tokens[0]!.text : tokens.map((token) => token.text).join(' ')
}
