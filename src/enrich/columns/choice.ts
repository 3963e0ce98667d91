import { CLUE_FIELDS, type ClueField, isAddressField, type Place, STREET_PARTS } from './names.ts'

/** A column that may hold a field. */
export interface Candidate {
  readonly column: number
  readonly field: ClueField
  /** The evidence: the column's name, its values, or the option `--map`. */
  readonly by: 'name' | 'content' | 'map'
  readonly place: Place
  readonly ordinal: number
  /** True when any of the first rows has a value in the column. */
  readonly isFilled: boolean
}

/** A row needs at least one of these fields to find a person or property. */
export const SEARCHABLE: readonly ClueField[] = ['person_id', 'name', 'first_name', 'last_name', 'address', 'street_name', 'phone', 'email', 'property_id', 'apn'] // prettier-ignore

const REPEATABLE: ReadonlySet<ClueField> = new Set(['phone', 'email'])
const MOST_REPEATED = 4

/** The open questions about the columns, and the `--map` values that answer them. */
interface Doubtful {
  readonly doubts: string[]
  readonly remedies: Map<number, ClueField | null>
}

/**
 * Chooses one column for each field, up to four for phones and e-mails. Adds a doubt where several columns would fit.
 * For fields with `needsAll`, all phones and e-mails are used, and a second counted column (`Address 2 …`) is a doubt.
 */
export function chosenColumns(
  header: readonly string[],
  candidates: readonly Candidate[],
  { doubts, remedies }: Doubtful,
  values: readonly (readonly string[])[],
  needsAll: (field: ClueField) => boolean,
): Pick<Candidate, 'column' | 'field' | 'by'>[] {
  const all = withStreetParts(withGivenNames(candidates, values), values)
  const place = chosenPlace(header, all, { doubts, remedies })
  const kept: Candidate[] = []
  for (const field of CLUE_FIELDS) {
    const of = all.filter((one) => one.field === field)
    if (REPEATABLE.has(field)) {
      const most = needsAll(field) ? of.length : MOST_REPEATED
      kept.push(...[...of].sort((a, b) => rankOf(a) - rankOf(b)).slice(0, most))
      continue
    }
    const mapped = of.filter((one) => one.by === 'map')
    const its = isAddressField(field) ? ofPlace(of, place, all) : ofProperty(of)
    const free = needsAll(field) ? its : firstCounted(its)
    kept.push(...(mapped.length > 0 ? mapped : free).slice(0, 1))
    if (mapped.length > 1 || (mapped.length === 0 && free.length > 1)) {
      for (const [at, { column }] of (mapped.length > 1 ? mapped : free).entries()) remedies.set(column, at === 0 ? field : null) // prettier-ignore
      doubts.push(`${(mapped.length > 1 ? mapped : free).map(({ column }) => `'${header[column]}'`).join(' and ')} both look like ${field}`) // prettier-ignore
    }
  }
  const has = (field: ClueField): boolean => kept.some((one) => one.field === field)
  const isDivided = has('first_name') && has('last_name')
  if (!SEARCHABLE.some(has))
    doubts.push(
      'no column holds a name, phone, e-mail, address or id to search by (is the first line the header?)',
    )
  if (has('apn') && !has('county')) doubts.push('a parcel number needs a county, and no column holds one')
  return kept
    .filter((one) => !(isDivided && one.field === 'name' && one.by !== 'map'))
    .sort((a, b) => a.column - b.column)
    .map(({ column, field, by }) => ({ column, field, by }))
}

// Returns a number to sort by: columns of `--map` first, empty columns last.
function rankOf({ by, isFilled, column }: Candidate): number {
  return (by === 'map' ? 0 : isFilled ? 1 : 2) * 1e6 + column
}

/** Returns the columns of the property's county, if there are any. Parcel numbers are numbers of the county. */
function ofProperty(candidates: readonly Candidate[]): readonly Candidate[] {
  const its = candidates.filter(({ place }) => place === 'plain' || place === 'property')
  return its.length > 0 ? its : candidates
}

/** Returns the columns that are counted first: `Owner 1 …`, not `Owner 2 …`. */
function firstCounted(candidates: readonly Candidate[]): readonly Candidate[] {
  const first = candidates.filter(({ ordinal }) => ordinal === 1)
  return first.length > 0 ? first : candidates
}

/**
 * Reads a column `name` as first names if more than half of its values are single words. Does so only when another
 * column has surnames and none has first names, and not for columns that `--map` names.
 */
function withGivenNames(
  candidates: readonly Candidate[],
  values: readonly (readonly string[])[],
): readonly Candidate[] {
  const has = (field: ClueField): boolean => candidates.some((one) => one.field === field)
  if (!has('last_name') || has('first_name')) return candidates
  return candidates.map((one) => {
    if (one.field !== 'name' || one.by === 'map') return one
    const held = values[one.column]!
    const single = held.filter((value) => !/\s/.test(value))
    return held.length > 0 && single.length * 2 > held.length ? { ...one, field: 'first_name' as const } : one
  })
}

/**
 * Reads a column `street` without numbers as street names, if a column has house numbers. Keeps address parts only with
 * a street name, and only if no column has the whole address.
 */
function withStreetParts(
  candidates: readonly Candidate[],
  values: readonly (readonly string[])[],
): readonly Candidate[] {
  const named = candidates.map((one) => {
    if (one.field !== 'address' || one.by === 'map') return one
    if (!candidates.some(({ field, place }) => field === 'house_number' && place === one.place)) return one
    const held = values[one.column]!
    const numbered = held.filter((value) => /^\d+ /.test(value))
    return numbered.length * 2 < held.length ? { ...one, field: 'street_name' as const } : one
  })
  const isInParts = (whose: Place): boolean => {
    const names = named.filter(({ field, place }) => field === 'street_name' && (place === whose || whose === 'plain')) // prettier-ignore
    const whole = named.filter(({ field, place }) => field === 'address' && place === whose)
    return whole.length === 0 ? names.length > 0 : !whole.some(isFilledIn) && names.some(isFilledIn)
  }
  const inParts = new Set([...new Set(named.map(({ place }) => place))].filter(isInParts))
  return named.filter(({ field, place, by }) => {
    if (by === 'map') return true
    return field === 'address' ? !inParts.has(place) : !isStreetPart(field) || inParts.has(place)
  })
}

function isFilledIn({ isFilled }: Candidate): boolean {
  return isFilled
}

function isStreetPart(field: ClueField): boolean {
  return (STREET_PARTS as readonly ClueField[]).includes(field)
}

/**
 * Returns which of several addresses (`Mailing …`, `Property …`) rows are searched by: the one of `--map`, else the
 * first that is not a business or billing address.
 */
function chosenPlace(
  header: readonly string[],
  candidates: readonly Candidate[],
  { doubts, remedies }: Doubtful,
): Place {
  const addresses = candidates.filter(({ field }) => isStreet(field))
  const mapped = addresses.find(({ by }) => by === 'map')
  if (mapped !== undefined) return mapped.place
  const some = addresses.some(({ isFilled }) => isFilled)
  const filled = addresses.filter(({ isFilled }) => isFilled || !some)
  const near = filled.filter(({ place }) => place !== 'other')
  const [first] = near.length > 0 ? near : filled
  const others = near.filter(({ place }, at) => near.findIndex((one) => one.place === place) === at).slice(1)
  if (first !== undefined && others.length > 0) {
    const names = [first, ...others].map(({ column }) => `'${header[column]}'`)
    remedies.set(first.column, first.field)
    doubts.push(`${names.join(' and ')} are different addresses, and rows are searched by one address: ${names[0]!.slice(0, -1)}=${first.field}' uses the first`) // prettier-ignore
  }
  if (first !== undefined) return first.place
  const part = candidates.find(({ field, isFilled, place }) => isAddressField(field) && isFilled && place !== 'other') // prettier-ignore
  return part?.place ?? candidates.find(({ field }) => isAddressField(field))?.place ?? 'plain'
}

function isStreet(field: ClueField): boolean {
  return field === 'address' || field === 'street_name'
}

/**
 * Returns the part (city, state, …) of the chosen address, else a part without a prefix, else a part of no other
 * address.
 */
function ofPlace(parts: readonly Candidate[], place: Place, all: readonly Candidate[]): readonly Candidate[] {
  const own = parts.filter((one) => one.place === place)
  if (own.length > 0) return own
  const plain = parts.filter((one) => one.place === 'plain')
  if (plain.length > 0) return plain
  return parts.filter((one) => !all.some(({ field, place: its }) => isStreet(field) && its === one.place))
}
