import { ADDRESS, AT, ATTRIBUTE, BIRTH, EMAIL, PHONE } from '../compare/levels.ts'
import type { Attribute } from '../records/records.ts'
import { NAMES, namesOf } from '../compare/name-agreement.ts'
import { levelIn, type PatternCounts } from './patterns.ts'

/** Pairs that agree in one way, and that are surely of one person. */
export interface Anchor {
  /** Level by comparison; 0 where it is not known, and where the level itself makes the pair an anchor. */
  readonly levels: readonly number[]
  readonly count: number
}

/**
 * Candidates whose names agree, and which share what strangers of one name hardly ever share: the birth date, a telephone, an e-mail
 * address, a home or an identifier. How else such pairs stand to each other tells how the records of one person do, without any model. A
 * comparison is left out of the pairs that it alone selects, since among them it agrees always.
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
