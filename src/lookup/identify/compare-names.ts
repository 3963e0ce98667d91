import { nameFrequency } from '../../normalize/name-frequencies.ts'
import { damerauLevenshtein } from '../../normalize/similarity.ts'
import { TOKEN } from '../columns.ts'
import { editLimit } from '../deletions.ts'
import type { Snapshot } from '../snapshot.ts'
import type { NameClue } from './clues.ts'
import type { Agreement, Judged, NameWord, NameWords } from './name-words.ts'
import { NAME } from './weights.ts'

/** What the row's name says for a person, by the best of their names: weights are natural logarithms of likelihood ratios. */
export interface NameComparison {
  readonly first: Agreement
  readonly last: Agreement
  readonly isSwapped: boolean
  /** First and middle name tell a person from their relatives. */
  readonly given: number
  /** The middle name's part of `given`. */
  readonly middle: number
  readonly family: number
  /** The last word of the person's surname that was compared; −1 without any. */
  readonly surname: number
}

type Best = Omit<NameComparison, 'middle'>

const NEITHER = { male: 0, female: 0 }
const NOT_SAID: Judged = { agreement: 'unknown', weight: 0 }

/** Compares the name of one row with the names of many people. */
export class NameComparer {
  readonly #snapshot: Snapshot
  readonly #words: NameWords
  readonly #clue: NameClue
  readonly #first: NameWord | undefined
  readonly #middle: NameWord | undefined
  readonly #last: readonly NameWord[]
  readonly #lastText: string
  /** Middle and last name, of which a double surname may be made. */
  readonly #doubleText: string

  constructor(snapshot: Snapshot, words: NameWords, clue: NameClue) {
    this.#snapshot = snapshot
    this.#words = words
    this.#clue = clue
    this.#first = clue.first[0]
    this.#middle = clue.first[1] ?? clue.middle[0]
    this.#last = clue.last
    this.#lastText = clue.last.length === 1 ? clue.last[0]!.text : clue.last.map((word) => word.text).join('')
    this.#doubleText = this.#middle === undefined ? '' : `${this.#middle.text}${this.#lastText}`
  }

  /** The best that any of the person's names comes to; the middle name is looked for in all of them. */
  compare(person: number): NameComparison {
    const { name_tokens, person_name_start } = this.#snapshot.columns
    const end = person_name_start[person + 1]!
    let best: Best | null = null
    let middle: number | null = null
    for (let from = person_name_start[person]!; from < end;) {
      let to = from + 1
      while (to < end && name_tokens[to]! < TOKEN.NEW_NAME) to++
      const record = recordOf(name_tokens, from, to)
      const one = this.#compareName(name_tokens, record)
      if (best === null || one.given + one.family > best.given + best.family) best = one
      // Who once gave a middle name has it also where they left it out.
      if (this.#middle !== undefined && record.middleAt >= 0) {
        const weight = this.#middleWeight(this.#middle, name_tokens[record.middleAt]! & TOKEN.WORD)
        if (middle === null || weight > middle) middle = weight
      }
      from = to
    }
    if (best === null) return UNKNOWN
    const added = best.isSwapped || best.first === 'middle' ? 0 : (middle ?? 0)
    const family = best.last === 'other' ? this.#otherSurname(best.first) : best.family
    return { first: best.first, last: best.last, isSwapped: best.isSwapped, given: best.given + added, middle: added, family, surname: best.surname } // prettier-ignore
  }

  /** That the surnames differ says less of women, who marry; nothing of a first name that differs too. */
  #otherSurname(first: Agreement): number {
    if (first === 'other' || this.#first === undefined) return NAME.otherLast
    const { male, female } = nameFrequency(this.#first.text) ?? NEITHER
    return female > 9 * male ? NAME.womansOtherLast : male > 9 * female ? NAME.mansOtherLast : NAME.otherLast
  }

  #compareName(tokens: Uint32Array, record: Record): Best {
    const { firstAt, lastAt, to } = record
    const first = this.#first === undefined || firstAt < 0 ? NOT_SAID : this.#firstName(this.#first, tokens, record) // prettier-ignore
    const last = this.#surname(tokens, record)
    if (first.agreement === 'other' && last.agreement === 'other') {
      const swapped = this.#swapped(tokens, record)
      if (swapped !== null) return swapped
    }
    return {
      first: first.agreement,
      last: last.agreement,
      isSwapped: false,
      given: first.weight,
      family: last.weight,
      surname: lastAt < 0 ? -1 : tokens[to - 1]! & TOKEN.WORD,
    }
  }

  #firstName(wanted: NameWord, tokens: Uint32Array, { firstAt, middleAt }: Record): Judged {
    const judged = this.#words.judgeFirst(wanted, tokens[firstAt]! & TOKEN.WORD)
    if (judged.agreement === 'same') return this.#clue.isFirstCorrected ? { agreement: 'mistyped', weight: judged.weight } : judged // prettier-ignore
    if (judged.agreement !== 'other' || middleAt < 0) return judged
    // Who goes by the middle name.
    if ((tokens[middleAt]! & TOKEN.WORD) !== wanted.number || wanted.text.length === 1) return judged
    return {
      agreement: 'middle',
      weight: Math.min(Math.log(NAME.byMiddle / wanted.share), NAME.mostOfNickname),
    }
  }

  /** First and last name in each other's place. */
  #swapped(tokens: Uint32Array, { firstAt, lastAt, to }: Record): Best | null {
    const first = this.#first
    const [last] = this.#last
    if (first === undefined || last === undefined || this.#last.length !== 1 || lastAt + 1 !== to) return null
    if (firstAt < 0 || lastAt < 0) return null
    const surname = tokens[lastAt]! & TOKEN.WORD
    const number = tokens[firstAt]! & TOKEN.WORD
    const given = last.nicknames.has(number) ? this.#words.judgeFirst(last, number) : this.#words.judgeLast(last, number) // prettier-ignore
    if (given.agreement === 'other') return null
    const family = this.#words.judgeLast(first, surname)
    if (family.agreement === 'other') return null
    return {
      first: given.agreement,
      last: family.agreement,
      isSwapped: true,
      given: given.weight + NAME.swapped,
      family: family.weight,
      surname,
    }
  }

  #surname(tokens: Uint32Array, record: Record): Judged {
    const written = this.#writtenSurname(tokens, record)
    const { otherLast } = this.#clue
    if (otherLast === null || record.lastAt < 0 || (written.agreement !== 'other' && written.agreement !== 'unknown')) return written // prettier-ignore
    const other = this.#words.judgeLast(otherLast, tokens[record.to - 1]! & TOKEN.WORD)
    if (other.agreement !== 'same') return written
    return { agreement: 'former', weight: other.weight + NAME.otherSurname }
  }

  #writtenSurname(tokens: Uint32Array, { lastAt, to }: Record): Judged {
    const wanted = this.#last
    if (wanted.length === 0 || lastAt < 0) return NOT_SAID
    const count = to - lastAt
    if (count === 1 && wanted.length === 1) {
      const judged = this.#words.judgeLast(wanted[0]!, tokens[lastAt]! & TOKEN.WORD)
      return judged.agreement === 'same' && this.#clue.isLastCorrected ? { agreement: 'mistyped', weight: judged.weight } : judged // prettier-ignore
    }
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
    // HOLLIS MOLINA of WILLIE HOLLIS MOLINA: the first half reads like a middle name.
    const isSame = text === this.#lastText || text === this.#doubleText
    if (isSame) return { agreement: 'same', weight: Math.log(NAME.same / rarest) }
    // One half of a double name; a particle that everybody has says next to nothing.
    if (sharedRarest < 1) return { agreement: 'part', weight: Math.log(NAME.part / sharedRarest) }
    const limit = editLimit(this.#lastText)
    if (damerauLevenshtein(text, this.#lastText, limit) <= limit)
      return { agreement: 'mistyped', weight: Math.log(1 / (NAME.neighbours * rarest)) }
    return { agreement: 'other', weight: NAME.otherLast }
  }

  #middleWeight(wanted: NameWord, number: number): number {
    if (number === wanted.number && wanted.text.length > 1)
      return Math.log(NAME.sameMiddle / Math.max(wanted.share, 1 / this.#snapshot.personCount))
    return this.#snapshot.words.text(number)[0] === wanted.text[0] ? NAME.middleInitial : NAME.otherMiddle
  }
}

const UNKNOWN: NameComparison = {
  first: 'unknown',
  last: 'unknown',
  isSwapped: false,
  given: 0,
  middle: 0,
  family: 0,
  surname: -1,
}

/** Where the parts of one name begin; −1 where there is none. */
interface Record {
  readonly firstAt: number
  readonly middleAt: number
  readonly lastAt: number
  /** Behind the last word of the surname, which stands last. */
  readonly to: number
}

function recordOf(tokens: Uint32Array, from: number, to: number): Record {
  let firstAt = -1
  let lastAt = -1
  let middleAt = -1
  for (let i = from; i < to; i++) {
    const role = tokens[i]! & TOKEN.ROLES
    if (role === TOKEN.FIRST && firstAt < 0) firstAt = i
    else if (role === TOKEN.LAST && lastAt < 0) lastAt = i
    else if (role === TOKEN.MIDDLE && middleAt < 0) middleAt = i
  }
  return { firstAt, middleAt, lastAt, to }
}
