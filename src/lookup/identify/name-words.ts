import { nameFrequency } from '../../normalize/name-frequencies.ts'
import { nicknameFit, nicknamesOf, oppositeSex } from '../../normalize/nicknames.ts'
import { phoneticKey } from '../../normalize/phonetic.ts'
import { damerauLevenshtein, jaroWinkler } from '../../normalize/similarity.ts'
import { editLimit } from '../format/deletions.ts'
import { populationCount } from '../../population-count.ts'
import { Recent } from '../../recent.ts'
import { ALIKE, forMistyped } from '../search/find-similar-words.ts'
import type { Shard, Snapshot } from '../snapshot/snapshot.ts'
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
  readonly numbers: WordNumbers
  /** The number of the snapshot's people who have the word. */
  readonly people: number
  /** The share of the snapshot's people who have the word. */
  readonly share: number
  /** The set of its letters (`lettersOf`). */
  readonly letters: number
  /** The nicknames, and the names that the word is a nickname of. */
  readonly nicknames: readonly WordNumbers[]
  /** By shard: the numbers of those words that the shard has. */
  readonly nicknamesIn: readonly (readonly number[])[]
  /** The result for a person who has exactly this word. */
  readonly same: Judged
  typos: Typos | null
  corrections: readonly Correction[] | null
}

/** The number of a word in the dictionary of each shard; −1 where no name has the word. */
export type WordNumbers = readonly number[]

/** A word of the snapshot that the row's word may be a typo of. */
export interface Correction {
  readonly text: string
  readonly numbers: WordNumbers
}

/** The corrections that a rare word may be a typo of, by one edit. */
export interface Typos {
  /** The share of all written words that are typos and give this word. */
  readonly share: number
  /** By shard: the numbers of the nicknames of all corrections: TRSIH may be TRISH, a nickname of PATRICIA. */
  readonly names: readonly ReadonlySet<number>[]
}
const OTHER_FIRST: Judged = { agreement: 'other', weight: NAME.otherFirst }
const OTHER_LAST: Judged = { agreement: 'other', weight: NAME.otherLast }
const NO_NAMES: ReadonlySet<number> = new Set()

// Frequent names appear in most rows, so a cache of this size has nearly all words of an input file.
const MAX_WORDS = 20_000
const MAX_CORRECTIONS = 60
/** A word that at most this many people have may be a typo. */
const RARE = 3
/** The limit as a share of all people, if it is higher: in a large snapshot the same typo occurs more often. */
const RARE_SHARE = 2e-5
/** The factor by which the limit is higher for words that the Census does not list as a name, such as JHN. */
const UNLISTED = 4

/** The words of rows' names, with what the snapshot knows about them. Counts are of all shards. */
export class NameWords {
  /** Compares the words with those of people of each shard. */
  readonly shards: readonly ShardWords[]
  readonly personCount: number
  readonly #known = new Recent<NameWord>(MAX_WORDS)
  readonly #rare: number
  readonly #noTypos: Typos
  /** Words that have a common number: numbers by text, and people by number. */
  readonly #commonNumbers = new Map<string, number>()
  readonly #commonPeople: number[] = []

  constructor({ shards, personCount }: Snapshot) {
    this.personCount = personCount
    this.shards = shards.map((shard, at) => new ShardWords(this, shard, at))
    this.#rare = Math.max(RARE, personCount * RARE_SHARE)
    this.#noTypos = { share: 0, names: shards.map(() => NO_NAMES) }
  }

  /** Returns the number of a text in the dictionary of each shard. */
  numbersOf(text: string): WordNumbers {
    return this.shards.map(({ index }) => index.words.find(text))
  }

  #peopleWith(numbers: WordNumbers): number {
    let people = 0
    for (const [at, { index }] of this.shards.entries())
      if (numbers[at]! >= 0) people += index.columns.word_people[numbers[at]!]!
    return people
  }

  /**
   * Returns a number for a text that is the same for all shards. Only words of people who were compared get one.
   */
  commonNumber(text: string): number {
    let number = this.#commonNumbers.get(text)
    if (number === undefined) {
      number = this.#commonPeople.length
      this.#commonNumbers.set(text, number)
      this.#commonPeople.push(this.#peopleWith(this.numbersOf(text)))
    }
    return number
  }

  /** Returns how many people have a word, by its common number (`ShardWords.common`). */
  peopleOf(common: number): number {
    const [only] = this.shards
    return this.shards.length === 1 ? only!.index.columns.word_people[common]! : this.#commonPeople[common]!
  }

  word(text: string): NameWord {
    return this.#known.get(text, () => {
      const numbers = this.numbersOf(text)
      const people = this.#peopleWith(numbers)
      const share = people / this.personCount
      const nicknames = this.#nicknames(text)
      return {
        text,
        numbers,
        people,
        share,
        letters: lettersOf(text),
        nicknames,
        nicknamesIn: this.shards.map((_, at) => nicknames.map((one) => one[at]!).filter((one) => one >= 0)),
        same: { agreement: 'same', weight: Math.log(NAME.same / share) },
        typos: null,
        corrections: null,
      }
    })
  }

  #nicknames(text: string): readonly WordNumbers[] {
    return nicknamesOf(text)
      .filter((nickname) => nicknameFit(text, nickname) > 0)
      .map((nickname) => this.numbersOf(nickname))
      .filter((numbers) => numbers.some((number) => number >= 0))
  }

  /** Returns whether so few people have a word that it probably is a typo. */
  isRare({ people, text }: NameWord): boolean {
    return people <= this.#rare || (people <= this.#rare * UNLISTED && nameFrequency(text) === undefined)
  }

  /** Returns the corrections of a rare word; none for other words. */
  typosOf(wanted: NameWord): Typos {
    return (wanted.typos ??=
      this.isRare(wanted) && wanted.text.length > 1 ? this.#findTypos(wanted) : this.#noTypos)
  }

  // Only typos of one edit count. Typos of two edits are much rarer, and finding their corrections takes
  // several times as long.
  #findTypos(wanted: NameWord): Typos {
    const nicknames = new Set<string>()
    let writers = 0
    for (const [at, shard] of this.shards.entries()) {
      shard.forCorrections(wanted, 1, (word) => {
        if (word === wanted.numbers[at]) return
        writers += shard.index.columns.word_people[word]!
        for (const nickname of shard.nicknamesOfWord(word)) nicknames.add(nickname)
      })
    }
    const names = this.shards.map(
      ({ index }) => new Set(Array.from(nicknames, (nickname) => index.words.find(nickname))),
    )
    return { share: (NAME.oneEdit * writers) / this.personCount, names }
  }

  /** Returns the words that a rare word may be a typo of, most frequent first. */
  correctionsOf(wanted: NameWord): readonly Correction[] {
    return (wanted.corrections ??=
      this.isRare(wanted) && wanted.text.length > 1 ? this.#findCorrections(wanted) : [])
  }

  #findCorrections(wanted: NameWord): readonly Correction[] {
    const limit = editLimit(wanted.text)
    const found = new Map<string, { text: string; numbers: number[]; likelihood: number; people: number }>()
    for (const [at, shard] of this.shards.entries()) {
      const { words, columns } = shard.index
      shard.forCorrections(wanted, limit, (word, edits) => {
        if (word === wanted.numbers[at]) return
        const text = words.text(word)
        let one = found.get(text)
        if (one === undefined) {
          const likelihood = edits === 1 ? NAME.oneEdit : NAME.twoEdits
          one = { text, numbers: this.shards.map(() => -1), likelihood, people: 0 }
          found.set(text, one)
        }
        one.numbers[at] = word
        one.people += columns.word_people[word]!
      })
    }
    return [...found.values()]
      .sort(
        (left, right) =>
          right.likelihood * right.people - left.likelihood * left.people ||
          (left.text < right.text ? -1 : 1),
      ) // prettier-ignore
      .slice(0, MAX_CORRECTIONS)
  }
}

/** Compares words of rows' names with words of the people of one shard. */
export class ShardWords {
  readonly index: Index
  readonly #all: NameWords
  readonly #at: number
  readonly #workspace: Workspace
  /** By word number, the set of its letters (`lettersOf`). */
  readonly #letters: Uint32Array
  /** By word number: 1 when the word is known to have no nickname. */
  readonly #hasNoNickname: Uint8Array
  /** By word number: the common number + 1; 0 until it is known. */
  #common: Uint32Array | null = null

  /** `at` is the number of the shard. */
  constructor(all: NameWords, { index, workspace }: Shard, at: number) {
    this.index = index
    this.#all = all
    this.#at = at
    this.#workspace = workspace
    this.#hasNoNickname = new Uint8Array(index.words.size)
    this.#letters = Uint32Array.from({ length: index.words.size }, (_, word) =>
      lettersOf(index.words.text(word)),
    )
  }

  /** The number of people in all shards. */
  get personCount(): number {
    return this.#all.personCount
  }

  /** Returns the number of a word that is the same in all shards. */
  common(number: number): number {
    if (this.#all.shards.length === 1) return number
    const known = (this.#common ??= new Uint32Array(this.index.words.size))
    if (known[number] === 0) known[number] = this.#all.commonNumber(this.index.words.text(number)) + 1
    return known[number]! - 1
  }

  /** Returns the share of the snapshot's people who have a word of this shard. */
  share(number: number): number {
    return this.#all.peopleOf(this.common(number)) / this.#all.personCount
  }

  /** Returns the number of a row's word in this shard. */
  numberOf({ numbers }: NameWord): number {
    return numbers[this.#at]!
  }

  isNickname({ nicknamesIn }: NameWord, number: number): boolean {
    return nicknamesIn[this.#at]!.includes(number)
  }

  /** Compares a word as a first name. */
  judgeFirst(wanted: NameWord, number: number): Judged {
    if (number === wanted.numbers[this.#at]) return wanted.same
    if (
      this.#areUnlike(wanted, number) &&
      !this.isNickname(wanted, number) &&
      !this.#all.typosOf(wanted).names[this.#at]!.has(number)
    )
      return OTHER_FIRST
    return this.#judge(wanted, number, true)
  }

  /** Compares a word as a surname. */
  judgeLast(wanted: NameWord, number: number): Judged {
    if (number === wanted.numbers[this.#at]) return wanted.same
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

  /** Calls `add` with the words of this shard of which a row's word is a typo of at most `limit` edits. */
  forCorrections(
    { text, letters }: NameWord,
    limit: 1 | 2,
    add: (number: number, edits: 1 | 2) => void,
  ): void {
    forMistyped(this.index, this.#workspace, text, limit, add, (word) =>
      this.#mayBeTypo(letters, word, limit),
    )
  }

  /** Returns whether the sets of letters allow `limit` edits; one edit changes at most two letters. */
  #mayBeTypo(letters: number, number: number, limit: number): boolean {
    return populationCount(letters ^ this.#letters[number]!) <= 2 * limit
  }

  /** Returns the nicknames of a word of the shard. Most words are surnames, and have none. */
  nicknamesOfWord(word: number): readonly string[] {
    if (this.#hasNoNickname[word] === 1) return []
    const names = nicknamesOf(this.index.words.text(word))
    if (names.length === 0) this.#hasNoNickname[word] = 1
    return names
  }

  /** Returns the probability that any person writes the word, correctly or by a typo. */
  #anybody(wanted: NameWord): number {
    return Math.max(wanted.share, this.#all.typosOf(wanted).share)
  }

  #judge(wanted: NameWord, number: number, isFirst: boolean): Judged {
    const share = this.share(number)
    const text = this.index.words.text(number)
    if (text.length === 1 || wanted.text.length === 1) return initials(wanted.text, text, isFirst)
    if (isFirst && (this.isNickname(wanted, number) || isShortForm(wanted.text, text))) {
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
    if (isFirst && this.#all.typosOf(wanted).names[this.#at]!.has(number))
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
