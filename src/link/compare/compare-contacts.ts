import { FieldComparer } from './field-comparer.ts'
import { AT, ATTRIBUTE, EMAIL, PHONE } from './levels.ts'
import { SLOT } from '../records/records.ts'
import { SIMILARITY } from './text-similarity.ts'

/** Compares phones, e-mails, identifiers and traits of two records. */
export class ContactComparer extends FieldComparer {
  /** Compares two records. `left` and `right` are the starts of their rows in `Records.rows`. */
  compare(left: number, right: number): void {
    this.#phones(left, right)
    this.#emails(left, right)
    const { rows, attributes } = this.records
    const known = rows[left + SLOT.known]! & rows[right + SLOT.known]!
    for (let a = 0; a < attributes.length; a++) {
      if ((known & (1 << a)) === 0) this.set(AT.attributes + a, 0, 0)
      else this.#attribute(a, rows[left + SLOT.attributes + a]!, rows[right + SLOT.attributes + a]!)
    }
  }

  #phones(left: number, right: number): void {
    const { rows, lists } = this.records
    const placeA = rows[left + SLOT.phones]!
    const placeB = rows[right + SLOT.phones]!
    if (placeA === 0 || placeB === 0) return this.set(AT.phone, 0, 0)
    let best: number = PHONE.different
    let agreed = 0
    const endA = placeA + lists[placeA]!
    const endB = placeB + lists[placeB]!
    for (let x = placeA + 1; x <= endA; x++) {
      const a = lists[x]!
      for (let y = placeB + 1; y <= endB; y++) {
        const b = lists[y]!
        if (a === b) {
          if (best !== PHONE.same || this.before(a, agreed)) agreed = a
          best = PHONE.same
        } else if (best === PHONE.different && this.similarity.isOneEdit(a, b)) best = PHONE.near
      }
    }
    this.set(AT.phone, best, agreed)
  }

  #emails(left: number, right: number): void {
    const { rows, lists, emailNames } = this.records
    const placeA = rows[left + SLOT.emails]!
    const placeB = rows[right + SLOT.emails]!
    if (placeA === 0 || placeB === 0) return this.set(AT.email, 0, 0)
    let best: number = EMAIL.different
    let agreed = 0
    const endA = placeA + lists[placeA]!
    const endB = placeB + lists[placeB]!
    for (let x = placeA + 1; x <= endA; x++) {
      const a = lists[x]!
      for (let y = placeB + 1; y <= endB; y++) {
        const b = lists[y]!
        if (a === b) {
          if (best !== EMAIL.same || this.before(a, agreed)) agreed = a
          best = EMAIL.same
          continue
        }
        const nameA = emailNames[a]!
        const nameB = emailNames[b]!
        if (best > EMAIL.name && nameA !== 0 && nameA === nameB) best = EMAIL.name
        else if (best > EMAIL.near && this.similarity.texts(nameA, nameB) === SIMILARITY.near)
          best = EMAIL.near
      }
    }
    this.set(AT.email, best, agreed)
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
