import { patternsOf } from './count-patterns.ts'
import { pairsSharing, shuffled } from './draw-pairs.ts'
import { AT, ATTRIBUTE, comparisonsOf } from '../compare/levels.ts'
import { ADDRESS_WIDTH, type Records, PART, SLOT } from '../records/records.ts'
import { NAMES } from '../compare/name-agreement.ts'
import type { Pattern } from './patterns.ts'
import { agrees, type Repeat } from './repeats.ts'
import type { Agreements } from './term-counts.ts'
import type { LinkThreads } from '../threads/threads.ts'

/** Number of pairs to draw for each comparison, among records that agree in it. */
const PAIRS_OF_EACH = 50_000
/** A share is accepted if it exceeds the share by chance by more than this many standard errors. */
const STANDARD_ERRORS = 4
/** Prior: the estimate includes this many invented pairs that agree at the rate of chance. */
const PRIOR_PAIRS = 200

/**
 * Finds traits that repeat another comparison: place, address, birth date, phone, or an earlier trait. Draws pairs of
 * records that agree in the other comparison. Pairs with different names are strangers. If these strangers agree in
 * the trait more often than all strangers do, the trait repeats the comparison.
 */
export async function findRepeats(
  records: Records,
  agreements: Agreements,
  threads: LinkThreads,
): Promise<Repeat[]> {
  const comparisons = comparisonsOf(records.attributes)
  const traits = records.attributes.flatMap(({ isIdentifier }, a) =>
    isIdentifier ? [] : [AT.attributes + a],
  )
  if (traits.length === 0) return []
  const order = shuffled(records)
  const repeats: Repeat[] = []
  for (const [of, valueOf] of valuesOf(records, traits)) {
    const repeating = traits.filter((c) => c > of)
    if (repeating.length === 0) continue
    const pairs = pairsSharing(records, order, PAIRS_OF_EACH, valueOf)
    const patterns = await patternsOf(pairs, records, threads)
    for (const c of repeating) {
      const { name } = comparisons[c]!
      const agreement = agreementAmong(patterns, of, c, agreements[name] ?? 1)
      if (agreement !== undefined) repeats.push({ comparison: name, of: comparisons[of]!.name, agreement })
    }
  }
  return repeats
}

// Returns, for each comparison, a function that gives the value of a record. For several addresses or phones, it is
// the first one.
function valuesOf(
  { rows, width, lists, addresses }: Records,
  traits: readonly number[],
): Map<number, (record: number) => number> {
  const addressPart = (part: number) => (record: number) => {
    const place = rows[record * width + SLOT.addresses]!
    return place === 0 ? 0 : addresses[lists[place + 1]! * ADDRESS_WIDTH + part]!
  }
  const city = addressPart(PART.city)
  const zip = addressPart(PART.zip)
  return new Map([
    [AT.birth_date, (record) => rows[record * width + SLOT.birth]!],
    [AT.address, addressPart(PART.building)],
    [AT.place, (record) => city(record) || zip(record)],
    [
      AT.phone,
      (record) => {
        const place = rows[record * width + SLOT.phones]!
        return place === 0 ? 0 : lists[place + 1]!
      },
    ],
    ...traits.map((c): [number, (record: number) => number] => [
      c,
      (record) => rows[record * width + SLOT.attributes + c - AT.attributes]!,
    ]),
  ])
}

// Returns the share of pairs that agree in `c`, among pairs that agree in `of` and have different names. Undefined
// when the share is not larger than chance.
function agreementAmong(
  patterns: readonly Pattern[],
  of: number,
  c: number,
  chance: number,
): number | undefined {
  let known = 0
  let agreed = 0
  for (const { levels, names, count } of patterns) {
    if (names !== NAMES.differ || levels[c] === 0 || !agrees(levels, of)) continue
    known += count
    if (levels[c] === ATTRIBUTE.same) agreed += count
  }
  const error = Math.sqrt(known * chance * (1 - chance))
  if (agreed <= known * chance + STANDARD_ERRORS * Math.max(1, error)) return undefined
  return (agreed + PRIOR_PAIRS * chance) / (known + PRIOR_PAIRS)
}
