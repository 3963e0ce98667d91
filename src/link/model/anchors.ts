import { ADDRESS, AT, ATTRIBUTE, BIRTH, EMAIL, PHONE } from '../compare/levels.ts'
import type { Attribute } from '../records/records.ts'
import { NAMES, namesOf } from '../compare/name-agreement.ts'
import { levelIn, type PatternCounts } from './patterns.ts'

/** Pairs with one agreement pattern that are almost surely one person (anchors). */
export interface Anchor {
  /** Level per comparison; 0 where it is unknown, and where this level alone made the pair an anchor. */
  readonly levels: readonly number[]
  readonly count: number
}

/**
 * Returns candidate pairs that agree in both names and in one more value that strangers rarely share: birth date,
 * phone, e-mail address, home or identifier. These anchors show how records of one person agree, without a model. If
 * a single comparison selects a pair, that comparison is set to unknown, because it always agrees among such pairs.
 */
export function anchorsIn(candidates: PatternCounts, attributes: readonly Attribute[]): Anchor[] {
  const anchors: Anchor[] = []
  const comparisons = AT.attributes + attributes.length
  for (let k = 0; k < candidates.counts.length; k++) {
    if (namesOf(levelIn(candidates, k, AT.first_name), levelIn(candidates, k, AT.last_name)) !== NAMES.both)
      continue
    const levels = Array.from({ length: comparisons }, (_, c) => levelIn(candidates, k, c))
    const strong = levels.flatMap((level, c) => (isStrong(c, level, attributes) ? [c] : []))
    if (strong.length === 0) continue
    if (strong.length === 1) levels[strong[0]!] = 0
    anchors.push({ levels, count: candidates.counts[k]! })
  }
  return anchors
}

function isStrong(c: number, level: number, attributes: readonly Attribute[]): boolean {
  switch (c) {
    case AT.birth_date:
      return level === BIRTH.exact
    case AT.address:
      return level === ADDRESS.unit
    case AT.phone:
      return level === PHONE.same
    case AT.email:
      return level === EMAIL.same
    default:
      return level === ATTRIBUTE.same && attributes[c - AT.attributes]?.isIdentifier === true
  }
}
