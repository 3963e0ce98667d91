import { cellValue } from '../read/cell-values.ts'
import type { ClueField } from '../columns/names.ts'
import type { MappedColumn } from '../columns/recognise.ts'
import { type MatchStatus, type RowAnswer, STATUSES } from '../match/match-row.ts'

/**
 * The counts of a run. Their size does not depend on the number of rows, and counts of chunks can be added. Rows are
 * named by number only; the counts contain no data of people.
 */
export interface Tally {
  rows: number
  rejected: number
  billable: number
  duplicates: number
  notLookedUp: number
  statuses: Record<MatchStatus, number>
  /**
   * Rows by the match probability of their best candidate, in percent (0 to 99). Rows without a candidate are not
   * counted.
   */
  percents: number[]
  /** Matched rows by the parts that agree together: `name phone address`. */
  matchedBy: Record<string, number>
  /** For each added column in order, the matched rows that have a value in it. */
  coverage: number[]
  /**
   * For each mapped column: rows with a value, matched rows with a value, and rows where the value agrees with the
   * matched person.
   */
  filled: number[]
  filledMatched: number[]
  agreed: number[]
  /** Matched people by the ZIP code of their address. */
  zips: Record<string, number>
  reasons: Record<string, number>
  slowest: { row: number; microseconds: number }[]
  worst: { row: number; match_probability: number; reason: string }[]
}

const KEPT = 20

export function emptyTally(): Tally {
  return {
    rows: 0,
    rejected: 0,
    billable: 0,
    duplicates: 0,
    notLookedUp: 0,
    statuses: Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<MatchStatus, number>,
    percents: Array.from({ length: 100 }, () => 0),
    matchedBy: {},
    coverage: [],
    filled: [],
    filledMatched: [],
    agreed: [],
    zips: {},
    reasons: {},
    slowest: [],
    worst: [],
  }
}

/** Counts a row by its best answer. `answer.values` are in the order of the chosen fields' columns. */
export function tallyRow(tally: Tally, row: number, answer: RowAnswer, microseconds: number): void {
  tally.rows++
  tally.statuses[answer.status]++
  const probability = answer.match_probability
  if (probability !== null) tally.percents[Math.round(probability * 100)]!++
  if (answer.isBillable) tally.billable++
  if (answer.status === 'matched') {
    add(tally.matchedBy, answer.matched_by.join(' '))
    if (answer.zip !== null) add(tally.zips, answer.zip)
    for (let at = 0; at < answer.values.length; at++)
      if (answer.values[at] !== null) addAt(tally.coverage, at)
    keep(
      tally.worst,
      { row, match_probability: probability ?? 0, reason: answer.reason },
      (one) => one.match_probability,
    )
  } else {
    // Removes names and numbers of people from the reason, so that equal reasons are counted together.
    add(
      tally.reasons,
      `${answer.status}: ${answer.reason.replace(/^\d+ people/, 'several people').replace(/: .*/, '')}`,
    )
  }
  keep(tally.slowest, { row, microseconds: Math.round(microseconds) }, (one) => -one.microseconds)
}

const KIND: Readonly<Record<ClueField, string>> = {
  person_id: 'id',
  name: 'name',
  first_name: 'name',
  middle_name: 'name',
  last_name: 'name',
  address: 'address',
  house_number: 'address',
  street_direction: 'address',
  street_name: 'address',
  street_type: 'address',
  street_post_direction: 'address',
  address_2: 'address',
  city: 'address',
  state: 'address',
  zip: 'address',
  phone: 'phone',
  email: 'email',
  birth_date: 'age',
  age: 'age',
  property_id: 'id',
  apn: 'id',
  county: 'id',
  city_state_zip: 'address',
  key: '',
}

/** Counts non-empty cells in the columns that rows are searched by. Export placeholders ("N/A", "-") count as empty. */
export function tallyInputs(
  tally: Tally,
  cells: readonly string[],
  mapping: readonly MappedColumn[],
  { status, matched_by }: RowAnswer,
): void {
  for (let at = 0; at < mapping.length; at++) {
    const { column, field } = mapping[at]!
    if (cellValue(cells[column] ?? '') === '') continue
    addAt(tally.filled, at)
    if (status !== 'matched') continue
    addAt(tally.filledMatched, at)
    if (matched_by.includes(KIND[field])) addAt(tally.agreed, at)
  }
}

export function addTally(into: Tally, other: Tally): void {
  for (const key of ['rows', 'rejected', 'billable', 'duplicates', 'notLookedUp'] as const)
    into[key] += other[key]
  for (const status of STATUSES) into.statuses[status] += other.statuses[status]
  for (const [percent, count] of other.percents.entries()) into.percents[percent]! += count
  for (const key of ['coverage', 'filled', 'filledMatched', 'agreed'] as const) {
    for (const [at, count] of other[key].entries()) addAt(into[key], at, count)
  }
  for (const key of ['matchedBy', 'zips', 'reasons'] as const) {
    for (const [name, count] of Object.entries(other[key])) add(into[key], name, count)
  }
  for (const one of other.slowest) keep(into.slowest, one, ({ microseconds }) => -microseconds)
  for (const one of other.worst) keep(into.worst, one, (its) => its.match_probability)
}

function add(counts: Record<string, number>, name: string, count = 1): void {
  counts[name] = (counts[name] ?? 0) + count
}

// Fills gaps with 0, because a checkpoint would store them as null.
function addAt(counts: number[], at: number, count = 1): void {
  while (counts.length <= at) counts.push(0)
  counts[at]! += count
}

/** Keeps the entries with the lowest `value`; among equals, the earlier row. */
function keep<T extends { readonly row: number }>(list: T[], one: T, value: (one: T) => number): void {
  const last = list.at(-1)
  if (list.length === KEPT && last !== undefined && value(one) >= value(last)) return
  const at = list.findIndex((other) => value(other) > value(one))
  list.splice(at < 0 ? list.length : at, 0, one)
  if (list.length > KEPT) list.pop()
}
