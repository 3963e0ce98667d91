import { nameFrequency } from '../../normalize/name-frequencies.ts'
import { damerauLevenshtein } from '../../normalize/similarity.ts'
import { TOKEN } from '../format/columns.ts'
import { editLimit } from '../format/deletions.ts'
import type { Index } from '../snapshot/snapshot-index.ts'
import type { NameClue } from './clues.ts'
import type { Agreement } from './agreement.ts'
import type { Judged, NameWord, ShardWords } from './name-words.ts'
import { NAME } from './weights.ts'

/**
 * How the name of a row agrees with the best of a person's names. Weights are natural logarithms of
 * likelihood ratios.
 */
export interface NameComparison {
  readonly first: Agreement
  readonly last: Agreement
  /** Whether the row has the first name in the place of the last name, and the reverse. */
  readonly isSwapped: boolean
  /** The weights of first and middle name, which differ among relatives. */
  readonly given: number
  readonly middle: number
  /** The weight of the surname. */
  readonly family: number
  /** The last word of the surname that was compared, by its common number; −1 if the person has none. */
  readonly surname: number
}

const NEITHER = { male: 0, female: 0 }
const UNKNOWN: Judged = { agreement: 'unknown', weight: 0 }
const NAMELESS: NameComparison = { first: 'unknown', last: 'unknown', isSwapped: false, given: 0, middle: 0, family: 0, surname: -1 } // prettier-ignore

/** Compares the name of one row with the names of people of one shard. */
export class NameComparer {
  readonly #index: Index
  readonly #words: ShardWords
  readonly #clue: NameClue
  readonly #first: NameWord | undefined
  readonly #middle: NameWord | undefined
  readonly #last: readonly NameWord[]
  /** Computed when they are first needed. */
  #texts: SurnameTexts | null = null
  #otherSurname: number | null = null

  constructor(words: ShardWords, clue: NameClue) {
    this.#index = words.index
    this.#words = words
    this.#clue = clue
    this.#first = clue.first[0]
    this.#middle = clue.first[1] ?? clue.middle[0]
    this.#last = clue.last
  }

  /** Compares the row's name with each name of a person. Returns the best result. */
  compare(person: number): NameComparison {
    const { name_tokens, person_name_start } = this.#index.columns
    const end = person_name_start[person + 1]!
    let best: NameComparison | null = null
    let middle = Number.NEGATIVE_INFINITY
    for (let from = person_name_start[person]!; from < end;) {
      let to = from + 1
      while (to < end && name_tokens[to]! < TOKEN.NEW_NAME) to++
      const middleAt = roleAt(name_tokens, from, to, TOKEN.MIDDLE)
      const one = this.#compareName(name_tokens, from, to, middleAt)
      if (best === null || one.given + one.family > best.given + best.family) best = one
      // A person may state a middle name in one record and leave it out in another.
      if (this.#middle !== undefined && middleAt >= 0)
        middle = Math.max(middle, this.#middleWeight(this.#middle, name_tokens[middleAt]! & TOKEN.WORD))
      from = to
    }
    if (best === null) return NAMELESS
    const hasMiddle = middle > Number.NEGATIVE_INFINITY && !best.isSwapped && best.first !== 'middle'
    const family = best.last === 'other' ? this.#weightOfOther(best.first) : best.family
    return { ...best, middle: hasMiddle ? middle : 0, family }
  }

  /**
   * Returns the weight of different surnames. A difference counts less against people with a woman's first
   * name, because women often change their surname at marriage.
   */
  #weightOfOther(first: Agreement): number {
    if (first === 'other' || this.#first === undefined) return NAME.otherLast
    if (this.#otherSurname === null) {
      const { male, female } = nameFrequency(this.#first.text) ?? NEITHER
      this.#otherSurname = female > 9 * male ? NAME.womansOtherLast : male > 9 * female ? NAME.mansOtherLast : NAME.otherLast // prettier-ignore
    }
    return this.#otherSurname
  }

  /** Compares one name of the person: the words from `from` up to `to` (exclusive). */
  #compareName(tokens: Uint32Array, from: number, to: number, middleAt: number): NameComparison {
    const firstAt = roleAt(tokens, from, to, TOKEN.FIRST)
    const lastAt = roleAt(tokens, from, to, TOKEN.LAST)
    const hasFirst = this.#first !== undefined && firstAt >= 0
    const first = hasFirst ? this.#firstName(this.#first, tokens, firstAt, middleAt) : UNKNOWN
    const last = this.#surname(tokens, lastAt, to)
    const swapped =
      first.agreement === 'other' && last.agreement === 'other'
        ? this.#compareSwapped(tokens, firstAt, lastAt, to)
        : null
    if (swapped !== null) return swapped
    const surname = lastAt < 0 ? -1 : this.#words.common(tokens[to - 1]! & TOKEN.WORD)
    return { first: first.agreement, last: last.agreement, isSwapped: false, given: first.weight, middle: 0, family: last.weight, surname } // prettier-ignore
  }

  #firstName(wanted: NameWord, tokens: Uint32Array, firstAt: number, middleAt: number): Judged {
    const judged = this.#words.judgeFirst(wanted, tokens[firstAt]! & TOKEN.WORD)
    if (judged.agreement === 'same') return this.#clue.isFirstCorrected ? { ...judged, agreement: 'mistyped' } : judged // prettier-ignore
    if (judged.agreement !== 'other' || middleAt < 0) return judged
    // The person may be known by the middle name.
    if ((tokens[middleAt]! & TOKEN.WORD) !== this.#words.numberOf(wanted) || wanted.text.length === 1)
      return judged
    return {
      agreement: 'middle',
      weight: Math.min(Math.log(NAME.byMiddle / wanted.share), NAME.maxNickname),
    }
  }

  /**
   * Compares the row's first name with the person's last name and the reverse. Returns null when they do not
   * agree.
   */
  #compareSwapped(tokens: Uint32Array, firstAt: number, lastAt: number, to: number): NameComparison | null {
    const first = this.#first
    const [last] = this.#last
    if (first === undefined || last === undefined || this.#last.length !== 1 || lastAt + 1 !== to) return null
    if (firstAt < 0 || lastAt < 0) return null
    const surname = tokens[lastAt]! & TOKEN.WORD
    const number = tokens[firstAt]! & TOKEN.WORD
    const { agreement, weight } = this.#words.isNickname(last, number) ? this.#words.judgeFirst(last, number) : this.#words.judgeLast(last, number) // prettier-ignore
    const family = this.#words.judgeLast(first, surname)
    if (agreement === 'other' || family.agreement === 'other') return null
    return { first: agreement, last: family.agreement, isSwapped: true, given: weight + NAME.swapped, middle: 0, family: family.weight, surname: this.#words.common(surname) } // prettier-ignore
  }

  #surname(tokens: Uint32Array, lastAt: number, to: number): Judged {
    const { otherLast } = this.#clue
    const written = this.#writtenSurname(tokens, lastAt, to)
    if (otherLast === null || lastAt < 0 || (written.agreement !== 'other' && written.agreement !== 'unknown')) return written // prettier-ignore
    const other = this.#words.judgeLast(otherLast, tokens[to - 1]! & TOKEN.WORD)
    if (other.agreement !== 'same') return written
    return { agreement: 'former', weight: other.weight + NAME.otherSurname }
  }

  #writtenSurname(tokens: Uint32Array, lastAt: number, to: number): Judged {
    const wanted = this.#last
    if (wanted.length === 0 || lastAt < 0) return UNKNOWN
    const count = to - lastAt
    if (count === 1 && wanted.length === 1) {
      const judged = this.#words.judgeLast(wanted[0]!, tokens[lastAt]! & TOKEN.WORD)
      return judged.agreement === 'same' && this.#clue.isLastCorrected ? { ...judged, agreement: 'mistyped' } : judged // prettier-ignore
    }
    const { words } = this.#index
    let text = ''
    let rarest = 1
    let sharedRarest = 1
    for (let i = lastAt; i < to; i++) {
      const number = tokens[i]! & TOKEN.WORD
      const share = this.#words.share(number)
      text += words.text(number)
      rarest = Math.min(rarest, share)
      if (wanted.some((word) => this.#words.numberOf(word) === number))
        sharedRarest = Math.min(sharedRarest, share)
    }
    for (const word of wanted) if (word.share > 0) rarest = Math.min(rarest, word.share)
    // In WILLIE HOLLIS MOLINA with the surname HOLLIS MOLINA, the first half of the surname looks like a
    // middle name.
    const { whole, double } = (this.#texts ??= this.#surnameTexts())
    const isSame = text === whole || text === double
    if (isSame) return { agreement: 'same', weight: Math.log(NAME.same / rarest) }
    // Half of a double surname agrees. A common particle such as DE gives almost no weight.
    if (sharedRarest < 1) return { agreement: 'part', weight: Math.log(NAME.part / sharedRarest) }
    const limit = editLimit(whole)
    if (damerauLevenshtein(text, whole, limit) <= limit)
      return { agreement: 'mistyped', weight: Math.log(1 / (NAME.neighbours * rarest)) }
    return { agreement: 'other', weight: NAME.otherLast }
  }

  #surnameTexts(): SurnameTexts {
    const whole = this.#last.map(({ text }) => text).join('')
    return { whole, double: this.#middle === undefined ? '' : `${this.#middle.text}${whole}` }
  }

  #middleWeight(wanted: NameWord, number: number): number {
    if (number === this.#words.numberOf(wanted) && wanted.text.length > 1)
      return Math.log(NAME.sameMiddle / Math.max(wanted.share, 1 / this.#words.personCount))
    return this.#index.words.text(number)[0] === wanted.text[0] ? NAME.middleInitial : NAME.otherMiddle
  }
}

/**
 * The row's surname without spaces, and the same with the middle name before it, which may be half of a
 * double surname.
 */
interface SurnameTexts {
  readonly whole: string
  readonly double: string
}

/** Returns the position of the first word with the given role; −1 when the name has none. */
function roleAt(tokens: Uint32Array, from: number, to: number, role: number): number {
  for (let at = from; at < to; at++) if ((tokens[at]! & TOKEN.ROLES) === role) return at
  return -1
}
