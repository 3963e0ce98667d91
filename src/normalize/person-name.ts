import { isJoint } from './name-roles.ts'
import type { NameToken } from './name-tokens.ts'
import {
  CREDENTIALS,
  DOUBTFUL_CREDENTIALS,
  DOUBTFUL_PARTICLES,
  firstNameFrequency,
  GENERATIONS,
  PARTICLES,
  surnameFrequency,
  TITLE_LEADS,
  TITLES,
} from './name-words.ts'
import { titleWord } from './title-case.ts'

export interface PersonName {
  first: string | null
  middle: string | null
  last: string | null
  suffix: string | null
  display: string
}

export type NameOrder = 'surname_first' | 'given_first' | 'parts' | 'unknown'

interface Segment {
  words: NameToken[]
  suffix: string | null
  titled: boolean
  /** How many words stand before the comma of 'LAST, FIRST'; 0 without one. */
  beforeComma: number
}

interface Draft {
  first: NameToken[]
  middle: NameToken[]
  last: NameToken[]
  suffix: string | null
}

/** The people of a field, one after another. A spouse without a surname of its own gets the other's. */
export function readPeople(tokens: NameToken[], order: NameOrder): PersonName[] {
  const segments = splitPeople(tokens)
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
    } else drafts.push(draftOf(segment, order))
  }
  fillForward(drafts)
  return drafts.filter((draft) => draft !== null).map(personOf)
}

function lastDraft(drafts: (Draft | null)[]): Draft | null {
  return drafts.findLast((draft) => draft !== null) ?? null
}

// 'John A & Mary B Smith': those before take the surname of the one behind.
function fillForward(drafts: (Draft | null)[]): void {
  for (let i = drafts.length - 2; i >= 0; i--) {
    const draft = drafts[i]
    const next = drafts[i + 1]
    if (draft && next && draft.last.length === 0) draft.last = next.last
  }
}

function splitPeople(tokens: NameToken[]): NameToken[][] {
  const people: NameToken[][] = []
  let current: NameToken[] = []
  for (const token of tokens) {
    if (isJoint(token)) {
      if (current.length > 0) people.push(current)
      current = []
    } else current.push(token)
  }
  if (current.length > 0) people.push(current)
  return people
}

// Takes titles, generations, degrees, nicknames and figures off; joins 'MC DONALD' and 'O BRIEN'.
function readSegment(tokens: NameToken[], order: NameOrder): Segment {
  const asides = tokens.filter((token) => token.aside && !GENERATIONS.has(token.text))
  let words =
    asides.length === 0 || asides.length === tokens.length
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
    const generation = generationOf(words, i)
    const drop =
      generation !== null ||
      isCredential(words, i, kept.length) ||
      isFigure(word.text) ||
      (i > 0 && comma === kept.length && isTitle(words, i))
    if (generation !== null) suffix = generation
    if (!drop) kept.push(word)
    // The comma behind 'SMITH' or 'SMITH JR' parts last from first; one behind the first name or before a degree doesn't.
    if (word.comma && comma === 0 && kept.length > 0 && i + 1 < words.length) comma = kept.length
  }
  if (comma >= kept.length || isStrayComma(kept, comma, order)) comma = 0
  const joined = joinPrefixes(kept)
  if (comma > 0 && joined.length < kept.length) comma = Math.max(1, comma - (kept.length - joined.length))
  return { words: joined, suffix, titled, beforeComma: comma }
}

// 'Jane Q, Roe' and 'ROE JOHN, A': the comma doesn't part a surname from the names behind it.
function isStrayComma(words: NameToken[], comma: number, order: NameOrder): boolean {
  if (comma < 2) return false
  const behind = words.slice(comma)
  if (order === 'surname_first')
    return behind.every(({ text }) => text.length === 1) && firstScore(words[comma - 1]!) > 1
  const initialBefore = comma === 2 && words[1]!.text.length === 1
  return initialBefore && behind.length === 1 && firstScore(words[0]!) > 1
}

// Where surnames lead, 'BISHOP SCOTT A' is Scott Bishop.
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

// Titles that are names too: with another word only, they are the name ('Judge Smith' has no first name to lose).
const NAME_TITLES = new Set(['MAJ', 'ALDERMAN', 'CAPTAIN', 'GOVERNOR', 'DOCTOR', 'SERGEANT', 'COLONEL', 'FATHER', 'PROFESSOR', 'SECRETARY', 'OFFICER', 'MADAM', 'SIR', 'ELDER', 'BISHOP', 'MAJOR', 'JUDGE', 'LADY', 'GEN', 'REP', 'FR', 'PASTOR', 'COACH', 'CAPT', 'SIS', 'BRO', 'MAYOR', 'LORD', 'DAME', 'PRESIDENT']) // prettier-ignore

function generationOf(words: NameToken[], i: number): string | null {
  if (i === 0) return null
  const { text } = words[i]!
  const known = GENERATIONS.get(text)
  if (known !== undefined)
    return words.length > 2 || i > 1 || known === 'JR' || known.startsWith('I') ? known : null
  return text === 'V' && i > 1 && i === words.length - 1 && words[i - 1]!.text.length > 1 && words.length > 3
    ? 'V'
    : null
}

function isCredential(words: NameToken[], i: number, kept: number): boolean {
  const { text } = words[i]!
  if (!CREDENTIALS.has(text)) return false
  // 'ROE, BSN, RN, JANE'
  if (kept === 1 && words[i]!.comma && words[i - 1]!.comma && i < words.length - 1) return true
  if (kept < 2) return false
  if (!DOUBTFUL_CREDENTIALS.has(text)) return true
  return (
    words[i - 1]!.comma ||
    CREDENTIALS.has(words[i - 1]!.text) ||
    kept >= 3 ||
    (i === words.length - 1 && !hasVowel(text))
  )
}

function hasVowel(text: string): boolean {
  for (const letter of text) if ('AEIOUY'.includes(letter)) return true
  return false
}

function isFigure(text: string): boolean {
  const code = text.charCodeAt(0)
  return code >= 48 && code <= 57
}

function joinPrefixes(words: NameToken[]): NameToken[] {
  const joined: NameToken[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    const next = words[i + 1]
    if (next !== undefined && !word.comma && joinsNext(word, next, i, words.length)) {
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

function joinsNext(word: NameToken, next: NameToken, i: number, count: number): boolean {
  if (next.text.length < 3) return false
  if (word.text === 'MC') return true
  if (word.text === 'MAC') return i + 2 === count && i > 0
  if (word.text !== 'O' && word.text !== 'D') return false
  if (word.shown.includes("'")) return true
  const whole = surnameFrequency(word.text + next.text)
  if (word.text === 'O' && i === 0 && count > 2 && whole > 0.1) return true
  return whole >= 1 && whole > surnameFrequency(next.text) && (i === 0 || i + 2 === count)
}

// Whether the words behind '&' are given names of somebody with the surname before it.
function inherits(segment: Segment, before: Draft, order: NameOrder): boolean {
  const { words } = segment
  if (segment.beforeComma > 0) return false
  const surname = before.last.map((token) => token.text).join(' ')
  if (words[0]!.text === before.last[0]!.text || words.at(-1)!.text === before.last.at(-1)!.text) return false
  if (words.length === 1) return (order !== 'given_first' && !segment.titled) || firstScore(words[0]!) > 0
  if (surname === '') return false
  const last = words.at(-1)!.text
  if (words.length === 2 && last.length === 1) return order !== 'given_first' || firstScore(words[0]!) > 0
  if (order === 'given_first') return false
  // 'MARY ANN', not 'JONES MARY': both words are given names, and the first is hardly a surname.
  if (PARTICLES.has(words[0]!.text) && words.length > 2) return false
  if (words.length === 2)
    return firstScore(words[0]!) > 0.7 && firstScore(words[0]!) > firstScore(words[1]!) - 0.3
  if (words.length === 3 && last.length === 1)
    return firstScore(words[0]!) > 0.7 && firstScore(words[1]!) > -0.3
  return false
}

// Ten-fold odds of being a first name rather than a surname.
function firstScore(token: NameToken): number {
  const text = token.text
  const space = text.indexOf(' ')
  const word = space > 0 ? text.slice(0, space) : text
  return Math.log10(firstNameFrequency(word) / surnameFrequency(word))
}

// 'John', 'John A', 'Mary Ann' before '& … Smith': no surname of their own.
function lacksSurname(segment: Segment): boolean {
  const { words } = segment
  if (words.length === 1) return !segment.titled || firstScore(words[0]!) > 0
  const last = words.at(-1)!
  if (last.text.length === 1) return true
  return words.length === 2 && firstScore(last) > 1 && surnameFrequency(last.text) < 5
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
    const isLast = segment.titled || order === 'surname_first' || firstScore(words[0]!) < 0
    return { first: isLast ? [] : words, middle: [], last: isLast ? words : [], suffix }
  }
  return surnameLeads(words, order) ? surnameFirst(words, suffix) : givenFirst(words, suffix)
}

// 'CRUZ, MARIA DE LA': the particles belong to the surname.
function withTrailingParticles(draft: Draft): Draft {
  let at = draft.middle.length
  while (at > 0 && isFirmParticle(draft.middle[at - 1]!)) at--
  if (at === draft.middle.length) return draft
  return { ...draft, middle: draft.middle.slice(0, at), last: [...draft.middle.slice(at), ...draft.last] }
}

function isFirmParticle(token: NameToken): boolean {
  return PARTICLES.has(token.text) && !DOUBTFUL_PARTICLES.has(token.text)
}

// The declared order is believed unless the words shout otherwise.
function surnameLeads(words: NameToken[], order: NameOrder): boolean {
  const first = words[0]!
  const last = words.at(-1)!
  const natural = firstScore(first) - firstScore(last)
  if (order === 'surname_first') {
    const initialBetween = words.length === 3 && words[1]!.text.length === 1 && last.text.length > 1
    return !(initialBetween && natural > 4)
  }
  if (order === 'given_first') return isPlainlyTurned(words)
  const leads = PARTICLES.has(first.text) && words.length > 2 && first.text.length > 1
  if (leads && !(DOUBTFUL_PARTICLES.has(first.text) && firstScore(first) > 0)) return true
  if (PARTICLES.has(words[1]!.text) && words.length > 2 && words[1]!.text.length > 1) return false
  if (last.text.length === 1) return words.length > 2 ? natural < 0.5 : firstScore(first) < -1.5
  if (first.text.length === 1 || (words.length === 3 && words[1]!.text.length === 1)) return false
  // Some word behind the first must be a given name before the first is taken for a surname.
  const given = Math.max(firstScore(words[1]!), firstScore(last))
  return natural < -1 && given > 0
}

// 'Swanson Peter A', 'Glowacki Julie' in a list of given names first: only when a thousand to one speaks for it.
function isPlainlyTurned(words: NameToken[]): boolean {
  const last = words.at(-1)!
  if (words.length === 2) return firstScore(words[0]!) - firstScore(last) < -3
  if (words.length !== 3 || words[1]!.text.length === 1) return false
  const given =
    last.text.length === 1 ? firstScore(words[1]!) : Math.min(firstScore(words[1]!), firstScore(last))
  return given > 0.5 && firstScore(words[0]!) - given < -2
}

function givenFirst(words: NameToken[], suffix: string | null): Draft {
  let at = words.length - 1
  while (at > 1 && continuesSurname(words, at - 1)) at--
  // 'MIGUEL A PEREZ SANTOS': behind a middle initial, a surname begins the surname.
  if (at === 3 && words.length === 4 && words[1]!.text.length === 1 && firstScore(words[2]!) < -1) at = 2
  // Two words before the last can't both be given when the one nearest is a particle of it ('Van Dyk').
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
  while (end < words.length - 1 && PARTICLES.has(words[end - 1]!.text) && leadsSurname(words, end - 1)) end++
  // 'GARCIA LOPEZ MARIA': two surnames, the second no first name and followed by one.
  if (end === 1 && words.length >= 3 && isSecondSurname(words)) end = 2
  return { first: words.slice(end, end + 1), middle: words.slice(end + 1), last: words.slice(0, end), suffix }
}

function leadsSurname(words: NameToken[], i: number): boolean {
  const { text } = words[i]!
  if (text.length === 1) return false
  if (!DOUBTFUL_PARTICLES.has(text) || i > 0) return true
  // 'LE CORY A' is Cory Le, 'LE BLANC CORY' is Cory Le Blanc.
  return words.length > 2 && (firstScore(words[1]!) < 0.5 || PARTICLES.has(words[1]!.text))
}

function isSecondSurname(words: NameToken[]): boolean {
  const second = words[1]!
  const third = words[2]!
  return (
    second.text.length > 1 &&
    third.text.length > 1 &&
    firstScore(second) < -1.5 &&
    surnameFrequency(second.text) > 1 &&
    firstScore(third) > 0.3
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

function textOf(tokens: NameToken[]): string | null {
  if (tokens.length === 0) return null
  return tokens.length === 1 ? tokens[0]!.text : tokens.map((token) => token.text).join(' ')
}
