import { comparisonsOf } from '../../../src/link/compare/levels.ts'
import { namesOf } from '../../../src/link/compare/name-agreement.ts'
import type { Pattern } from '../../../src/link/model/patterns.ts'
import type { Attribute } from '../../../src/link/records/records.ts'

/** Returns patterns with these levels by comparison, all others unknown, and with these numbers of pairs. No frequency counts. */
export function patternsOf(
  given: readonly (readonly [levels: Readonly<Record<string, number>>, count: number])[],
  attributes: readonly Attribute[] = [],
): Pattern[] {
  return given.map(([levels, count]) => ({
    levels: Uint8Array.from(comparisonsOf(attributes), ({ name }) => levels[name] ?? 0),
    names: namesOf(levels['first_name'] ?? 0, levels['last_name'] ?? 0),
    frequency: 0,
    sharedFrequency: 0,
    count,
  }))
}
