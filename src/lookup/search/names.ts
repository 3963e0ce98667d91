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

/** What is asked of a person's name. Of a person's names one must fit as a whole. */
export interface NameMatcher {
  /** A number of people that surely holds all that fit, in no order. */
  candidates(): Uint32Array
  /** How well the best of a person's names fits, 0 to 1; 0 not at all. At least EXACT for an exact match, below it for a fuzzy one. */
  quality(person: number): number
}

export const EXACT = 0.85
const PRIMARY = 1
const ALIAS = 0.95
const PARTIAL = 0.9
const FUZZY = 0.84
/** A middle name that is asked for and that the record doesn't have. */
const MISSING_MIDDLE = 0.7

interface AskedWord {
  readonly word: string
  /** TOKEN role the word must stand in; 0 for any. */
  readonly role: number
}

export interface AskedName {
  readonly words: readonly AskedWord[]
  /** Whether the words are whole name parts (first_name …), which leave no other word in their part. */
  readonly isParts: boolean
}

/** The name that a query asks for, in the night's own form; null when it asks for none. */
export function askedName(
  query: Pick<PersonQuery, 'name' | 'first_name' | 'middle_name' | 'last_name'>,
): AskedName | null {
  if (query.name !== undefined) {
    const words = withoutSuffixes(wordsOf(query.name)).map((word) => ({ word, role: 0 }))
    return { words, isParts: false }
  }
  const { first_name, middle_name, last_name } = query
  if (first_name === undefined && middle_name === undefined && last_name === undefined) return null
  // Read as the night reads it, so that 'O’Brien' or 'McDonald Jr.' come out as they stand in the tables.
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

/** People of whom a name has exactly the asked parts, or all the asked words as whole words. */
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

/** People of whom a name has words that begin with the asked words, each asked word another. */
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

/** People of whom a name has words that sound, read or are typed like the asked ones; exact matches among them. */
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
  /** Word numbers from low up to high fit with `rangeQuality`; those of `similar` with their own. */
  readonly low: number
  readonly high: number
  readonly rangeQuality: number
  readonly mayMiss: boolean
  readonly similar: SimilarWords
  /** Whether a fuzzy search asks for a single letter. An initial is never a whole last name. */
  readonly fuzzy: 'letter' | 'word' | null
}

// Every way of giving words to words is tried, which only short names bear.
const MOST_WORDS = 8
const NO_ONE: NameMatcher = { candidates: () => NOBODY, quality: () => 0 }

function similarName(
  index: Index,
  workspace: Workspace,
  wanted: readonly Wanted[],
  scale: number,
): NameMatcher {
  if (
    wanted.length === 0 ||
    wanted.length > MOST_WORDS ||
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

/** The best of `fit` over a person's names, the primary name counting full. */
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

// The bits of a token that say role and word.
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

/** The effects of the words chosen so far: a record's initial took a whole asked word; a word took a part of the last name. */
const TAKEN = { BY_INITIAL: 1, LAST_NAME: 2 } as const

/**
 * The greatest sum of qualities when each wanted word from `next` on takes a word of its own; 0 when one finds none. An asked
 * word may take a record's initial only where another word takes the last name: 'Lisa Harper' is not 'Lesa H Malone'.
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

/** People with all the words in one name (by the first two words; the caller checks the rest). */
function peopleWithWords({ store, columns }: Index, words: readonly number[]): Uint32Array {
  const first = words[0]!
  // The last word asked is the surname's, which with the first name makes the rarest pair that is sure to be there.
  if (words.length > 1) return peopleWithBoth(columns, first, words.at(-1)!)
  return posting(store.words.getBinaryFast(first))
}

/** People who have, of the two wanted words that fit fewest people, any in one name; of a single word, any that fits it. */
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
