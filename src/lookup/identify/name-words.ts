import { nameFrequency } from '../../normalize/name-frequencies.ts'
import { nicknameFit, nicknamesOf, oppositeSex } from '../../normalize/nicknames.ts'
import { phoneticKey } from '../../normalize/phonetic.ts'
import { damerauLevenshtein, jaroWinkler } from '../../normalize/similarity.ts'
import { editLimit } from '../format/deletions.ts'
import { populationCount } from '../snapshot/population-count.ts'
import { Recent } from '../snapshot/recent.ts'
import { ALIKE, forMistyped } from '../search/find-similar-words.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { Workspace } from '../snapshot/workspace.ts'
import type { Agreement } from './agreement.ts'
import { JudgedPairs } from './judged-pairs.ts'
import { NAME } from './weights.ts'

/** What a word of the row says for a word of a record: the weight is the natural logarithm of a likelihood ratio. */
export interface Judged {
  readonly agreement: Agreement
  readonly weight: number
}

/** A word that rows write in names, and what was found out about it: words come again, row after row. */
export interface NameWord {
  readonly text: string
  /** What tells it from other words: the same whenever it comes again, as long as anybody in the snapshot has it. */
  readonly id: number
  /** In the snapshot; −1 when nobody has it. */
  readonly number: number
  /** Of the people, those who have it. */
  readonly share: number
  readonly letters: number
  /** Numbers of the names that the same person may go by. */
  readonly nicknames: readonly number[]
  /** What it says that a record has the very word. */
  readonly same: Judged
  slips: Slips | null
  meant: readonly number[] | null
}

/** What a rare word may be a slip of one letter for. */
export interface Slips {
  /** Of all words that are written, how many are slips that come to this one. */
  readonly share: number
  /** Numbers of the names that go with the words: TRSIH is TRISH, and TRISH is PATRICIA. */
  readonly names: ReadonlySet<number>
}
const OTHER_FIRST: Judged = { agreement: 'other', weight: NAME.otherFirst }
const OTHER_LAST: Judged = { agreement: 'other', weight: NAME.otherLast }
const NO_WORDS: readonly number[] = []
const NO_NAMES: readonly string[] = []
const NO_SLIPS: Slips = { share: 0, names: new Set() }

// Names are written as often as they are borne: so many are nearly all of a list's.
const MOST_WORDS = 20_000
const MOST_SLIPS = 60
/** A word of so few people may be somebody's slip; in a large snapshot the same slip is made more often. */
const RARE = 3
const RARE_SHARE = 2e-5
/** So many times as many, where the Census knows nobody of the name: JHN comes again and again. */
const UNLISTED = 4

/** The words of rows' names against the words of records. */
export class NameWords {
  readonly #index: Index
  readonly #workspace: Workspace
  readonly #known = new Recent<NameWord>(MOST_WORDS)
  readonly #judged = new JudgedPairs()
  /** How many words were met that nobody in the snapshot has. */
  #unknown = 0
  readonly #rare: number
  /** The letters of every word of the snapshot. */
  readonly #letters: Uint32Array
  /** 1 of words that were found to have no nickname. */
  readonly #hasNoNickname: Uint8Array

  constructor(index: Index, workspace: Workspace) {
    const { personCount } = index
    this.#index = index
    this.#workspace = workspace
    this.#hasNoNickname = new Uint8Array(index.words.size)
    this.#rare = Math.max(RARE, personCount * RARE_SHARE)
    this.#letters = lettersOfAll(index)
  }

  word(text: string): NameWord {
    return this.#known.get(text, () => {
      const { words, columns, personCount } = this.#index
      const number = words.find(text)
      const share = number < 0 ? 0 : columns.word_people[number]! / personCount
      return {
        text,
        id: number < 0 ? words.size + this.#unknown++ : number,
        number,
        share,
        letters: lettersOf(text),
        nicknames: this.#nicknames(text),
        same: { agreement: 'same', weight: Math.log(NAME.same / share) },
        slips: null,
        meant: null,
      }
    })
  }

  #nicknames(text: string): readonly number[] {
    const nicknames = nicknamesOf(text)
    if (nicknames.length === 0) return NO_WORDS
    const { words } = this.#index
    return nicknames
      .filter((nickname) => nicknameFit(text, nickname) > 0)
      .map((nickname) => words.find(nickname))
      .filter((number) => number >= 0)
  }

  /** As a first name; what is given back is valid until the next pair is judged. */
  judgeFirst(wanted: NameWord, number: number): Judged {
    if (number === wanted.number) return wanted.same
    if (
      this.#areUnlike(wanted, number) &&
      !wanted.nicknames.includes(number) &&
      !this.slipsOf(wanted).names.has(number)
    )
      return OTHER_FIRST
    return this.#judgedAs(wanted, number, true)
  }

  /** As a surname; what is given back is valid until the next pair is judged. */
  judgeLast(wanted: NameWord, number: number): Judged {
    if (number === wanted.number) return wanted.same
    if (this.#areUnlike(wanted, number)) return OTHER_LAST
    return this.#judgedAs(wanted, number, false)
  }

  /** What most pairs of words are: so many letters differ that neither is a slip, a sound, an initial or a part of the other. */
  #areUnlike({ letters }: NameWord, number: number): boolean {
    const theirs = this.#letters[number]!
    return (
      populationCount(letters ^ theirs) > SOUND_LETTERS &&
      (letters & ~theirs) !== 0 &&
      (theirs & ~letters) !== 0
    )
  }

  #judgedAs(wanted: NameWord, number: number, isFirst: boolean): Judged {
    const judged = this.#judged
    const left = 2 * wanted.id + (isFirst ? 1 : 0)
    if (judged.find(left, number)) return judged
    const { agreement, weight } = this.#judge(wanted, number, isFirst)
    judged.keep(left, number, agreement, weight)
    return judged
  }

  /** Whether so few people have a word that it is rather a slip for another. */
  isRare({ number, text }: NameWord): boolean {
    const people = number < 0 ? 0 : this.#index.columns.word_people[number]!
    return people <= this.#rare || (people <= this.#rare * UNLISTED && nameFrequency(text) === undefined)
  }

  /** None for words that are not rare. */
  slipsOf(wanted: NameWord): Slips {
    return (wanted.slips ??=
      this.isRare(wanted) && wanted.text.length > 1 ? this.#findSlips(wanted) : NO_SLIPS)
  }

  // Slips of two letters are so much rarer that they don't count here, and finding them takes four times as long.
  #findSlips({ text, number, letters }: NameWord): Slips {
    const { words, columns, personCount } = this.#index
    const names = new Set<number>()
    let writers = 0
    const add = (word: number): void => {
      if (word === number) return
      writers += columns.word_people[word]!
      for (const nickname of this.nicknamesOfWord(word)) names.add(words.find(nickname))
    }
    forMistyped(this.#index, this.#workspace, text, 1, add, (word) => this.#mayBeSlip(letters, word, 1))
    return { share: (NAME.oneEdit * writers) / personCount, names }
  }

  /** The names that go with a word of the snapshot; most words are surnames, and have none. */
  nicknamesOfWord(word: number): readonly string[] {
    if (this.#hasNoNickname[word] === 1) return NO_NAMES
    const names = nicknamesOf(this.#index.words.text(word))
    if (names.length === 0) this.#hasNoNickname[word] = 1
    return names
  }

  /** The words that a rare word may be a slip for, likeliest first. */
  meantBy(wanted: NameWord): readonly number[] {
    return (wanted.meant ??= this.isRare(wanted) && wanted.text.length > 1 ? this.#findMeant(wanted) : [])
  }

  #findMeant(wanted: NameWord): readonly number[] {
    const { word_people } = this.#index.columns
    const writers: [word: number, weight: number][] = []
    const limit = editLimit(wanted.text)
    const add = (word: number, edits: 1 | 2): void => {
      if (word !== wanted.number)
        writers.push([word, (edits === 1 ? NAME.oneEdit : NAME.twoEdits) * word_people[word]!])
    }
    forMistyped(this.#index, this.#workspace, wanted.text, limit, add, (word) =>
      this.#mayBeSlip(wanted.letters, word, limit),
    )
    writers.sort(([, left], [, right]) => right - left)
    return writers.slice(0, MOST_SLIPS).map(([word]) => word)
  }

  /** Whether few enough letters differ: an edit changes two at most. */
  #mayBeSlip(letters: number, number: number, limit: number): boolean {
    return populationCount(letters ^ this.#letters[number]!) <= 2 * limit
  }

  /** How often anybody writes the word. */
  #anybody(wanted: NameWord): number {
    return Math.max(wanted.share, this.slipsOf(wanted).share)
  }

  #judge(wanted: NameWord, number: number, isFirst: boolean): Judged {
    const { words, columns, personCount } = this.#index
    const share = columns.word_people[number]! / personCount
    const text = words.text(number)
    if (text.length === 1 || wanted.text.length === 1) return initials(wanted.text, text, isFirst)
    if (isFirst && (wanted.nicknames.includes(number) || isShortForm(wanted.text, text))) {
      const nickname = NAME.nickname * nicknameFit(wanted.text, text)
      const weight = Math.log(nickname / Math.max(wanted.share, nickname * NAME.neighbours * share))
      return { agreement: 'nickname', weight: Math.min(weight, NAME.mostOfNickname) }
    }
    return this.#slip(wanted, number, text, share, isFirst) ?? (isFirst ? OTHER_FIRST : OTHER_LAST)
  }

  #slip(wanted: NameWord, number: number, text: string, share: number, isFirst: boolean): Judged | null {
    const weight = (probability: number, neighbours = 1): number =>
      Math.log(probability / Math.max(this.#anybody(wanted), probability * neighbours * share))
    const letters = populationCount(wanted.letters ^ this.#letters[number]!)
    const limit = editLimit(wanted.text)
    const edits = letters > 2 * limit ? 3 : damerauLevenshtein(wanted.text, text, limit)
    if (edits === 1) {
      // Either the row or the record has the slip.
      const ofRecord = Math.min(NAME.recordSlip / share, NAME.mostOfRecordSlip / wanted.share)
      return { agreement: 'mistyped', weight: Math.max(weight(NAME.oneEdit), Math.log(ofRecord)) }
    }
    // ERIN is no spelling of ERNIE.
    const isOther = isFirst && oppositeSex(wanted.text, text)
    if (letters <= SOUND_LETTERS && !isOther && soundsAlike(wanted.text, text))
      return { agreement: 'sounds', weight: weight(NAME.sound) }
    if (edits === 2 && limit === 2) return { agreement: 'mistyped', weight: weight(NAME.twoEdits, NAME.neighbours) } // prettier-ignore
    if (isFirst && this.slipsOf(wanted).names.has(number))
      return { agreement: 'mistyped', weight: Math.min(weight(NAME.nickname * NAME.oneEdit), NAME.mostOfNickname) } // prettier-ignore
    return null
  }
}

function initials(wanted: string, text: string, isFirst: boolean): Judged {
  if (wanted[0] === text[0])
    return { agreement: 'initial', weight: isFirst ? NAME.initial : NAME.lastInitial }
  if (isFirst && startsNickname(wanted, text)) return { agreement: 'initial', weight: NAME.nicknameInitial }
  return isFirst ? OTHER_FIRST : OTHER_LAST
}

/** B is BILL, and BILL is WILLIAM. */
function startsNickname(left: string, right: string): boolean {
  const [initial, name] = left.length === 1 ? [left, right] : [right, left]
  return nicknamesOf(name).some((nickname) => nickname[0] === initial)
}

/** LIAM for WILLIAM, BETH for ELIZABETH; not PAUL for PAULA. */
function isShortForm(wanted: string, text: string): boolean {
  const [shorter, longer] = text.length < wanted.length ? [text, wanted] : [wanted, text]
  if (shorter.length < 3 || longer.length < shorter.length + 2) return false
  return (longer.startsWith(shorter) || longer.endsWith(shorter)) && !oppositeSex(shorter, longer)
}

// KATHRYN and CATHERINE differ in four.
const SOUND_LETTERS = 5

function soundsAlike(left: string, right: string): boolean {
  if (jaroWinkler(left, right) <= ALIKE) return false
  const sound = phoneticKey(left)
  return sound !== '' && sound === phoneticKey(right)
}

/** A bit for each letter. An edit changes two at most, so most pairs of words are settled without comparing them. */
function lettersOf(text: string): number {
  let bits = 0
  for (let i = 0; i < text.length; i++) bits |= 1 << (text.charCodeAt(i) & 31)
  return bits
}

/** Of every word, out of its bytes: all their strings would be made for nothing. */
function lettersOfAll({ words, columns: { word_start, word_text } }: Index): Uint32Array {
  const letters = new Uint32Array(words.size)
  for (let number = 0; number < words.size; number++) {
    let bits = 0
    let all = 0
    for (let at = word_start[number]!; at < word_start[number + 1]!; at++) {
      all |= word_text[at]!
      bits |= 1 << (word_text[at]! & 31)
    }
    // Beyond ASCII a letter is several bytes.
    letters[number] = all < 128 ? bits : lettersOf(words.text(number))
  }
  return letters
}
