import { compareBirthDates } from './birth-dates.ts'
import { ADDRESS, AT, ATTRIBUTE, EMAIL, FIRST, LAST, MIDDLE, PHONE, PLACE, SUFFIX } from './levels.ts'
import { ADDRESS_WIDTH, HOUSEHOLD_LIKE, type Mentions, PART, SLOT } from './mentions.ts'
import { LIKENESS, TextLikeness } from './text-likeness.ts'
import { hashText, KNOWN_FIRST, KNOWN_LAST } from './texts.ts'

const JUNIOR = hashText('JR')
const SECOND = hashText('II')

/**
 * Compares two mentions: `levels[c]` is the level of comparison c (0 where either side does not know), `agreed[c]` the
 * text on which they agree where the weight depends on its frequency (else 0). (i, j) gives what (j, i) gives.
 */
export class PairComparer {
  readonly levels: Uint8Array
  readonly agreed: Int32Array
  /** Of swapped names the last name of one side; its first name is what they agree on. */
  crossedLast = 0
  #crossedFirst = 0
  readonly #mentions: Mentions
  readonly #likeness: TextLikeness
  readonly #attributeCount: number

  constructor(mentions: Mentions) {
    this.#mentions = mentions
    this.#likeness = new TextLikeness(mentions.texts)
    this.#attributeCount = mentions.attributes.length
    this.levels = new Uint8Array(AT.attributes + this.#attributeCount)
    this.agreed = new Int32Array(AT.attributes + this.#attributeCount)
  }

  compare(i: number, j: number): void {
    this.compareNames(i, j)
    this.comparePlaces(i, j)
    this.compareContacts(i, j)
  }

  /** Names and birth date. */
  compareNames(i: number, j: number): void {
    const { rows, width } = this.#mentions
    const left = i * width
    const right = j * width
    this.#names(left, right)
    this.levels[AT.birth_date] = compareBirthDates(rows[left + SLOT.birth]!, rows[right + SLOT.birth]!)
  }

  /** Address and place. */
  comparePlaces(i: number, j: number): void {
    const { width } = this.#mentions
    this.#set(AT.address, 0, 0)
    this.#set(AT.place, 0, 0)
    this.#addresses(i * width, j * width)
  }

  /** Telephones, e-mails and attributes. */
  compareContacts(i: number, j: number): void {
    const { rows, width } = this.#mentions
    const left = i * width
    const right = j * width
    this.#phones(left, right)
    this.#emails(left, right)
    const known = rows[left + SLOT.known]! & rows[right + SLOT.known]!
    for (let a = 0; a < this.#attributeCount; a++) {
      if ((known & (1 << a)) === 0) this.#set(AT.attributes + a, 0, 0)
      else this.#attribute(a, rows[left + SLOT.attributes + a]!, rows[right + SLOT.attributes + a]!)
    }
  }

  #set(comparison: number, level: number, agreed: number): void {
    this.levels[comparison] = level
    this.agreed[comparison] = agreed
  }

  // Of several agreed texts one must be named: by hash, so that the choice does not depend on numbers given by arrival.
  #before(a: number, b: number): boolean {
    return this.#mentions.texts.hash[a]! < this.#mentions.texts.hash[b]!
  }

  #chosen(a: number, b: number): number {
    return this.#before(a, b) ? a : b
  }

  #names(left: number, right: number): void {
    const { rows, texts } = this.#mentions
    const firstA = rows[left + SLOT.first]!
    const firstB = rows[right + SLOT.first]!
    const lastA = rows[left + SLOT.last]!
    const lastB = rows[right + SLOT.last]!
    const middleA = rows[left + SLOT.middle]!
    const middleB = rows[right + SLOT.middle]!
    this.#first(firstA, firstB)
    this.#last(left, right, lastA, lastB)
    this.#middle(middleA, middleB)
    if (this.levels[AT.first_name]! >= FIRST.sound) {
      // A former name that they share is no reason against it.
      if (this.levels[AT.last_name] !== LAST.exact && this.#crossed(left, right)) {
        this.#set(AT.first_name, FIRST.swapped, this.#crossedFirst)
        this.#set(AT.last_name, 0, 0)
        this.#set(AT.middle_name, 0, 0)
      } else this.#goesByMiddle(firstA, middleA, firstB, middleB)
    }
    const suffixA = rows[left + SLOT.suffix]!
    const suffixB = rows[right + SLOT.suffix]!
    const unknown =
      suffixA === 0 || suffixB === 0 || isJuniorSecond(texts.hash[suffixA]!, texts.hash[suffixB]!)
    this.#set(AT.name_suffix, unknown ? 0 : suffixA === suffixB ? SUFFIX.same : SUFFIX.different, 0)
  }

  #goesByMiddle(firstA: number, middleA: number, firstB: number, middleB: number): void {
    const one = firstA === middleB && this.#isWord(firstA)
    const other = firstB === middleA && this.#isWord(firstB)
    if (!one && !other) return
    const agreed = one && other ? this.#chosen(firstA, firstB) : one ? firstA : firstB
    this.#set(AT.first_name, FIRST.middle, agreed)
    this.#set(AT.middle_name, 0, 0)
  }

  #first(a: number, b: number): void {
    if (a === 0 || b === 0) return this.#set(AT.first_name, 0, 0)
    if (a === b) return this.#set(AT.first_name, FIRST.exact, a)
    const like = this.#likeness.names(a, b)
    // The frequency that counts is that of the class; where the two are of several, of one chosen by hash.
    if (like === LIKENESS.nickname) return this.#set(AT.first_name, FIRST.nickname, this.#chosen(a, b))
    const level = FIRST_OF[like]!
    const isOther = level === FIRST.near && this.#bothKnown(a, b, KNOWN_FIRST)
    this.#set(AT.first_name, isOther ? FIRST.similar : level, 0)
  }

  #middle(a: number, b: number): void {
    if (a === 0 || b === 0) return this.#set(AT.middle_name, 0, 0)
    const { starts, bytes } = this.#mentions.texts
    const shorter = Math.min(starts[a + 1]! - starts[a]!, starts[b + 1]! - starts[b]!)
    if (shorter === 1) {
      const same = bytes[starts[a]!] === bytes[starts[b]!]
      return this.#set(AT.middle_name, same ? MIDDLE.initial : MIDDLE.different, 0)
    }
    if (a === b) return this.#set(AT.middle_name, MIDDLE.exact, a)
    const alike = this.#likeness.names(a, b) !== LIKENESS.none
    this.#set(AT.middle_name, alike ? MIDDLE.near : MIDDLE.different, 0)
  }

  #last(left: number, right: number, a: number, b: number): void {
    const { rows, lists } = this.#mentions
    const othersA = rows[left + SLOT.others + 1]!
    const othersB = rows[right + SLOT.others + 1]!
    if ((a === 0 && othersA === 0) || (b === 0 && othersB === 0)) return this.#set(AT.last_name, 0, 0)
    let best: number = a === 0 || b === 0 ? LAST.different : this.#lastLevel(a, b)
    let agreed = best === LAST.exact ? a : 0
    if (best !== LAST.exact && othersA + othersB > 0) {
      for (let x = -1; x < othersA; x++) {
        const nameA = x < 0 ? a : lists[rows[left + SLOT.others]! + x]!
        for (let y = -1; y < othersB; y++) {
          const nameB = y < 0 ? b : lists[rows[right + SLOT.others]! + y]!
          if (nameA === 0 || nameA !== nameB) continue
          if (best !== LAST.former || this.#before(nameA, agreed)) agreed = nameA
          best = LAST.former
        }
      }
    }
    this.#set(AT.last_name, best, agreed)
  }

  #lastLevel(a: number, b: number): number {
    if (a === b) return LAST.exact
    const level = LAST_OF[this.#likeness.names(a, b)]!
    return level === LAST.near && this.#bothKnown(a, b, KNOWN_LAST) ? LAST.similar : level
  }

  // GARY and MARY, SIMPSON and SIMSON: a letter apart, and yet two names.
  #bothKnown(a: number, b: number, kind: number): boolean {
    const { known } = this.#mentions.texts
    return (known[a]! & known[b]! & kind) !== 0
  }

  // The parts of one name in another order: both of one side's first and last name stand elsewhere on the other side.
  #crossed(left: number, right: number): boolean {
    const { hash } = this.#mentions.texts
    this.#crossedFirst = 0
    this.crossedLast = 0
    this.#findElsewhere(left, right)
    const [first, last] = [this.#crossedFirst, this.crossedLast]
    this.#findElsewhere(right, left)
    // Where both sides find other parts, the hash decides, not which side is called left.
    if (first !== 0 && (hash[first]! ^ hash[last]!) < (hash[this.#crossedFirst]! ^ hash[this.crossedLast]!)) {
      this.#crossedFirst = first
      this.crossedLast = last
    }
    return this.#crossedFirst !== 0
  }

  // Leaves what was found before where nothing is.
  #findElsewhere(from: number, to: number): void {
    const { rows } = this.#mentions
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
      // One of the two may be mistyped, and the one that is not must be in the other's place.
    } else if (first === toLast) this.#cross(first, this.#alike(last, toFirst) || this.#alike(last, toMiddle))
    else if (last === toFirst) this.#cross(this.#alike(first, toLast) || this.#alike(first, toMiddle), last)
  }

  #cross(first: number, last: number): void {
    if (first === 0 || last === 0) return
    this.#crossedFirst = first
    this.crossedLast = last
  }

  // Of two spellings the one that is known as a name, else one chosen by hash; 0 where they are not alike.
  #alike(a: number, b: number): number {
    if (a === 0 || b === 0 || !this.#isWord(b) || this.#likeness.texts(a, b) === LIKENESS.none) return 0
    const { known } = this.#mentions.texts
    if ((known[a] === 0) !== (known[b] === 0)) return known[a] === 0 ? b : a
    return this.#chosen(a, b)
  }

  #isWord(a: number): boolean {
    const { starts } = this.#mentions.texts
    return starts[a + 1]! - starts[a]! > 1
  }

  #addresses(left: number, right: number): void {
    const { rows, lists } = this.#mentions
    const countA = rows[left + SLOT.addresses + 1]!
    const countB = rows[right + SLOT.addresses + 1]!
    if (countA === 0 || countB === 0) return
    let best = 0
    let agreed = 0
    let place = 0
    let placeText = 0
    for (let x = 0; x < countA; x++) {
      const a = lists[rows[left + SLOT.addresses]! + x]! * ADDRESS_WIDTH
      for (let y = 0; y < countB; y++) {
        const b = lists[rows[right + SLOT.addresses]! + y]! * ADDRESS_WIDTH
        this.#place(a, b)
        const nearby = this.levels[AT.place]!
        if (
          nearby !== 0 &&
          (place === 0 ||
            nearby < place ||
            (nearby === place && this.#before(this.agreed[AT.place]!, placeText)))
        ) {
          place = nearby
          placeText = this.agreed[AT.place]!
        }
        this.#address(a, b, nearby)
        const level = this.levels[AT.address]!
        if (
          level !== 0 &&
          (best === 0 || level < best || (level === best && this.#before(this.agreed[AT.address]!, agreed)))
        ) {
          best = level
          agreed = this.agreed[AT.address]!
        }
      }
    }
    this.#set(AT.address, best, agreed)
    // Who lives in one building lives in one place: counting both would count one fact twice.
    // Where a source lists households, one building is no more than one place.
    const shares = best !== 0 && best <= ADDRESS.street
    if (shares && (this.#listsHouseholds(left) || this.#listsHouseholds(right))) this.#set(AT.address, 0, 0)
    else if (shares) return this.#set(AT.place, 0, 0)
    this.#set(AT.place, place, placeText)
  }

  #listsHouseholds(row: number): boolean {
    const { rows, sources } = this.#mentions
    return (sources[rows[row + SLOT.source]!]! & HOUSEHOLD_LIKE) !== 0
  }

  #address(a: number, b: number, place: number): void {
    const { addresses } = this.#mentions
    const streetA = addresses[a + PART.street]!
    const streetB = addresses[b + PART.street]!
    const buildingA = addresses[a + PART.building]!
    const buildingB = addresses[b + PART.building]!
    if (a === b && buildingA !== 0) return this.#set(AT.address, ADDRESS.unit, addresses[a + PART.unit_key]!)
    if ((streetA === 0 && buildingA === 0) || (streetB === 0 && buildingB === 0))
      return this.#set(AT.address, 0, 0)
    const houseA = addresses[a + PART.house]!
    const houseB = addresses[b + PART.house]!
    const sameStreet = streetA !== 0 && streetA === streetB
    const together = place !== 0 && place <= PLACE.near
    const sameBuilding = buildingA !== 0 && buildingA === buildingB
    if (sameBuilding || (sameStreet && houseA !== 0 && houseA === houseB && together)) {
      const unitA = addresses[a + PART.unit]!
      const unitB = addresses[b + PART.unit]!
      if (unitA === unitB)
        return this.#set(
          AT.address,
          ADDRESS.unit,
          this.#chosen(addresses[a + PART.unit_key]!, addresses[b + PART.unit_key]!),
        )
      const level = unitA === 0 || unitB === 0 ? ADDRESS.building : ADDRESS.other_unit
      return this.#set(AT.address, level, this.#chosen(buildingA, buildingB))
    }
    this.#set(AT.address, this.#nearAddress(houseA, houseB, streetA, streetB, together, place === 0), 0)
  }

  #nearAddress(
    houseA: number,
    houseB: number,
    streetA: number,
    streetB: number,
    together: boolean,
    unplaced: boolean,
  ): number {
    if (streetA === 0 || streetB === 0) return ADDRESS.different
    const sameHouse = houseA !== 0 && houseA === houseB
    if (streetA === streetB) {
      if (sameHouse) return ADDRESS.near
      if (!together && !unplaced) return ADDRESS.different
      if (houseA === 0 || houseB === 0 || this.#likeness.isOneEdit(houseA, houseB)) return ADDRESS.neighbour
      return ADDRESS.street
    }
    if (!together && !sameHouse) return ADDRESS.different
    const alike = this.#likeness.texts(streetA, streetB)
    if (alike === LIKENESS.none) return ADDRESS.different
    if (sameHouse && (together || unplaced || alike === LIKENESS.near)) return ADDRESS.near
    return together && alike === LIKENESS.near ? ADDRESS.street : ADDRESS.different
  }

  #place(a: number, b: number): void {
    const { addresses } = this.#mentions
    const zipA = addresses[a + PART.zip]!
    const zipB = addresses[b + PART.zip]!
    const cityA = addresses[a + PART.city]!
    const cityB = addresses[b + PART.city]!
    const stateA = addresses[a + PART.state]!
    const stateB = addresses[b + PART.state]!
    const zips = zipA !== 0 && zipB !== 0
    const cities = cityA !== 0 && cityB !== 0
    const states = stateA !== 0 && stateB !== 0
    if (!zips && !cities && !states) return this.#set(AT.place, 0, 0)
    if (zips && zipA === zipB) return this.#set(AT.place, PLACE.zip, zipA)
    if (cities && cityA === cityB && (!states || stateA === stateB))
      return this.#set(AT.place, PLACE.city, cityA)
    if (cities && this.#likeness.texts(cityA, cityB) !== LIKENESS.none)
      return this.#set(AT.place, PLACE.near, 0)
    if (zips && this.#likeness.isOneEdit(zipA, zipB)) return this.#set(AT.place, PLACE.near, 0)
    // With nothing finer known on both sides, one state says too little to be told from two places in it.
    if (states && stateA === stateB) return this.#set(AT.place, zips || cities ? PLACE.state : 0, 0)
    this.#set(AT.place, PLACE.different, 0)
  }

  #phones(left: number, right: number): void {
    const { rows, lists } = this.#mentions
    const countA = rows[left + SLOT.phones + 1]!
    const countB = rows[right + SLOT.phones + 1]!
    if (countA === 0 || countB === 0) return this.#set(AT.phone, 0, 0)
    let best: number = PHONE.different
    let agreed = 0
    for (let x = 0; x < countA; x++) {
      const a = lists[rows[left + SLOT.phones]! + x]!
      for (let y = 0; y < countB; y++) {
        const b = lists[rows[right + SLOT.phones]! + y]!
        if (a === b) {
          if (best !== PHONE.same || this.#before(a, agreed)) agreed = a
          best = PHONE.same
        } else if (best === PHONE.different && this.#likeness.isOneEdit(a, b)) best = PHONE.near
      }
    }
    this.#set(AT.phone, best, agreed)
  }

  #emails(left: number, right: number): void {
    const { rows, lists, emailNames } = this.#mentions
    const countA = rows[left + SLOT.emails + 1]!
    const countB = rows[right + SLOT.emails + 1]!
    if (countA === 0 || countB === 0) return this.#set(AT.email, 0, 0)
    let best: number = EMAIL.different
    let agreed = 0
    for (let x = 0; x < countA; x++) {
      const a = lists[rows[left + SLOT.emails]! + x]!
      for (let y = 0; y < countB; y++) {
        const b = lists[rows[right + SLOT.emails]! + y]!
        if (a === b) {
          if (best !== EMAIL.same || this.#before(a, agreed)) agreed = a
          best = EMAIL.same
          continue
        }
        const nameA = emailNames[a]!
        const nameB = emailNames[b]!
        if (best > EMAIL.name && nameA !== 0 && nameA === nameB) best = EMAIL.name
        else if (best > EMAIL.near && this.#likeness.texts(nameA, nameB) === LIKENESS.near) best = EMAIL.near
      }
    }
    this.#set(AT.email, best, agreed)
  }

  #attribute(attribute: number, a: number, b: number): void {
    const comparison = AT.attributes + attribute
    if (a === b) return this.#set(comparison, ATTRIBUTE.same, a)
    const alike = this.#mentions.attributes[attribute]!.isIdentifier
      ? this.#isMistyped(a, b)
      : this.#likeness.texts(a, b) === LIKENESS.near
    this.#set(comparison, alike ? ATTRIBUTE.near : ATTRIBUTE.different, 0)
  }

  // Numbers given out in a row differ at their end: who registered together has neighbours, not a slip of the pen.
  #isMistyped(a: number, b: number): boolean {
    const { starts, bytes } = this.#mentions.texts
    const endA = starts[a + 1]!
    const endB = starts[b + 1]!
    if (endA - starts[a]! < 5 || bytes[endA - 1] !== bytes[endB - 1] || bytes[endA - 2] !== bytes[endB - 2])
      return false
    return this.#likeness.isOneEdit(a, b)
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
