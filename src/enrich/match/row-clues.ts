import type { Clues } from '../../lookup/index.ts'
import { stateCode } from '../../normalize/places.ts'
import { cellValue, emailsOf, phonesOf, zipOf } from '../read/cell-values.ts'
import { type ClueField, STREET_PARTS, type StreetPart } from '../columns/names.ts'
import type { MappedColumn } from '../columns/recognise.ts'

/** The values of a row that describe a person, and those that describe a property. */
export interface RowClues extends Clues {
  readonly property_id?: string | undefined
  readonly apn?: string | undefined
  readonly county_fips?: string | undefined
}

/** Returns the clues of a row's cells. `counties` maps `NAME|ST` (upper case) to FIPS codes. */
export function cluesOf(
  cells: readonly string[],
  columns: readonly MappedColumn[],
  counties: ReadonlyMap<string, string>,
): RowClues {
  const clues: { -readonly [Key in keyof RowClues]: RowClues[Key] } = {}
  let address: string | undefined
  let parts: Partial<Record<StreetPart, string>> | undefined
  let unit: string | undefined
  let rest: string | undefined
  let county: string | undefined
  let phones: string[] | undefined
  let emails: string[] | undefined
  for (const { column, field } of columns) {
    const text = cellValue(cells[column] ?? '')
    if (text === '') continue
    switch (field) {
      case 'phone':
        ;(phones ??= []).push(...phonesOf(text))
        break
      case 'email':
        ;(emails ??= []).push(...emailsOf(text))
        break
      case 'address':
        address = text
        break
      case 'house_number':
      case 'street_direction':
      case 'street_name':
      case 'street_type':
      case 'street_post_direction':
        ;(parts ??= {})[field] = text
        break
      case 'address_2':
        unit = /^[\dA-Za-z]{1,5}$/.test(text) ? `# ${text}` : text
        break
      case 'city_state_zip':
        rest = text
        break
      case 'state':
        clues.state_code = stateCode(text.toUpperCase().replaceAll('.', '')) ?? undefined
        break
      case 'zip':
        clues.zipcode = zipOf(text)
        break
      case 'county':
        county = text
        break
      case 'key':
        break
      default:
        clues[KEYS[field]] = text
    }
  }
  const street = address ?? (parts === undefined ? undefined : streetOf(parts))
  const line = street === undefined || unit === undefined ? street : `${street} ${unit}`
  const whole = line === undefined || rest === undefined ? (line ?? rest) : `${line}, ${rest}`
  if (whole !== undefined) clues.street = whole
  if (phones !== undefined) clues.phones = phones
  if (emails !== undefined) clues.emails = emails
  if (county !== undefined) clues.county_fips = /^\d{5}$/.test(county) ? county : counties.get(`${county.toUpperCase().replace(/ COUNTY$/, '')}|${clues.state_code ?? ''}`) // prettier-ignore
  return clues
}

/** Joins the parts of a street to one line; undefined without a street name. */
function streetOf(parts: Partial<Record<StreetPart, string>>): string | undefined {
  if (parts.street_name === undefined) return undefined
  return STREET_PARTS.flatMap((part) => parts[part] ?? []).join(' ')
}

type PlainField = Exclude<
  ClueField,
  | 'phone'
  | 'email'
  | 'address'
  | 'address_2'
  | 'city_state_zip'
  | 'state'
  | 'zip'
  | 'county'
  | 'key'
  | StreetPart
>
const KEYS: Readonly<Record<PlainField, Exclude<keyof RowClues, 'phones' | 'emails'>>> = {
  person_id: 'person_id',
  name: 'name',
  first_name: 'first_name',
  middle_name: 'middle_name',
  last_name: 'last_name',
  city: 'city',
  birth_date: 'birth_date',
  age: 'age',
  property_id: 'property_id',
  apn: 'apn',
}
