import { FieldComparer } from './field-comparer.ts'
import { AT, ATTRIBUTE, EMAIL, PHONE } from './levels.ts'
import { SLOT } from '../records/records.ts'
import { SIMILARITY } from './text-similarity.ts'

/** Compares phones, e-mails, identifiers and traits of two records. */
export class ContactComparer extends FieldComparer {
  /** Compares two records. `left` and `right` are the starts of their rows in `Records.rows`. */
  compare(left: number, right: number): void {
    const { rows, attributes } = this.records
    this.#lists(AT.phone, rows[left + SLOT.phones]!, rows[right + SLOT.phones]!, this.#phoneLevel)
    this.#lists(AT.email, rows[left + SLOT.emails]!, rows[right + SLOT.emails]!, this.#emailLevel)
    const known = rows[left + SLOT.known]! & rows[right + SLOT.known]!
    for (let a = 0; a < attributes.length; a++) {
      if ((known & (1 << a)) === 0) this.set(AT.attributes + a, 0, 0)
      else this.#attribute(a, rows[left + SLOT.attributes + a]!, rows[right + SLOT.attributes + a]!)
    }
  }

  // Compares two lists of values. The most similar pair of values counts; an equal pair has level 1. `levelOf` compares two different values.
  #lists(
    comparison: number,
    placeA: number,
    placeB: number,
    levelOf: (a: number, b: number) => number,
  ): void {
    if (placeA === 0 || placeB === 0) return this.set(comparison, 0, 0)
    const { lists } = this.records
    let best = Number.POSITIVE_INFINITY
    let agreed = 0
    const endA = placeA + lists[placeA]!
    const endB = placeB + lists[placeB]!
    for (let x = placeA + 1; x <= endA; x++) {
      const a = lists[x]!
      for (let y = placeB + 1; y <= endB; y++) {
        const b = lists[y]!
        if (a !== b) {
          if (best > 1) best = Math.min(best, levelOf(a, b))
        } else {
          if (best !== 1 || this.before(a, agreed)) agreed = a
          best = 1
        }
      }
    }
    this.set(comparison, best, agreed)
  }

  readonly #phoneLevel = (a: number, b: number): number =>
    this.similarity.isOneEdit(a, b) ? PHONE.near : PHONE.different

  readonly #emailLevel = (a: number, b: number): number => {
    const nameA = this.records.emailNames[a]!
    const nameB = this.records.emailNames[b]!
    if (nameA !== 0 && nameA === nameB) return EMAIL.name
    return this.similarity.texts(nameA, nameB) === SIMILARITY.near ? EMAIL.near : EMAIL.different
  }

  #attribute(attribute: number, a: number, b: number): void {
    const comparison = AT.attributes + attribute
    if (a === b) return this.set(comparison, ATTRIBUTE.same, a)
    const alike = this.records.attributes[attribute]!.isIdentifier
      ? this.#isMistyped(a, b)
      : this.similarity.texts(a, b) === SIMILARITY.near
    this.set(comparison, alike ? ATTRIBUTE.near : ATTRIBUTE.different, 0)
  }

  // Returns whether two identifiers differ by one typo. Offices give out consecutive numbers, which differ in their last digits. Two people who
  // registered together have such numbers, so a difference in the last two digits does not count as a typo.
  #isMistyped(a: number, b: number): boolean {
    const { starts, bytes } = this.records.texts
    const endA = starts[a + 1]!
    const endB = starts[b + 1]!
    if (endA - starts[a]! < 5 || bytes[endA - 1] !== bytes[endB - 1] || bytes[endA - 2] !== bytes[endB - 2])
      return false
    return this.similarity.isOneEdit(a, b)
  }
}
