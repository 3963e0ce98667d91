import type { PersonQuery } from '../../src/lookup/index.ts'
import type { PublishedRows } from '../support/published.ts'
import type { Cell } from '../support/warehouse.ts'

type Row = Record<string, Cell>

/** All that the tables say of a person. */
export interface Known {
  readonly id: string
  readonly completeness: number
  readonly names: Row[]
  readonly addresses: { row: Row; is_current: boolean }[]
  readonly phones: Map<string, number>
  readonly age: number | null
}

/** Ids of all who fit, best first, found by going through every person of the tables: what the index must agree with (strict matching). */
export function scan(people: readonly Known[], asked: PersonQuery): string[] {
  for (const fits of [sameWords, beginnings]) {
    const found = people.flatMap((person) => {
      const score = scoreOf(person, asked, fits)
      return score === null ? [] : [{ ...person, score }]
    })
    if (found.length > 0 || asked.name === undefined) {
      return found
        .sort((a, b) => b.score - a.score || b.completeness - a.completeness || (a.id < b.id ? -1 : 1))
        .map(({ id }) => id)
    }
  }
  return []
}

export function knownPeople(rows: PublishedRows, today: string): Known[] {
  return rows.people!.map((person) => known(rows, person, today))
}

function known(rows: PublishedRows, person: Row, today: string): Known {
  const id = person['person_id'] as string
  const year = Number((person['date_of_birth'] as string | null)?.slice(0, 4) ?? 0)
  const isBeforeBirthday = ((person['date_of_birth'] as string | null) ?? '').slice(5) > today.slice(5)
  return {
    id,
    completeness: person['completeness'] as number,
    names: rows.person_names!.filter((name) => name['person_id'] === id),
    addresses: rows
      .person_addresses!.filter((link) => link['person_id'] === id)
      .map((link) => ({
        row: rows.addresses!.find((address) => address['address_id'] === link['address_id'])!,
        is_current: link['is_current'] as boolean,
      })),
    phones: new Map(
      rows
        .person_phones!.filter((link) => link['person_id'] === id)
        .map((link) => [link['phone'] as string, link['score'] as number]),
    ),
    age:
      year === 0 || person['is_dead'] === true
        ? null
        : Number(today.slice(0, 4)) - year - (isBeforeBirthday ? 1 : 0),
  }
}

type Fits = (asked: readonly string[], words: readonly string[]) => number

const sameWords: Fits = (asked, words) => {
  const left = [...words]
  return asked.every((word) => left.includes(word) && left.splice(left.indexOf(word), 1).length > 0) ? 1 : 0
}

const beginnings: Fits = (asked, words) => {
  if (asked.length === 0) return 0.9
  return words.some(
    (word, at) => word.startsWith(asked[0]!) && beginnings(asked.slice(1), words.toSpliced(at, 1)) > 0,
  )
    ? 0.9
    : 0
}

function scoreOf(person: Known, asked: PersonQuery, fits: Fits): number | null {
  const parts: [weight: number, quality: number][] = []
  if (asked.name !== undefined || asked.first_name !== undefined || asked.last_name !== undefined) {
    parts.push([4, Math.max(0, ...person.names.map((name) => nameQuality(name, asked, fits)))])
  }
  if (asked.phone !== undefined) {
    const score = person.phones.get(asked.phone)
    parts.push([3, score === undefined ? 0 : 0.5 + score / 200])
  }
  if (
    asked.street !== undefined ||
    asked.city !== undefined ||
    asked.state_code !== undefined ||
    asked.zipcode !== undefined
  ) {
    parts.push([2, Math.max(0, ...person.addresses.map((address) => addressQuality(address, asked)))])
  }
  if (parts.some(([, quality]) => quality === 0)) return null
  if (asked.min_age !== undefined || asked.max_age !== undefined) {
    if (person.age !== null && (person.age < (asked.min_age ?? 0) || person.age > (asked.max_age ?? 200)))
      return null
    parts.push([1, person.age === null ? 0 : 1])
  }
  const weight = parts.reduce((sum, part) => sum + part[0], 0)
  const match = parts.reduce((sum, part) => sum + part[0] * part[1], 0) / weight
  return Math.min(99, Math.max(50, Math.round(60 * match + 40 * (person.completeness / 100))))
}

function nameQuality(name: Row, asked: PersonQuery, fits: Fits): number {
  const of = name['is_primary'] === true ? 1 : 0.95
  const words = (['first_name', 'middle_name', 'last_name'] as const).flatMap((part) => wordsOf(name[part]))
  if (asked.name !== undefined) return of * fits(wordsOf(asked.name), words)
  const isSame = (['first_name', 'middle_name', 'last_name'] as const).every(
    (part) => asked[part] === undefined || wordsOf(asked[part]).join(' ') === wordsOf(name[part]).join(' '),
  )
  return isSame ? of : 0
}

function addressQuality({ row, is_current }: { row: Row; is_current: boolean }, asked: PersonQuery): number {
  if (!is_current && !asked.include_historical_locations) return 0
  const [house, street] = asked.street?.split(' ') ?? []
  const isSame =
    (asked.city === undefined || (row['city'] as string).toUpperCase() === asked.city.toUpperCase()) &&
    (asked.state_code === undefined || row['state'] === asked.state_code) &&
    (asked.zipcode === undefined || row['zip'] === asked.zipcode) &&
    (asked.street === undefined ||
      (row['house_number'] === house && row['street_name'] === street!.toUpperCase()))
  if (!isSame) return 0
  return is_current ? 1 : 0.8
}

function wordsOf(text: Cell | undefined): string[] {
  return ((text as string | null) ?? '')
    .toUpperCase()
    .split(' ')
    .filter((word) => word !== '')
}
