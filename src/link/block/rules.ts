/** Parts of a blocking key. A record gives each part none, one or several values (hashes); without a value there is no key. */
export const PARTS = [
  'any',
  'first_class',
  'first_letter',
  'first_end',
  'first_start',
  'last_sound',
  'last',
  'last_letter',
  'last_start',
  'last_end',
  'name_pair',
  'year',
  'month_day',
  'year_month',
  'year_day',
  'birth_date',
  'middle_letter',
  'phone',
  'email',
  'email_name',
  'building',
  'house_zip',
  'house_street',
  'zip',
  'city',
  'identifier',
  'trait',
] as const
export type Part = (typeof PARTS)[number]

/**
 * A blocking rule: records that share all its parts are compared. Where more than the limit share them, only those that
 * also share a child's parts are; without children the block is dropped, and reported.
 */
export interface Rule {
  readonly parts: readonly Part[]
  readonly then?: readonly Rule[]
}

const whole: readonly Rule[] = [
  { parts: ['year', 'month_day'] },
  { parts: ['year'], then: [{ parts: ['city'] }, { parts: ['middle_letter'] }] },
  { parts: ['zip'] },
  { parts: ['city'], then: [{ parts: ['middle_letter'] }] },
]

/** Coarse keys first, which small data can afford; finer ones take over block by block as data grows. */
export const RULES: readonly Rule[] = [
  { parts: ['any'], then: [] },
  {
    parts: ['last_sound'],
    then: [
      { parts: ['first_letter'], then: [{ parts: ['first_class'], then: whole }] },
      { parts: ['year'], then: [{ parts: ['month_day'] }, { parts: ['zip'] }] },
      { parts: ['month_day'] },
      { parts: ['first_end'], then: [{ parts: ['year'] }, { parts: ['zip'] }] },
      { parts: ['zip'], then: [{ parts: ['building'] }] },
      { parts: ['trait'], then: [{ parts: ['first_letter'] }] },
    ],
  },
  {
    parts: ['first_class'],
    then: [
      {
        parts: ['last_start'],
        then: [
          { parts: ['year'] },
          { parts: ['zip'] },
          { parts: ['month_day'] },
          // Of a rare name nothing else needs to be known.
          { parts: ['last'], then: [{ parts: ['middle_letter'] }, { parts: ['trait'] }] },
        ],
      },
      { parts: ['last_end'], then: [{ parts: ['year'] }, { parts: ['zip'] }, { parts: ['month_day'] }] },
      { parts: ['year_month'], then: [{ parts: ['last_letter'] }, { parts: ['zip'] }] },
      { parts: ['year_day'], then: [{ parts: ['last_letter'] }, { parts: ['zip'] }] },
      { parts: ['month_day'], then: [{ parts: ['last_letter'] }, { parts: ['zip'] }] },
      { parts: ['zip'], then: [{ parts: ['year'] }] },
      { parts: ['trait'], then: [{ parts: ['last_letter'] }, { parts: ['zip'] }] },
    ],
  },
  { parts: ['name_pair'], then: [{ parts: ['year'] }, { parts: ['zip'] }, { parts: ['city'] }] },
  // Of those who share a birth date and no letter of their names, one pair in 30,000 is one person.
  { parts: ['birth_date', 'first_letter'], then: [{ parts: ['first_start'] }, { parts: ['zip'] }] },
  { parts: ['birth_date', 'last_letter'], then: [{ parts: ['last_start'] }, { parts: ['zip'] }] },
  { parts: ['birth_date', 'zip'] },
  // Slips in both names and in the year or the day: the letters they begin with are mostly right.
  {
    parts: ['month_day', 'first_letter'],
    then: [{ parts: ['last_letter'], then: [{ parts: ['last_start'] }, { parts: ['zip'] }] }],
  },
  {
    parts: ['year_month', 'first_letter'],
    then: [{ parts: ['last_letter'], then: [{ parts: ['last_start'] }, { parts: ['zip'] }] }],
  },
  { parts: ['phone'], then: [{ parts: ['first_letter'] }, { parts: ['last_sound'] }] },
  { parts: ['email'], then: [{ parts: ['first_letter'] }, { parts: ['last_sound'] }] },
  { parts: ['email_name'], then: [{ parts: ['first_letter'] }, { parts: ['last_sound'] }] },
  {
    parts: ['building'],
    then: [
      { parts: ['first_letter'], then: [{ parts: ['first_class'], then: [{ parts: ['last_letter'] }] }] },
      { parts: ['last_sound'], then: [{ parts: ['first_letter'] }, { parts: ['year'] }] },
      { parts: ['birth_date'] },
    ],
  },
  { parts: ['house_zip'], then: [{ parts: ['first_class'] }, { parts: ['last_sound'] }] },
  { parts: ['house_street'], then: [{ parts: ['first_class'] }, { parts: ['last_sound'] }] },
  { parts: ['identifier'], then: [{ parts: ['first_letter'] }, { parts: ['last_sound'] }] },
]

/** A rule with a number, in the order in which they are written down; a key means something only with its rule's number. */
export interface RuleNode {
  readonly node: number
  readonly name: string
  readonly parts: readonly number[]
  readonly children: readonly RuleNode[]
}

export function numberedRules(rules: readonly Rule[] = RULES): RuleNode[] {
  let next = 0
  const number = (rule: Rule, path: string): RuleNode => {
    const node = next++
    const name = path === '' ? rule.parts.join('+') : `${path}+${rule.parts.join('+')}`
    const children = (rule.then ?? []).map((child) => number(child, name))
    return { node, name, parts: rule.parts.map((part) => AT_PART[part]), children }
  }
  return rules.map((rule) => number(rule, ''))
}

/** Where a part stands in `PARTS`. */
export const AT_PART = Object.fromEntries(PARTS.map((part, p) => [part, p])) as Readonly<Record<Part, number>>

/** What a rule is called, by its number: its parts, those of the rules above it first. */
export function ruleName(node: number): string {
  const named = (rules: readonly RuleNode[]): string | undefined => {
    for (const rule of rules) {
      const found = rule.node === node ? rule.name : named(rule.children)
      if (found !== undefined) return found
    }
    return undefined
  }
  return named(numberedRules()) ?? String(node)
}
