import { parseName } from '../../normalize/name.ts'
import { type Columns, TOKEN } from '../format/columns.ts'
import type { PersonQuery } from './queries.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { Workspace } from '../snapshot/workspace.ts'
import { NOBODY, posting } from '../format/store.ts'
import { NOTHING_SIMILAR, type SimilarWords } from '../snapshot/similar-words.ts'
import { similarWords, WORD_QUALITY } from './find-similar-words.ts'
import { type AnyWord, peopleWithBoth } from '../snapshot/word-pairs.ts'
import { withoutSuffixes, wordsOf } from '../format/words.ts'

/** Compares the requested name with the names of people. One whole name of the person must match. */
export interface NameMatcher {
  /** Returns person numbers that include everyone who matches, in any order. */
  candidates(): Uint32Array
  /**
   * Returns the quality of the best of a person's names, from 0 to 1; 0 when none matches. An exact match has
   * at least EXACT, a fuzzy match less.
   */
  quality(person: number): number
}

export const EXACT = 0.85
const PRIMARY = 1
const ALIAS = 0.95
const PARTIAL = 0.9
const FUZZY = 0.84
/** The quality of a requested middle name that the person's record lacks. */
const MISSING_MIDDLE = 0.7

interface AskedWord {
  readonly word: string
  /** The TOKEN role that the word must have; 0 for any role. */
  readonly role: number
}

/** The name of a query, as words. */
export interface AskedName {
  readonly words: readonly AskedWord[]
  /**
   * Whether the words are whole parts of a name (first_name and so on). Then the part may contain no other
   * word.
   */
  readonly isParts: boolean
}

/** Returns the name of a query in normalised form; null when the query has none. */
export function askedName(
  query: Pick<PersonQuery, 'name' | 'first_name' | 'middle_name' | 'last_name'>,
): AskedName | null {
  if (query.name !== undefined) {
    const words = withoutSuffixes(wordsOf(query.name)).map((word) => ({ word, role: 0 }))
    return { words, isParts: false }
  }
  const { first_name, middle_name, last_name } = query
  if (first_name === undefined && middle_name === undefined && last_name === undefined) return null
  // Uses the parser of normalisation, so that 'O’Brien' or 'McDonald Jr.' give the words that the tables
  // have.
  const parts = `${last_name ?? ''}\t${first_name ?? ''}\t${middle_name ?? ''}\t`.replace(/[\r\n]/g, ' ')
  const parsed = parseName(parts, 'parts').people[0]
  const words: AskedWord[] = []
  for (const [role, text, read] of [
    [TOKEN.FIRST, first_name, parsed?.first],
    [TOKEN.MIDDLE, middle_name, parsed?.middle],
    [TOKEN.LAST, last_name, parsed?.last],
  ] as const) {
    if (text !== undefined) for (const word of wordsOf(read ?? text)) words.push({ word, role })
  }
  return { words, isParts: true }
}

/** Matches people with a name that has exactly the requested parts, or all requested words as whole words. */
export function exactName(index: Index, asked: AskedName): NameMatcher {
  const wanted = asked.words.map(({ word, role }) => ({ number: index.words.find(word), role }))
  if (wanted.length === 0 || wanted.some(({ number }) => number < 0)) return NO_ONE
  const tokens = Uint32Array.from(wanted, ({ number, role }) => role + number)
  const roles = new Set(wanted.map(({ role }) => role))
  const fits = asked.isParts
    ? (from: number, to: number) => hasParts(index.columns.name_tokens, from, to, tokens, roles)
    : (from: number, to: number) => hasWords(index.columns.name_tokens, from, to, tokens)
  return {
    candidates: () => peopleWithWords(index, wanted.map(({ number }) => number)), // prettier-ignore
    quality: (person) => bestName(index, person, (from, to) => (fits(from, to) ? 1 : 0)),
  }
}

/**
 * Matches people with a name whose words begin with the requested words. Each requested word needs a word of
 * its own.
 */
export function partialName(index: Index, workspace: Workspace, asked: AskedName): NameMatcher {
  const wanted = asked.words.map(({ word, role }): Wanted => {
    const { low, high } = index.words.prefix(word)
    return {
      role,
      low,
      high,
      rangeQuality: PARTIAL,
      mayMiss: false,
      similar: NOTHING_SIMILAR,
      fuzzy: null,
    }
  })
  return similarName(index, workspace, wanted, 1)
}

/**
 * Matches people with a name whose words are similar to the requested ones in sound, spelling or typing. This
 * includes exact matches.
 */
export function fuzzyName(index: Index, workspace: Workspace, asked: AskedName): NameMatcher {
  const wanted = asked.words.map(({ word, role }): Wanted => {
    const similar = similarWords(index, workspace, word)
    const { low, high } = similar.initials ?? { low: 0, high: 0 }
    const mayMiss = role === TOKEN.MIDDLE && asked.words.length > 1
    const fuzzy = word.length === 1 ? 'letter' : 'word'
    return { role, low, high, rangeQuality: WORD_QUALITY.initial, mayMiss, similar, fuzzy }
  })
  return similarName(index, workspace, wanted, FUZZY)
}

interface Wanted {
  readonly role: number
  /**
   * Word numbers from `low` up to `high` (exclusive) match with `rangeQuality`. The words of `similar` match
   * with their own quality.
   */
  readonly low: number
  readonly high: number
  readonly rangeQuality: number
  readonly mayMiss: boolean
  readonly similar: SimilarWords
  /**
   * For a fuzzy search, whether the requested word is a single letter; null for other searches. An initial
   * never matches a whole last name.
   */
  readonly fuzzy: 'letter' | 'word' | null
}

// Longer names are not searched, because every assignment of requested words to a name's words is tried.
const MAX_WORDS = 8
const NO_ONE: NameMatcher = { candidates: () => NOBODY, quality: () => 0 }

function similarName(
  index: Index,
  workspace: Workspace,
  wanted: readonly Wanted[],
  scale: number,
): NameMatcher {
  if (
    wanted.length === 0 ||
    wanted.length > MAX_WORDS ||
    wanted.some((one) => one.low === one.high && one.similar.words.length === 0 && !one.mayMiss)
  ) {
    return NO_ONE
  }
  const { columns } = index
  const similar = wanted.map((one) => one.similar)
  return {
    candidates: () => peopleWithSimilarWords(index, workspace, wanted),
    quality(person) {
      const hundredths = workspace.qualities.of(similar)
      return bestName(index, person, (from, to) => {
        const sum = bestSum(columns, from, to, wanted, hundredths, 0, 0, 0)
        return sum === 0 ? 0 : (scale * sum) / wanted.length
      })
    },
  }
}

/** Returns the highest value of `fit` over a person's names. Other names than the primary one count less. */
function bestName(index: Index, person: number, fit: (from: number, to: number) => number): number {
  const { name_tokens, person_name_start } = index.columns
  const end = person_name_start[person + 1]!
  let best = 0
  for (let from = person_name_start[person]!; from < end;) {
    let to = from + 1
    while (to < end && name_tokens[to]! < TOKEN.NEW_NAME) to++
    const fits = fit(from, to)
    if (fits > 0) {
      const quality = fits * ((name_tokens[from]! & TOKEN.PRIMARY) === 0 ? ALIAS : PRIMARY)
      if (quality > best) best = quality
    }
    from = to
  }
  return best
}

// The bits of a token that hold the role and the word number.
const WORD_IN_ROLE = TOKEN.ROLES | TOKEN.WORD

function hasParts(
  tokens: Uint32Array,
  from: number,
  to: number,
  wanted: Uint32Array,
  roles: Set<number>,
): boolean {
  let next = 0
  for (let i = from; i < to; i++) {
    const token = tokens[i]! & WORD_IN_ROLE
    if (next < wanted.length && token === wanted[next]) next++
    else if (roles.has(token & TOKEN.ROLES)) return false
  }
  return next === wanted.length
}

function hasWords(tokens: Uint32Array, from: number, to: number, wanted: Uint32Array): boolean {
  let used = 0
  for (const word of wanted) {
    let found = -1
    for (let i = from; i < to && found < 0; i++) {
      if ((tokens[i]! & TOKEN.WORD) === word && (used & (1 << (i - from))) === 0) found = i - from
    }
    if (found < 0) return false
    used |= 1 << found
  }
  return true
}

/**
 * Flags of the words assigned so far. BY_INITIAL: a whole requested word matched an initial in the record.
 * LAST_NAME: a word matched a part of the last name.
 */
const TAKEN = { BY_INITIAL: 1, LAST_NAME: 2 } as const

/**
 * Returns the greatest sum of qualities when each wanted word from `next` on matches a different word of the
 * name. Returns 0 when a wanted word matches none. A requested word may match an initial only if another word
 * matches the last name. Otherwise 'Lisa Harper' would match 'Lesa H Malone'.
 */
function bestSum(
  columns: Columns,
  from: number,
  to: number,
  wanted: readonly Wanted[],
  hundredths: readonly Uint8Array[],
  next: number,
  used: number,
  taken: number,
): number {
  const one = wanted[next]!
  const isLast = next === wanted.length - 1
  let best = 0
  let hasRole = false
  for (let i = from; i < to; i++) {
    const token = columns.name_tokens[i]!
    if (one.role !== 0 && (token & TOKEN.ROLES) !== one.role) continue
    hasRole = true
    if ((used & (1 << (i - from))) !== 0) continue
    const word = token & TOKEN.WORD
    const isLastName = (token & TOKEN.ROLES) >>> 0 === TOKEN.LAST
    const byInitial = one.fuzzy === 'word' && isLetter(columns, word)
    if (byInitial && isLastName) continue
    const quality = wordQuality(one, hundredths[next]!, word, isLastName)
    if (quality === 0) continue
    const now = taken | (byInitial ? TAKEN.BY_INITIAL : 0) | (isLastName ? TAKEN.LAST_NAME : 0)
    if (isLast && now === TAKEN.BY_INITIAL) continue
    const rest = isLast
      ? 0
      : bestSum(columns, from, to, wanted, hundredths, next + 1, used | (1 << (i - from)), now)
    if (isLast || rest > 0) best = Math.max(best, quality + rest)
  }
  if (best === 0 && one.mayMiss && !hasRole && !(isLast && taken === TAKEN.BY_INITIAL)) {
    const rest = isLast ? 0 : bestSum(columns, from, to, wanted, hundredths, next + 1, used, taken)
    if (isLast || rest > 0) best = MISSING_MIDDLE + rest
  }
  return best
}

function isLetter({ word_start }: Columns, word: number): boolean {
  return 1 === word_start[word + 1]! - word_start[word]!
}

function wordQuality(wanted: Wanted, hundredths: Uint8Array, word: number, isLastName: boolean): number {
  const own = hundredths[word]! / 100
  if (isLastName && wanted.fuzzy === 'letter') return own
  return word >= wanted.low && word < wanted.high ? Math.max(own, wanted.rangeQuality) : own
}

/**
 * Returns the people who have the first and the last of the words in one name. The caller checks the other
 * words.
 */
function peopleWithWords({ store, columns }: Index, words: readonly number[]): Uint32Array {
  const first = words[0]!
  // The last requested word usually is the surname. With the first name it makes the rarest pair that is
  // certain to be stored.
  if (words.length > 1) return peopleWithBoth(columns, first, words.at(-1)!)
  return posting(store.words.getBinaryFast(first))
}

/**
 * Returns the people who have words for the two rarest wanted words in one name. For a single wanted word,
 * returns everyone who has a word for it.
 */
function peopleWithSimilarWords(index: Index, workspace: Workspace, wanted: readonly Wanted[]): Uint32Array {
  const { store } = index
  const { pairs, people } = workspace
  const needed = wanted.some((one) => !one.mayMiss) ? wanted.filter((one) => !one.mayMiss) : wanted
  const [one, other] = needed
    .map((each) => ({ each, count: countPeople(index, each) }))
    .sort((a, b) => a.count - b.count)
    .map(({ each }) => each)
  if (other !== undefined) {
    pairs.addPeopleWithBoth(anyOf(one!), anyOf(other), people)
    return people.take()
  }
  for (let word = one!.low; word < one!.high; word++) people.addAll(store.words.getBinaryFast(word))
  for (const word of one!.similar.words) people.addAll(store.words.getBinaryFast(word))
  return people.take()
}

function anyOf({ low, high, similar }: Wanted): AnyWord {
  return { low, high, words: similar.words, pairs: similar.pairs }
}

function countPeople({ columns }: Index, wanted: Wanted): number {
  let count = wanted.similar.peopleCount
  for (let word = wanted.low; word < wanted.high; word++) count += columns.word_people[word]!
  return count
}
