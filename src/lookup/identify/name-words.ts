import { nameFrequency } from '../../normalize/name-frequencies.ts'
import { nicknameFit, nicknamesOf, oppositeSex } from '../../normalize/nicknames.ts'
import { phoneticKey } from '../../normalize/phonetic.ts'
import { damerauLevenshtein, jaroWinkler } from '../../normalize/similarity.ts'
import { editLimit } from '../format/deletions.ts'
import { populationCount } from '../../population-count.ts'
import { Recent } from '../../recent.ts'
import { ALIKE, forMistyped } from '../search/find-similar-words.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { Workspace } from '../snapshot/workspace.ts'
import type { Agreement } from './agreement.ts'
import { NAME } from './weights.ts'

/**
 * The result of comparing a word of the row with a word of a person's name. The weight is the natural
 * logarithm of a likelihood ratio.
 */
export interface Judged {
  readonly agreement: Agreement
  readonly weight: number
}

/** A word of a row's name, with facts about it. The facts are cached because names repeat in many rows. */
export interface NameWord {
  readonly text: string
  /** The number in the snapshot's dictionary; −1 when no name has the word. */
  readonly number: number
  /** The share of the snapshot's people who have the word. */
  readonly share: number
  /** The set of its letters (`lettersOf`). */
  readonly letters: number
  /** Word numbers of nicknames, and of the names that the word is a nickname of. */
  readonly nicknames: readonly number[]
  /** The result for a person who has exactly this word. */
  readonly same: Judged
  typos: Typos | null
  corrections: readonly number[] | null
}

/** The corrections that a rare word may be a typo of, by one edit. */
export interface Typos {
  /** The share of all written words that are typos and give this word. */
  readonly share: number
  /** Word numbers of the nicknames of all corrections: TRSIH may be TRISH, a nickname of PATRICIA. */
  readonly names: ReadonlySet<number>
}
const OTHER_FIRST: Judged = { agreement: 'other', weight: NAME.otherFirst }
const OTHER_LAST: Judged = { agreement: 'other', weight: NAME.otherLast }
const NO_TYPOS: Typos = { share: 0, names: new Set() }

// Frequent names appear in most rows, so a cache of this size has nearly all words of an input file.
const MAX_WORDS = 20_000
const MAX_CORRECTIONS = 60
/** A word that at most this many people have may be a typo. */
const RARE = 3
/** The limit as a share of all people, if it is higher: in a large snapshot the same typo occurs more often. */
const RARE_SHARE = 2e-5
/** The factor by which the limit is higher for words that the Census does not list as a name, such as JHN. */
const UNLISTED = 4

/** Compares words of rows' names with words of people's names. */
export class NameWords {
  readonly #index: Index
  readonly #workspace: Workspace
  readonly #known = new Recent<NameWord>(MAX_WORDS)
  readonly #rare: number
  /** By word number, the set of its letters (`lettersOf`). */
  readonly #letters: Uint32Array

  /** By word number: 1 when the word is known to have no nickname. */
  readonly #hasNoNickname: Uint8Array

  constructor(index: Index, workspace: Workspace) {
    const { personCount } = index
    this.#hasNoNickname = new Uint8Array(index.words.size)
    this.#index = index
    this.#workspace = workspace
    this.#rare = Math.max(RARE, personCount * RARE_SHARE)
    this.#letters = Uint32Array.from({ length: index.words.size }, (_, word) =>
      lettersOf(index.words.text(word)),
    )
  }

  word(text: string): NameWord {
    return this.#known.get(text, () => {
      const { words, columns, personCount } = this.#index
      const number = words.find(text)
      const share = number < 0 ? 0 : columns.word_people[number]! / personCount
      return {
        text,
        number,
        share,
        letters: lettersOf(text),
        nicknames: this.#nicknames(text),
        same: { agreement: 'same', weight: Math.log(NAME.same / share) },
        typos: null,
        corrections: null,
      }
    })
  }

  #nicknames(text: string): readonly number[] {
    const { words } = this.#index
    return nicknamesOf(text)
      .filter((nickname) => nicknameFit(text, nickname) > 0)
      .map((nickname) => words.find(nickname))
      .filter((number) => number >= 0)
  }

  /** Compares a word as a first name. */
  judgeFirst(wanted: NameWord, number: number): Judged {
    if (number === wanted.number) return wanted.same
    if (
      this.#areUnlike(wanted, number) &&
      !wanted.nicknames.includes(number) &&
      !this.typosOf(wanted).names.has(number)
    )
      return OTHER_FIRST
    return this.#judge(wanted, number, true)
  }

  /** Compares a word as a surname. */
  judgeLast(wanted: NameWord, number: number): Judged {
    if (number === wanted.number) return wanted.same
    if (this.#areUnlike(wanted, number)) return OTHER_LAST
    return this.#judge(wanted, number, false)
  }

  /**
   * Returns true for most pairs: so many letters differ that no comparison of sound, typos, initials or parts
   * can succeed.
   */
  #areUnlike({ letters }: NameWord, number: number): boolean {
    const theirs = this.#letters[number]!
    return (
      populationCount(letters ^ theirs) > SOUND_LETTERS &&
      (letters & ~theirs) !== 0 &&
      (theirs & ~letters) !== 0
    )
  }

  /** Returns whether so few people have a word that it probably is a typo. */
  isRare({ number, text }: NameWord): boolean {
    const people = number < 0 ? 0 : this.#index.columns.word_people[number]!
    return people <= this.#rare || (people <= this.#rare * UNLISTED && nameFrequency(text) === undefined)
  }

  /** Returns the corrections of a rare word; none for other words. */
  typosOf(wanted: NameWord): Typos {
    return (wanted.typos ??=
      this.isRare(wanted) && wanted.text.length > 1 ? this.#findTypos(wanted) : NO_TYPOS)
  }

  // Only typos of one edit count. Typos of two edits are much rarer, and finding their corrections takes
  // several times as long.
  #findTypos({ text, number, letters }: NameWord): Typos {
    const { words, columns, personCount } = this.#index
    const names = new Set<number>()
    let writers = 0
    const add = (word: number): void => {
      if (word === number) return
      writers += columns.word_people[word]!
      for (const nickname of this.nicknamesOfWord(word)) names.add(words.find(nickname))
    }
    forMistyped(this.#index, this.#workspace, text, 1, add, (word) => this.#mayBeTypo(letters, word, 1))
    return { share: (NAME.oneEdit * writers) / personCount, names }
  }

  /** Returns the nicknames of a word of the snapshot. Most words are surnames, and have none. */
  nicknamesOfWord(word: number): readonly string[] {
    if (this.#hasNoNickname[word] === 1) return []
    const names = nicknamesOf(this.#index.words.text(word))
    if (names.length === 0) this.#hasNoNickname[word] = 1
    return names
  }

  /** Returns the words that a rare word may be a typo of, most frequent first. */
  correctionsOf(wanted: NameWord): readonly number[] {
    return (wanted.corrections ??=
      this.isRare(wanted) && wanted.text.length > 1 ? this.#findCorrections(wanted) : [])
  }

  #findCorrections(wanted: NameWord): readonly number[] {
    const { word_people } = this.#index.columns
    const writers: [word: number, weight: number][] = []
    const limit = editLimit(wanted.text)
    const add = (word: number, edits: 1 | 2): void => {
      if (word !== wanted.number)
        writers.push([word, (edits === 1 ? NAME.oneEdit : NAME.twoEdits) * word_people[word]!])
    }
    forMistyped(this.#index, this.#workspace, wanted.text, limit, add, (word) =>
      this.#mayBeTypo(wanted.letters, word, limit),
    )
    writers.sort(([, left], [, right]) => right - left)
    return writers.slice(0, MAX_CORRECTIONS).map(([word]) => word)
  }

  /** Returns whether the sets of letters allow `limit` edits; one edit changes at most two letters. */
  #mayBeTypo(letters: number, number: number, limit: number): boolean {
    return populationCount(letters ^ this.#letters[number]!) <= 2 * limit
  }

  /** Returns the probability that any person writes the word, correctly or by a typo. */
  #anybody(wanted: NameWord): number {
    return Math.max(wanted.share, this.typosOf(wanted).share)
  }

  #judge(wanted: NameWord, number: number, isFirst: boolean): Judged {
    const { words, columns, personCount } = this.#index
    const share = columns.word_people[number]! / personCount
    const text = words.text(number)
    if (text.length === 1 || wanted.text.length === 1) return initials(wanted.text, text, isFirst)
    if (isFirst && (wanted.nicknames.includes(number) || isShortForm(wanted.text, text))) {
      const nickname = NAME.nickname * nicknameFit(wanted.text, text)
      const weight = Math.log(nickname / Math.max(wanted.share, nickname * NAME.neighbours * share))
      return { agreement: 'nickname', weight: Math.min(weight, NAME.maxNickname) }
    }
    return this.#typo(wanted, number, text, share, isFirst) ?? (isFirst ? OTHER_FIRST : OTHER_LAST)
  }

  #typo(wanted: NameWord, number: number, text: string, share: number, isFirst: boolean): Judged | null {
    const weight = (probability: number, neighbours = 1): number =>
      Math.log(probability / Math.max(this.#anybody(wanted), probability * neighbours * share))
    const letters = populationCount(wanted.letters ^ this.#letters[number]!)
    const limit = editLimit(wanted.text)
    const edits = letters > 2 * limit ? 3 : damerauLevenshtein(wanted.text, text, limit)
    if (edits === 1) {
      // The typo may be in the row or in the record.
      const ofRecord = Math.min(NAME.recordTypo / share, NAME.maxRecordTypo / wanted.share)
      return { agreement: 'mistyped', weight: Math.max(weight(NAME.oneEdit), Math.log(ofRecord)) }
    }
    // Names such as ERIN and ERNIE sound alike, but belong to different sexes.
    const isOther = isFirst && oppositeSex(wanted.text, text)
    if (letters <= SOUND_LETTERS && !isOther && soundsAlike(wanted.text, text))
      return { agreement: 'sounds', weight: weight(NAME.sound) }
    if (edits === 2 && limit === 2) return { agreement: 'mistyped', weight: weight(NAME.twoEdits, NAME.neighbours) } // prettier-ignore
    if (isFirst && this.typosOf(wanted).names.has(number))
      return { agreement: 'mistyped', weight: Math.min(weight(NAME.nickname * NAME.oneEdit), NAME.maxNickname) } // prettier-ignore
    return null
  }
}

function initials(wanted: string, text: string, isFirst: boolean): Judged {
  if (wanted[0] === text[0])
    return { agreement: 'initial', weight: isFirst ? NAME.initial : NAME.lastInitial }
  if (isFirst && startsNickname(wanted, text)) return { agreement: 'initial', weight: NAME.nicknameInitial }
  return isFirst ? OTHER_FIRST : OTHER_LAST
}

/** B is the initial of BILL, a nickname of WILLIAM. */
function startsNickname(left: string, right: string): boolean {
  const [initial, name] = left.length === 1 ? [left, right] : [right, left]
  return nicknamesOf(name).some((nickname) => nickname[0] === initial)
}

/**
 * Returns whether one name is a short form of the other: LIAM of WILLIAM, BETH of ELIZABETH, but not PAUL of
 * PAULA.
 */
function isShortForm(wanted: string, text: string): boolean {
  const [shorter, longer] = text.length < wanted.length ? [text, wanted] : [wanted, text]
  if (shorter.length < 3 || longer.length < shorter.length + 2) return false
  return (longer.startsWith(shorter) || longer.endsWith(shorter)) && !oppositeSex(shorter, longer)
}

// The most letters in which words that sound alike differ. KATHRYN and CATHERINE differ in four.
const SOUND_LETTERS = 5

function soundsAlike(left: string, right: string): boolean {
  if (jaroWinkler(left, right) <= ALIKE) return false
  const sound = phoneticKey(left)
  return sound !== '' && sound === phoneticKey(right)
}

/**
 * Returns a set of letters, one bit each. One edit changes at most two bits, so most pairs of words need no
 * further comparison.
 */
function lettersOf(text: string): number {
  let bits = 0
  for (let i = 0; i < text.length; i++) bits |= 1 << (text.charCodeAt(i) & 31)
  return bits
}
