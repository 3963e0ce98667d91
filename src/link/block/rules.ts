/**
 * Parts of blocking keys. A record has no, one or several values of each part, which are hashes. A record without a value of a part has no key
 * under the rules with this part. `block-parts.ts` computes the values.
 */
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
 * A blocking rule. Records that share a value of all its parts form a block and are compared. A block above the limit is split by the child
 * rules in `then`. Without child rules the block is dropped, and the link report lists it.
 */
export interface Rule {
  readonly parts: readonly Part[]
  readonly then?: readonly Rule[]
}

const namesakeRules: readonly Rule[] = [
  { parts: ['year', 'month_day'] },
  { parts: ['year'], then: [{ parts: ['city'] }, { parts: ['middle_letter'] }] },
  { parts: ['zip'] },
  { parts: ['city'], then: [{ parts: ['middle_letter'] }] },
]

/** Trees of rules. Top rules have coarse keys, which are enough for small data. On large data the finer child rules split large blocks. */
export const RULES: readonly Rule[] = [
  { parts: ['any'], then: [] },
  {
    parts: ['last_sound'],
    then: [
      { parts: ['first_letter'], then: [{ parts: ['first_class'], then: namesakeRules }] },
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
          // Records with an equal full name are compared; only blocks of frequent names are above the limit and split.
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
  // Records that share a birth date but no first letter of a name are hardly ever one person.
  { parts: ['birth_date', 'first_letter'], then: [{ parts: ['first_start'] }, { parts: ['zip'] }] },
  { parts: ['birth_date', 'last_letter'], then: [{ parts: ['last_start'] }, { parts: ['zip'] }] },
  { parts: ['birth_date', 'zip'] },
  // These rules find pairs with typos in both names and in the year or the day: the first letters of the names are mostly right.
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

/** A rule with its number. Numbers follow the order of RULES, each parent before its children. Equal keys of two rules are unrelated. */
export interface RuleNode {
  readonly node: number
  readonly name: string
  readonly parts: readonly number[]
  readonly children: readonly RuleNode[]
}

/** Returns the trees of rules with numbers, names and the indexes of their parts. */
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

/** Index of each part in `PARTS`. */
export const AT_PART = Object.fromEntries(PARTS.map((part, p) => [part, p])) as Readonly<Record<Part, number>>

/** Returns the name of the rule with a number: its parts joined by `+`, after the parts of its parent rules. */
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
