import type { Attribute } from '../records/records.ts'

/** One degree of agreement between two values, such as "exact" or "one digit differs". */
export interface Level {
  readonly name: string
  /** Prior: expected share of this level among pairs of one person, when both values are known. Training replaces it. */
  readonly m: number
  /**
   * Upper limit of m in training. Records of one person seldom have this level. Without the limit, training could take pairs of twins or
   * namesakes for pairs of one person.
   */
  readonly most?: number
  /** Prior: expected share of this level among random pairs. It counts when the data are too few to learn from. */
  readonly u: number
  /** Prior: expected share of this level among relatives in one household. Only comparisons with `isShared` have it. */
  readonly household?: number
  /** The match weight depends on the frequency of the agreed value: a rare name weighs more than a common one. */
  readonly byFrequency?: true
}

/**
 * A comparison of one field, or of several fields that are one fact. Its levels go from most to least similar and have numbers from 1 on.
 * Level 0 means that one of the two records has no value.
 */
export interface Comparison {
  readonly name: string
  readonly levels: readonly Level[]
  /** Members of one household, who are different people, often agree here. */
  readonly isShared: boolean
  /** A person may have several values, so two different values do not contradict each other. */
  readonly isMultiValued?: true
  /**
   * Strangers with equal names agree here more often than other strangers: people make e-mail addresses from their names, and a first name
   * implies a gender. So training counts the agreement of strangers for each case of `NAMES` (`name-agreement.ts`).
   */
  readonly repeatsNames?: true
  /** The share among relatives is fixed, not learned: training could not distinguish such relatives from two records of one person. */
  readonly isFixed?: true
}

export const FIRST = { exact: 1, nickname: 2, near: 3, part: 4, sound: 5, similar: 6, initial: 7, middle: 8, swapped: 9, single: 10, different: 11 } as const // prettier-ignore
export const MIDDLE = { exact: 1, initial: 2, near: 3, different: 4 } as const
export const LAST = { exact: 1, former: 2, part: 3, near: 4, sound: 5, similar: 6, different: 7 } as const
export const SUFFIX = { same: 1, different: 2 } as const
export const BIRTH = { exact: 1, january_first: 2, swapped: 3, one_digit: 4, two_parts: 5, partial: 6, year: 7, close_year: 8, different: 9 } as const // prettier-ignore
export const ADDRESS = {
  unit: 1,
  building: 2,
  other_unit: 3,
  near: 4,
  neighbour: 5,
  street: 6,
  different: 7,
} as const
export const PLACE = { zip: 1, city: 2, near: 3, state: 4, different: 5 } as const
export const PHONE = { same: 1, near: 2, different: 3 } as const
export const EMAIL = { same: 1, name: 2, near: 3, different: 4 } as const
export const ATTRIBUTE = { same: 1, near: 2, different: 3 } as const

/** Indexes of the fixed comparisons. The comparisons of attributes follow from `AT.attributes` on. */
export const AT = {
  first_name: 0,
  middle_name: 1,
  last_name: 2,
  name_suffix: 3,
  birth_date: 4,
  address: 5,
  place: 6,
  phone: 7,
  email: 8,
  attributes: 9,
} as const

const FIXED: readonly Comparison[] = [
  {
    name: 'first_name',
    isShared: true,
    isMultiValued: true,
    // About one pair of relatives in eighty has one first name: fathers and sons.
    isFixed: true,
    levels: [
      { name: 'exact', m: 0.8, u: 0.003, household: 0.0125, byFrequency: true },
      { name: 'nickname', m: 0.06, u: 0.004, household: 0.005, byFrequency: true },
      { name: 'near', m: 0.04, u: 0.001, household: 0.0006 },
      { name: 'part', m: 0.01, u: 0.00001, household: 0.0005 },
      { name: 'sound', m: 0.01, u: 0.002, household: 0.003 },
      { name: 'similar', m: 0.01, u: 0.003, household: 0.005 },
      { name: 'initial', m: 0.03, u: 0.0002, household: 0.002 },
      { name: 'middle', m: 0.01, u: 0.0005, household: 0.002 },
      { name: 'swapped', m: 0.01, u: 0.00001, household: 0.00001, byFrequency: true },
      // One record has a name of one word, in the wrong field: its first name is the other record's last name, or the reverse.
      { name: 'single', m: 0.001, u: 0.0002, household: 0.0005 },
      { name: 'different', m: 0.02, u: 0.9858, household: 0.95, most: 0.02 },
    ],
  },
  {
    name: 'middle_name',
    isShared: false,
    levels: [
      { name: 'exact', m: 0.5, u: 0.03, byFrequency: true },
      { name: 'initial', m: 0.42, u: 0.06 },
      { name: 'near', m: 0.03, u: 0.001 },
      { name: 'different', m: 0.05, u: 0.909 },
    ],
  },
  {
    name: 'last_name',
    isShared: true,
    isMultiValued: true,
    levels: [
      { name: 'exact', m: 0.84, u: 0.0008, household: 0.8, byFrequency: true },
      { name: 'former', m: 0.02, u: 0.0008, household: 0.02, byFrequency: true },
      { name: 'part', m: 0.02, u: 0.0001, household: 0.02 },
      { name: 'near', m: 0.05, u: 0.0004, household: 0.03 },
      { name: 'sound', m: 0.01, u: 0.0006, household: 0.005 },
      { name: 'similar', m: 0.01, u: 0.0007, household: 0.005 },
      { name: 'different', m: 0.05, u: 0.996, household: 0.12 },
    ],
  },
  {
    name: 'name_suffix',
    isShared: false,
    levels: [
      { name: 'same', m: 0.98, u: 0.4 },
      { name: 'different', m: 0.02, u: 0.6 },
    ],
  },
  {
    name: 'birth_date',
    // Twins share a birth date. Other members of a household have any age.
    isShared: true,
    levels: [
      { name: 'exact', m: 0.86, u: 0.00004, household: 0.05 },
      { name: 'january_first', m: 0.01, u: 0.0002, household: 0.001 },
      { name: 'swapped', m: 0.01, u: 0.00001, household: 0.0001 },
      { name: 'one_digit', m: 0.05, u: 0.001, household: 0.003 },
      { name: 'two_parts', m: 0.02, u: 0.003, household: 0.006 },
      { name: 'partial', m: 0.02, u: 0.0005, household: 0.001 },
      { name: 'year', m: 0.01, u: 0.012, household: 0.03 },
      { name: 'close_year', m: 0.01, u: 0.03, household: 0.08 },
      { name: 'different', m: 0.01, u: 0.953, household: 0.829, most: 0.05 },
    ],
  },
  {
    name: 'address',
    isShared: true,
    isMultiValued: true,
    levels: [
      { name: 'unit', m: 0.5, u: 0.00001, household: 0.7, byFrequency: true },
      { name: 'building', m: 0.05, u: 0.00001, household: 0.05, byFrequency: true },
      { name: 'other_unit', m: 0.01, u: 0.00001, household: 0.01, byFrequency: true },
      { name: 'near', m: 0.05, u: 0.00001, household: 0.05 },
      { name: 'neighbour', m: 0.02, u: 0.00002, household: 0.02 },
      { name: 'street', m: 0.01, u: 0.0001, household: 0.01 },
      { name: 'different', m: 0.36, u: 0.9998, household: 0.16 },
    ],
  },
  {
    name: 'place',
    isShared: true,
    isMultiValued: true,
    levels: [
      { name: 'zip', m: 0.4, u: 0.002, household: 0.4, byFrequency: true },
      { name: 'city', m: 0.2, u: 0.01, household: 0.2, byFrequency: true },
      { name: 'near', m: 0.1, u: 0.02, household: 0.1 },
      { name: 'state', m: 0.15, u: 0.2, household: 0.15 },
      { name: 'different', m: 0.15, u: 0.768, household: 0.15 },
    ],
  },
  {
    name: 'phone',
    isShared: true,
    isMultiValued: true,
    levels: [
      { name: 'same', m: 0.6, u: 0.000001, household: 0.4, byFrequency: true },
      { name: 'near', m: 0.03, u: 0.00001, household: 0.02 },
      { name: 'different', m: 0.37, u: 0.99999, household: 0.58 },
    ],
  },
  {
    name: 'email',
    isShared: true,
    isMultiValued: true,
    repeatsNames: true,
    levels: [
      { name: 'same', m: 0.65, u: 0.000001, household: 0.05, byFrequency: true },
      { name: 'name', m: 0.05, u: 0.0001, household: 0.01 },
      { name: 'near', m: 0.05, u: 0.0002, household: 0.01 },
      { name: 'different', m: 0.25, u: 0.9997, household: 0.93 },
    ],
  },
]

const TRAIT_AGREEMENT: Readonly<Record<string, number>> = { gender: 0.5, employer: 0.001 }

/** Returns the comparisons of a run: the fixed ones, then one for each kind of identifier and trait. */
export function comparisonsOf(attributes: readonly Attribute[]): Comparison[] {
  return [
    ...FIXED,
    ...attributes.map(({ kind, isIdentifier }) => ({
      name: kind,
      isShared: false,
      ...(kind === 'gender' ? {} : { isMultiValued: true as const }),
      ...(isIdentifier ? {} : { repeatsNames: true as const }),
      levels: [
        {
          name: 'same',
          m: isIdentifier ? 0.95 : 0.8,
          u: isIdentifier ? 0.000001 : (TRAIT_AGREEMENT[kind] ?? 0.05),
          byFrequency: true as const,
        },
        { name: 'near', m: isIdentifier ? 0.03 : 0.05, u: 0.0005 },
        { name: 'different', m: isIdentifier ? 0.02 : 0.15, u: 0.95 },
      ],
    })),
  ]
}
