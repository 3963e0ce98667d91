import { EVENT_TYPES, loadRegions } from '../normalize/regions.ts'
import type { Expression, SourceDefinition } from './definition.ts'

/** The values that a staging column may have. */
export interface ClosedList {
  /** The list as messages show it. */
  readonly shown: string
  readonly values: ReadonlySet<string>
}

const PROPERTY_PURPOSES = [
  'single_family',
  'condominium',
  'townhouse',
  'multi_family',
  'mobile_home',
  'vacant_land',
  'agricultural',
  'commercial',
  'industrial',
  'institutional',
  'government',
  'other',
]
const LINE_TYPES = ['mobile', 'landline', 'voip', 'tollfree', 'unknown']

/** The lists by column name, the same in every table. A column without a list takes any text. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  event_type: EVENT_TYPES,
  property_purpose: PROPERTY_PURPOSES,
  property_kind: PROPERTY_PURPOSES,
  name_order: ['surname_first', 'given_first'],
  role: ['grantor', 'grantee', 'other'],
  mention_kind: ['voter', 'provider', 'official', 'donor', 'contact'],
  gender: ['F', 'M'],
  line_type: LINE_TYPES,
  fixture: ['bedrooms', 'full_baths', 'half_baths', 'stories', 'pool'],
  sold_on_precision: ['day', 'month', 'year'],
}

/** Returns the allowed values of each staging column that has a list. Counties are in data/reference/counties.csv. */
export function closedLists(): ReadonlyMap<string, ClosedList> {
  closed ??= readLists()
  return closed
}

let closed: ReadonlyMap<string, ClosedList> | undefined

function readLists(): ReadonlyMap<string, ClosedList> {
  const lists = new Map<string, ClosedList>(
    Object.entries(LISTS).map(([column, values]) => [
      column,
      { shown: values.join(', '), values: new Set(values) },
    ]),
  )
  const regions = loadRegions()
  const counties = regions.states.flatMap(({ state_code }) => regions.counties(state_code) ?? [])
  lists.set('county_fips', {
    shown: 'the FIPS codes of data/reference/counties.csv',
    values: new Set(counties.map(({ fips_code }) => fips_code)),
  })
  return lists
}

/** The possible results of an expression: `values`, and any text of a file when `isOpen` is true. */
export interface Outcomes {
  readonly values: ReadonlySet<string>
  readonly isOpen: boolean
}

const ANY: Outcomes = { values: new Set(), isOpen: true }

/**
 * Returns the literals and code table values that an expression can give, and whether it can give text of the file.
 */
export function outcomesOf(expression: Expression, codes: SourceDefinition['codes']): Outcomes {
  const of = (each: Expression | undefined): Outcomes =>
    each === undefined ? either([]) : outcomesOf(each, codes)
  if (typeof expression === 'string') return ANY
  if ('literal' in expression) return { values: new Set([String(expression.literal)]), isOpen: false }
  if ('firstOf' in expression) return either(expression.firstOf.map(of))
  if ('codes' in expression) {
    const values = new Set(Object.values(codes[expression.codes] ?? {}).map(String))
    return either([{ values, isOpen: false }, of(expression.otherwise)])
  }
  if ('when' in expression) return either([of(expression.then), of(expression.otherwise)])
  if ('lower' in expression) {
    const { values, isOpen } = of(expression.lower)
    return { values: new Set([...values].map((value) => value.toLowerCase())), isOpen }
  }
  return ANY
}

function either(outcomes: readonly Outcomes[]): Outcomes {
  return {
    values: new Set(outcomes.flatMap(({ values }) => [...values])),
    isOpen: outcomes.some(({ isOpen }) => isOpen),
  }
}

/** Keys of expressions and conditions whose text does not name a column. */
const NO_COLUMNS = new Set([
  'with',
  'formats',
  'sentinels',
  'in',
  'codes',
  'inCodes',
  'file',
  'matches',
  'replace',
  'extract',
])

/** Returns the columns that an expression or condition reads. */
export function columnsIn(expression: unknown): string[] {
  if (typeof expression === 'string') return [expression]
  if (Array.isArray(expression)) return [...new Set(expression.flatMap(columnsIn))]
  if (typeof expression !== 'object' || expression === null || 'literal' in expression) return []
  const columns = Object.entries(expression).flatMap(([key, value]) =>
    NO_COLUMNS.has(key) ? [] : columnsIn(value),
  )
  return [...new Set(columns)]
}
