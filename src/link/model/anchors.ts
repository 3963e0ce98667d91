import { ADDRESS, AT, ATTRIBUTE, BIRTH, EMAIL, PHONE } from '../compare/levels.ts'
import type { Attribute } from '../records/records.ts'
import { NAMES } from '../compare/name-agreement.ts'
import type { Pattern } from './patterns.ts'

/** Pairs with one agreement pattern that are almost surely one person (anchors). */
export interface Anchor {
  /** Level per comparison; 0 where it is unknown, and where this level alone made the pair an anchor. */
  readonly levels: Uint8Array
  readonly count: number
}

/**
 * Returns candidate pairs that agree in both names and in one more value that strangers rarely share: birth date,
 * phone, e-mail address, home or identifier. These anchors show how records of one person agree, without a model. If
 * a single comparison selects a pair, that comparison is set to unknown, because it always agrees among such pairs.
 */
export function anchorsIn(candidates: readonly Pattern[], attributes: readonly Attribute[]): Anchor[] {
  const anchors: Anchor[] = []
  for (const { levels, names, count } of candidates) {
    const strong = names === NAMES.both ? strongIn(levels, attributes) : []
    if (strong.length > 0)
      anchors.push({ levels: strong.length > 1 ? levels : levels.with(strong[0]!, 0), count })
  }
  return anchors
}

/** Returns the comparisons in which two records agree on a value that few people share. */
export function strongIn(levels: Uint8Array, attributes: readonly Attribute[]): number[] {
  const strong: number[] = []
  if (levels[AT.birth_date] === BIRTH.exact) strong.push(AT.birth_date)
  if (levels[AT.address] === ADDRESS.unit) strong.push(AT.address)
  if (levels[AT.phone] === PHONE.same) strong.push(AT.phone)
  if (levels[AT.email] === EMAIL.same) strong.push(AT.email)
  attributes.forEach(({ isIdentifier }, a) => {
    if (isIdentifier && levels[AT.attributes + a] === ATTRIBUTE.same) strong.push(AT.attributes + a)
  })
  return strong
}
