import { AT, ADDRESS, ATTRIBUTE, BIRTH, comparisonsOf, PHONE, PLACE } from '../compare/levels.ts'
import type { Records } from '../records/records.ts'
import type { LinkModel } from './model.ts'
import { NAME_CASES, NAMES, namesOf } from '../compare/name-agreement.ts'
import { sharedCopy } from '../records/texts.ts'

/**
 * A trait (`comparison`) that partly follows from another comparison (`of`). Among different people who agree in `of`,
 * the share `agreement` agrees in the trait too. Example: candidates for office on one list share district (`of`) and
 * party (the trait). So an equal party adds little weight to an equal district.
 */
export type Repeat = LinkModel['repeats'][number]

/** Returns whether two records agree in comparison `of`. `levels` are the levels of the pair. */
export function agrees(levels: Uint8Array, of: number): boolean {
  const level = levels[of]!
  switch (of) {
    case AT.birth_date:
      return level === BIRTH.exact
    case AT.phone:
      return level === PHONE.same
    case AT.address:
      return isBuilding(level)
    case AT.place:
      // For records of one building, places are not compared.
      return (level !== 0 && level <= PLACE.city) || isBuilding(levels[AT.address]!)
    default:
      return level === ATTRIBUTE.same
  }
}

function isBuilding(level: number): boolean {
  return level !== 0 && level <= ADDRESS.other_unit
}

/** How far an agreement follows from other agreements. The arrays are in shared memory. */
export interface RepeatedShares {
  /** By comparison, the chance that strangers agree; 0 where the comparison repeats nothing. */
  readonly chance: Float64Array
  /**
   * At `names * comparisons + c`: among strangers whose names agree in the way `names`, the share that agrees in `c`
   * beyond chance.
   */
  readonly byNames: Float64Array
  /**
   * At `c * comparisons + other`: among strangers who agree in `other`, the share that agrees in `c` beyond chance.
   */
  readonly byOther: Float64Array
}

/** Computes the shares of a model. `comparisons` is missing before the first round of training. */
export function repeatedShares(
  records: Pick<Records, 'attributes'>,
  {
    agreements,
    repeats,
    comparisons: learned,
  }: Pick<LinkModel, 'agreements' | 'repeats'> & Partial<Pick<LinkModel, 'comparisons'>>,
): RepeatedShares {
  const comparisons = comparisonsOf(records.attributes)
  const width = comparisons.length
  const chance = new Float64Array(width)
  const byNames = new Float64Array(width * NAME_CASES)
  const byOther = new Float64Array(width * width)
  comparisons.forEach(({ name, repeatsNames }, c) => {
    const u = agreements[name]
    if (repeatsNames !== true || u === undefined) return
    const among = learned?.find(({ comparison }) => comparison === name)?.levels[0]?.u_by_names
    if (among !== undefined) {
      byNames[NAMES.last * width + c] = beyondChance(among.last, u)
      byNames[NAMES.first * width + c] = beyondChance(among.first, u)
      byNames[NAMES.both * width + c] = beyondChance(among.both, u)
    }
    for (const { comparison, of, agreement } of repeats) {
      const other = comparisons.findIndex((one) => one.name === of)
      if (comparison === name && other >= 0) byOther[c * width + other] = beyondChance(agreement, u)
    }
    const isRepeated =
      byOther.subarray(c * width, (c + 1) * width).some((share) => share > 0) ||
      [NAMES.last, NAMES.first, NAMES.both].some((names) => byNames[names * width + c]! > 0)
    if (isRepeated) chance[c] = u
  })
  return {
    chance: sharedCopy(Float64Array, chance),
    byNames: sharedCopy(Float64Array, byNames),
    byOther: sharedCopy(Float64Array, byOther),
  }
}

// Solves `agreement = share + (1 - share) * chance` for the share that agrees beyond chance.
function beyondChance(agreement: number, chance: number): number {
  return Math.max(0, (agreement - chance) / (1 - chance))
}

/**
 * Returns the frequency weight of an agreement in comparison `c`, without the part that other agreements explain.
 * `bits` is the weight by the rarity of the value alone.
 * Let s be the largest share that the names, or an agreement in a comparison before `c`, explain. Let p = chance *
 * 2^-bits, the chance of this value. Strangers then agree with the chance q = s + (1 - s) p. The result is log2(usual
 * / q), where `usual` is the chance that the weight of the level contains already.
 * So level and frequency together add at most -log2(s). The result is negative where s explains more than the names
 * do.
 */
export function weightLessRepeats(
  { chance, byNames, byOther }: RepeatedShares,
  levels: Uint8Array,
  c: number,
  bits: number,
): number {
  const width = levels.length
  const names = namesOf(levels[AT.first_name]!, levels[AT.last_name]!)
  const ofNames = byNames[names * width + c]!
  let share = ofNames
  for (let other = AT.birth_date; other < c; other++) {
    const ofOther = byOther[c * width + other]!
    if (ofOther > share && agrees(levels, other)) share = ofOther
  }
  if (share === 0) return bits
  const usual = ofNames + (1 - ofNames) * chance[c]!
  return Math.log2(usual / (share + (1 - share) * chance[c]! * 2 ** -bits))
}
