import { nicknamesOf } from '../../normalize/nicknames.ts'
import { phoneticKey } from '../../normalize/phonetic.ts'
import { damerauLevenshtein, jaroWinkler } from '../../normalize/similarity.ts'
import { TOKEN } from '../columns.ts'
import { editLimit } from '../deletions.ts'
import { ALIKE } from '../similar-words.ts'
import type { Snapshot } from '../snapshot.ts'
import type { NameClue, NameWord } from './clues.ts'
import { NAME } from './weights.ts'

/** How two words of a name, or two whole surnames, stand to each other. */
export type Agreement = 'same' | 'nickname' | 'mistyped' | 'sounds' | 'initial' | 'part' | 'other' | 'unknown'

/** What the row's name says for one of a person's names: weights are natural logarithms of likelihood ratios. */
export interface NameComparison {
  readonly first: Agreement
  readonly last: Agreement
  readonly isSwapped: boolean
  /** First and middle name: what tells a person from their relatives. */
  readonly given: number
  readonly family: number
}

const UNKNOWN: NameComparison = { first: 'unknown', last: 'unknown', isSwapped: false, given: 0, family: 0 }

interface Judged {
  readonly agreement: Agreement
  readonly weight: number
}
const NOT_SAID: Judged = { agreement: 'unknown', weight: 0 }

/** Compares the name of one row with the names of many people; what was found out about a word is kept for the next. */
export class NameComparer {
  readonly #snapshot: Snapshot
  readonly #first: NameWord | undefined
  readonly #middle: readonly NameWord[]
  readonly #last: readonly NameWord[]
  readonly #lastText: string
  readonly #ofFirst = new Map<number, Judged>()
  readonly #ofLast = new Map<number, Judged>()
  readonly #nicknames = new Map<NameWord, readonly string[]>()

  constructor(snapshot: Snapshot, { first, middle, last }: NameClue) {
    this.#snapshot = snapshot
    this.#first = first[0]
    this.#middle = [...first.slice(1), ...middle]
    this.#last = last
    this.#lastText = last.map((word) => word.text).join('')
  }

  /** The best that any of the person's names comes to. */
  compare(person: number): NameComparison {
    const { name_tokens, person_name_start } = this.#snapshot.columns
    const end = person_name_start[person + 1]!
    let best = UNKNOWN
    let isFirst = true
    for (let from = person_name_start[person]!; from < end;) {
      let to = from + 1
      while (to < end && name_tokens[to]! < TOKEN.NEW_NAME) to++
      const one = this.#compareName(name_tokens, from, to)
      if (isFirst || one.given + one.family > best.given + best.family) best = one
      isFirst = false
      from = to
    }
    return best
  }

  #compareName(tokens: Uint32Array, from: number, to: number): NameComparison {
    let firstAt = -1
    let lastAt = -1
    let middleAt = -1
    for (let i = from; i < to; i++) {
      const role = tokens[i]! & TOKEN.ROLES
      if (role === TOKEN.FIRST && firstAt < 0) firstAt = i
      else if (role === TOKEN.LAST && lastAt < 0) lastAt = i
      else if (role === TOKEN.MIDDLE && middleAt < 0) middleAt = i
    }
    const record = { firstAt, middleAt, lastAt, to: lastAt < 0 ? from : to }
    const first = this.#first === undefined || firstAt < 0 ? NOT_SAID : this.#word(this.#first, tokens[firstAt]! & TOKEN.WORD, this.#ofFirst, true) // prettier-ignore
    const last = this.#surname(tokens, record)
    const straight = {
      first: first.agreement,
      last: last.agreement,
      isSwapped: false,
      given: first.weight + this.#middleWeight(tokens, record),
      family: last.weight,
    }
    return straight.first === 'other' && straight.last === 'other' ? (this.#swapped(tokens, record) ?? straight) : straight // prettier-ignore
  }

  /** First and last name in each other's place. */
  #swapped(tokens: Uint32Array, { firstAt, lastAt, to }: Record): NameComparison | null {
    const first = this.#first
    const [last] = this.#last
    if (first === undefined || last === undefined || this.#last.length !== 1 || lastAt + 1 !== to) return null
    const given = this.#judge(last, tokens[firstAt]! & TOKEN.WORD, true)
    const family = this.#judge(first, tokens[lastAt]! & TOKEN.WORD, false)
    if (given.agreement === 'other' || family.agreement === 'other') return null
    return {
      first: given.agreement,
      last: family.agreement,
      isSwapped: true,
      given: given.weight + NAME.swapped,
      family: family.weight,
    }
  }

  #surname(tokens: Uint32Array, { lastAt, to }: Record): Judged {
    const wanted = this.#last
    if (wanted.length === 0 || lastAt < 0) return NOT_SAID
    const count = to - lastAt
    if (count === 1 && wanted.length === 1)
      return this.#word(wanted[0]!, tokens[lastAt]! & TOKEN.WORD, this.#ofLast, false)
    const { words, columns, personCount } = this.#snapshot
    let text = ''
    let rarest = 1
    let sharedRarest = 1
    for (let i = lastAt; i < to; i++) {
      const number = tokens[i]! & TOKEN.WORD
      const share = columns.word_people[number]! / personCount
      text += words.text(number)
      rarest = Math.min(rarest, share)
      if (wanted.some((word) => word.number === number)) sharedRarest = Math.min(sharedRarest, share)
    }
    for (const word of wanted) if (word.share > 0) rarest = Math.min(rarest, word.share)
    if (text === this.#lastText) return { agreement: 'same', weight: Math.log(NAME.same / rarest) }
    // One half of a double name; a particle that everybody has says next to nothing.
    if (sharedRarest < 1) return { agreement: 'part', weight: Math.log(NAME.part / sharedRarest) }
    const limit = editLimit(this.#lastText)
    if (damerauLevenshtein(text, this.#lastText, limit) <= limit)
      return { agreement: 'mistyped', weight: Math.log(1 / (NAME.neighbours * rarest)) }
    return { agreement: 'other', weight: NAME.otherLast }
  }

  #middleWeight(tokens: Uint32Array, { middleAt }: Record): number {
    const wanted = this.#middle[0]
    if (wanted === undefined || middleAt < 0) return 0
    const number = tokens[middleAt]! & TOKEN.WORD
    if (number === wanted.number && wanted.text.length > 1)
      return Math.log(NAME.sameMiddle / Math.max(wanted.share, 1 / this.#snapshot.personCount))
    return this.#snapshot.words.text(number)[0] === wanted.text[0] ? NAME.middleInitial : NAME.otherMiddle
  }

  #word(wanted: NameWord, number: number, known: Map<number, Judged>, isFirst: boolean): Judged {
    let judged = known.get(number)
    if (judged === undefined) {
      judged = this.#judge(wanted, number, isFirst)
      known.set(number, judged)
    }
    return judged
  }

  #judge(wanted: NameWord, number: number, isFirst: boolean): Judged {
    const { words, columns, personCount } = this.#snapshot
    const share = columns.word_people[number]! / personCount
    const weight = (probability: number): number =>
      Math.log(probability / Math.max(wanted.share, probability * NAME.neighbours * share))
    if (number === wanted.number) return { agreement: 'same', weight: Math.log(NAME.same / share) }
    const text = words.text(number)
    if (text.length === 1 || wanted.text.length === 1) {
      if (text[0] === wanted.text[0]) return { agreement: 'initial', weight: isFirst ? NAME.initial : NAME.lastInitial } // prettier-ignore
      return { agreement: 'other', weight: isFirst ? NAME.otherFirst : NAME.otherLast }
    }
    const letters = differingLetters(wanted.text, text)
    if (isFirst && this.#isNickname(wanted, text))
      return { agreement: 'nickname', weight: Math.min(weight(NAME.nickname), NAME.mostOfNickname) }
    const limit = editLimit(wanted.text)
    const edits = letters > 2 * limit ? 3 : damerauLevenshtein(wanted.text, text, limit)
    if (edits === 1) return { agreement: 'mistyped', weight: weight(NAME.oneEdit) }
    if (letters <= SOUND_LETTERS && soundsAlike(wanted.text, text))
      return { agreement: 'sounds', weight: weight(NAME.sound) }
    if (edits === 2 && limit === 2) return { agreement: 'mistyped', weight: weight(NAME.twoEdits) }
    if (isFirst && isMistypedNickname(wanted.text, text))
      return { agreement: 'mistyped', weight: NAME.initial }
    return { agreement: 'other', weight: isFirst ? NAME.otherFirst : NAME.otherLast }
  }

  #isNickname(wanted: NameWord, text: string): boolean {
    let nicknames = this.#nicknames.get(wanted)
    if (nicknames === undefined) this.#nicknames.set(wanted, (nicknames = nicknamesOf(wanted.text)))
    if (nicknames.includes(text)) return true
    // LIAM for WILLIAM, BETH for ELIZABETH.
    const [shorter, longer] = text.length < wanted.text.length ? [text, wanted.text] : [wanted.text, text]
    return shorter.length > 2 && longer.length > shorter.length + 1 && longer.includes(shorter)
  }
}

interface Record {
  readonly firstAt: number
  readonly middleAt: number
  readonly lastAt: number
  /** Behind the last word of the surname, which stands last. */
  readonly to: number
}

/** STVE is STEVE, and STEVE is STEVEN. */
function isMistypedNickname(wanted: string, text: string): boolean {
  if (wanted[0] !== text[0] || wanted.length < 3) return false
  return nicknamesOf(text).some(
    (nickname) => differingLetters(wanted, nickname) < 3 && damerauLevenshtein(wanted, nickname, 1) === 1,
  )
}

// KATHRYN and CATHERINE differ in four.
const SOUND_LETTERS = 5

function soundsAlike(left: string, right: string): boolean {
  if (jaroWinkler(left, right) <= ALIKE) return false
  const sound = phoneticKey(left)
  return sound !== '' && sound === phoneticKey(right)
}

/** How many letters only one of the words has. An edit changes two at most, so this settles most pairs without comparing. */
function differingLetters(left: string, right: string): number {
  let bits = lettersOf(left) ^ lettersOf(right)
  let count = 0
  for (; bits !== 0; bits &= bits - 1) count++
  return count
}

function lettersOf(text: string): number {
  let bits = 0
  for (let i = 0; i < text.length; i++) bits |= 1 << (text.charCodeAt(i) & 31)
  return bits
}
