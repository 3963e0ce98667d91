import { compareBirthDates } from './birth-dates.ts'
import { ContactComparer } from './compare-contacts.ts'
import { PlaceComparer } from './compare-places.ts'
import { FieldComparer } from './field-comparer.ts'
import { AT, FIRST, LAST, MIDDLE, SUFFIX } from './levels.ts'
import { type Records, SLOT } from '../records/records.ts'
import { SIMILARITY, TextSimilarity } from './text-similarity.ts'
import { hashText, KNOWN_FIRST, KNOWN_LAST } from '../records/texts.ts'

const JUNIOR = hashText('JR')
const SECOND = hashText('II')

/**
 * Compares two records. `levels` and `agreed` hold the result for the last pair. Symmetric: `compare(i, j)` and `compare(j, i)` give the same
 * result. This class compares the names itself; two other classes compare places and contacts, which scoring skips for most pairs.
 */
export class PairComparer extends FieldComparer {
  /** For a pair with swapped names (`FIRST.swapped`): text id of the last name. `agreed[AT.first_name]` is the first name. */
  crossedLast = 0
  #crossedFirst = 0
  readonly #places: PlaceComparer
  readonly #contacts: ContactComparer

  constructor(records: Records) {
    const comparisons = AT.attributes + records.attributes.length
    super(records, new TextSimilarity(records.texts), {
      levels: new Uint8Array(comparisons),
      agreed: new Int32Array(comparisons),
    })
    this.#places = new PlaceComparer(records, this.similarity, this)
    this.#contacts = new ContactComparer(records, this.similarity, this)
  }

  compare(i: number, j: number): void {
    this.compareNames(i, j)
    this.comparePlaces(i, j)
    this.compareContacts(i, j)
  }

  /** Compares names and birth date of records i and j. */
  compareNames(i: number, j: number): void {
    const { rows, width } = this.records
    const left = i * width
    const right = j * width
    this.#names(left, right)
    this.levels[AT.birth_date] = compareBirthDates(rows[left + SLOT.birth]!, rows[right + SLOT.birth]!)
  }

  /** Compares addresses and places of records i and j. */
  comparePlaces(i: number, j: number): void {
    const { width } = this.records
    this.#places.compare(i * width, j * width)
  }

  /** Sets the levels of address and place to 0 (unknown). */
  forgetPlaces(): void {
    this.set(AT.address, 0, 0)
    this.set(AT.place, 0, 0)
  }

  /** Compares phones, e-mails and attributes of records i and j. */
  compareContacts(i: number, j: number): void {
    const { width } = this.records
    this.#contacts.compare(i * width, j * width)
  }

  #names(left: number, right: number): void {
    const { rows, texts } = this.records
    const firstA = rows[left + SLOT.first]!
    const firstB = rows[right + SLOT.first]!
    const lastA = rows[left + SLOT.last]!
    const lastB = rows[right + SLOT.last]!
    const middleA = rows[left + SLOT.middle]!
    const middleB = rows[right + SLOT.middle]!
    this.#first(firstA, firstB)
    this.#last(left, right, lastA, lastB)
    this.#middle(middleA, middleB)
    if (firstA === 0 || firstB === 0 || lastA === 0 || lastB === 0)
      this.#singleWord(firstA, lastA, firstB, lastB)
    if (this.levels[AT.first_name]! >= FIRST.sound) {
      // Names may also be swapped when the records share a former last name, so only an equal last name rules this out.
      if (this.levels[AT.last_name] !== LAST.exact && this.#crossed(left, right)) {
        this.set(AT.first_name, FIRST.swapped, this.#crossedFirst)
        this.set(AT.last_name, 0, 0)
        this.set(AT.middle_name, 0, 0)
      } else this.#goesByMiddle(firstA, middleA, firstB, middleB)
    }
    const suffixA = rows[left + SLOT.suffix]!
    const suffixB = rows[right + SLOT.suffix]!
    const unknown =
      suffixA === 0 || suffixB === 0 || isJuniorSecond(texts.hash[suffixA]!, texts.hash[suffixB]!)
    this.set(AT.name_suffix, unknown ? 0 : suffixA === suffixB ? SUFFIX.same : SUFFIX.different, 0)
  }

  // Sources put a name of one word into either field. When it differs from the other record's name in the same field, it is compared with the
  // other record's name in the other field.
  #singleWord(firstA: number, lastA: number, firstB: number, lastB: number): void {
    const first = this.levels[AT.first_name]!
    const last = this.levels[AT.last_name]!
    if ((first !== 0 && first < FIRST.sound) || (last !== 0 && last < LAST.sound)) return
    const isSingleA = (firstA === 0) !== (lastA === 0)
    const isSingleB = (firstB === 0) !== (lastB === 0)
    if ((isSingleA || isSingleB) && (this.#isSameName(firstA, lastB) || this.#isSameName(firstB, lastA))) {
      this.set(AT.first_name, FIRST.single, 0)
      this.set(AT.last_name, 0, 0)
    }
  }

  #isSameName(a: number, b: number): boolean {
    if (a === 0 || b === 0 || !this.#isWord(a) || !this.#isWord(b)) return false
    const level = this.#lastLevel(a, b)
    return level === LAST.exact || level === LAST.near
  }

  #goesByMiddle(firstA: number, middleA: number, firstB: number, middleB: number): void {
    const one = firstA === middleB && this.#isWord(firstA)
    const other = firstB === middleA && this.#isWord(firstB)
    if (!one && !other) return
    const agreed = one && other ? this.chosen(firstA, firstB) : one ? firstA : firstB
    this.set(AT.first_name, FIRST.middle, agreed)
    this.set(AT.middle_name, 0, 0)
  }

  #first(a: number, b: number): void {
    if (a === 0 || b === 0) return this.set(AT.first_name, 0, 0)
    if (a === b) return this.set(AT.first_name, FIRST.exact, a)
    const like = this.similarity.names(a, b)
    // The weight depends on the frequency of the nickname class. The two names may have different classes, so the hash chooses one of them.
    if (like === SIMILARITY.nickname) return this.set(AT.first_name, FIRST.nickname, this.chosen(a, b))
    const level = FIRST_OF[like]!
    const isOther = level === FIRST.near && this.#bothKnown(a, b, KNOWN_FIRST)
    this.set(AT.first_name, isOther ? FIRST.similar : level, 0)
  }

  #middle(a: number, b: number): void {
    if (a === 0 || b === 0) return this.set(AT.middle_name, 0, 0)
    const { starts, bytes } = this.records.texts
    const lengthA = starts[a + 1]! - starts[a]!
    const lengthB = starts[b + 1]! - starts[b]!
    if (lengthA === 1 || lengthB === 1) {
      const same = bytes[starts[a]!] === bytes[starts[b]!]
      return this.set(AT.middle_name, same ? MIDDLE.initial : MIDDLE.different, 0)
    }
    if (a === b) return this.set(AT.middle_name, MIDDLE.exact, a)
    const alike = this.similarity.names(a, b) !== SIMILARITY.none
    this.set(AT.middle_name, alike ? MIDDLE.near : MIDDLE.different, 0)
  }

  #last(left: number, right: number, a: number, b: number): void {
    const { rows, lists } = this.records
    const placeA = rows[left + SLOT.others]!
    const placeB = rows[right + SLOT.others]!
    const othersA = lists[placeA]!
    const othersB = lists[placeB]!
    if ((a === 0 && othersA === 0) || (b === 0 && othersB === 0)) return this.set(AT.last_name, 0, 0)
    let best: number = a === 0 || b === 0 ? LAST.different : this.#lastLevel(a, b)
    let agreed = best === LAST.exact ? a : 0
    if (best !== LAST.exact && othersA + othersB > 0) {
      for (let x = 0; x <= othersA; x++) {
        const nameA = x === 0 ? a : lists[placeA + x]!
        for (let y = 0; y <= othersB; y++) {
          const nameB = y === 0 ? b : lists[placeB + y]!
          if (nameA === 0 || nameA !== nameB) continue
          if (best !== LAST.former || this.before(nameA, agreed)) agreed = nameA
          best = LAST.former
        }
      }
    }
    this.set(AT.last_name, best, agreed)
  }

  #lastLevel(a: number, b: number): number {
    if (a === b) return LAST.exact
    const level = LAST_OF[this.similarity.names(a, b)]!
    return level === LAST.near && this.#bothKnown(a, b, KNOWN_LAST) ? LAST.similar : level
  }

  // GARY and MARY, SIMPSON and SIMSON differ in one letter. Both are known names, so the difference is not a typo.
  #bothKnown(a: number, b: number, kind: number): boolean {
    const { known } = this.records.texts
    return (known[a]! & known[b]! & kind) !== 0
  }

  // Returns whether one record's first and last name are in other fields of the other record: the parts of the name are swapped.
  #crossed(left: number, right: number): boolean {
    const { hash } = this.records.texts
    this.#crossedFirst = 0
    this.crossedLast = 0
    this.#findElsewhere(left, right)
    const first = this.#crossedFirst
    const last = this.crossedLast
    this.#findElsewhere(right, left)
    // Both directions may find different names. The hash chooses between them, so that the result is symmetric.
    if (first !== 0 && (hash[first]! ^ hash[last]!) < (hash[this.#crossedFirst]! ^ hash[this.crossedLast]!)) {
      this.#crossedFirst = first
      this.crossedLast = last
    }
    return this.#crossedFirst !== 0
  }

  // Looks for first and last name of `from` in other fields of `to`. Without success the fields of an earlier search stay as they are.
  #findElsewhere(from: number, to: number): void {
    const { rows } = this.records
    const first = rows[from + SLOT.first]!
    const last = rows[from + SLOT.last]!
    const toFirst = rows[to + SLOT.first]!
    const toMiddle = rows[to + SLOT.middle]!
    const toLast = rows[to + SLOT.last]!
    if (first === 0 || last === 0 || !this.#isWord(first) || !this.#isWord(last)) return
    const exactFirst = first === toLast || first === toMiddle
    const exactLast = last === toFirst || last === toMiddle
    if (exactFirst && exactLast) {
      if (toLast === first || toFirst === last) this.#cross(first, last)
      // One of the two names may have a typo, when the other name is equal to the name in the swapped field.
    } else if (first === toLast) this.#cross(first, this.#alike(last, toFirst) || this.#alike(last, toMiddle))
    else if (last === toFirst) this.#cross(this.#alike(first, toLast) || this.#alike(first, toMiddle), last)
  }

  #cross(first: number, last: number): void {
    if (first === 0 || last === 0) return
    this.#crossedFirst = first
    this.crossedLast = last
  }

  // Returns one of two similar spellings: the known name, or else the one that the hash chooses. Returns 0 when they are not similar.
  #alike(a: number, b: number): number {
    if (a === 0 || b === 0 || !this.#isWord(b) || this.similarity.texts(a, b) === SIMILARITY.none) return 0
    const { known } = this.records.texts
    if ((known[a] === 0) !== (known[b] === 0)) return known[a] === 0 ? b : a
    return this.chosen(a, b)
  }

  #isWord(a: number): boolean {
    const { starts } = this.records.texts
    return starts[a + 1]! - starts[a]! > 1
  }
}

const FIRST_OF: readonly number[] = [
  FIRST.different,
  FIRST.similar,
  FIRST.sound,
  FIRST.near,
  FIRST.part,
  FIRST.nickname,
  FIRST.initial,
]
const LAST_OF: readonly number[] = [
  LAST.different,
  LAST.similar,
  LAST.sound,
  LAST.near,
  LAST.part,
  LAST.near,
  LAST.different,
]

function isJuniorSecond(a: number, b: number): boolean {
  return (a === JUNIOR && b === SECOND) || (a === SECOND && b === JUNIOR)
}
