import { AppError } from '../../errors.ts'
import type { PersonParts } from '../../lookup/index.ts'

export type Value = string | number | boolean | null

/**
 * The fields that a run can add to matched rows, in the order of their columns. `phones` adds `pb_phone_1`,
 * `pb_phone_1_type`, …
 */
export const FIELDS = [
  'phones',
  'emails',
  'address',
  'age',
  'company',
  'job_title',
  'owned_properties',
  'property',
  'owners',
] as const
export type Field = (typeof FIELDS)[number]
export const DEFAULT_FIELDS: readonly Field[] = ['phones', 'emails', 'address', 'age', 'company', 'job_title']

/**
 * Parses the value of `--fields`.
 * @throws `bad_usage` for an unknown field
 */
export function parseFields(text: string): Field[] {
  const asked = text.split(',').map((one) => one.trim()).filter((one) => one !== '') // prettier-ignore
  const unknown = asked.filter((one) => !FIELDS.includes(one as Field))
  if (unknown.length > 0)
    throw new AppError(
      'bad_usage',
      `--fields: there is no field ${unknown.map((one) => `'${one}'`).join(', ')}; there are ${FIELDS.join(', ')}`,
    )
  return FIELDS.filter((field) => asked.includes(field))
}

const PHONES = 4
const EMAILS = 3
const OWNED = 3
const OWNERS = 2

const numbered = (count: number, name: string, parts: readonly string[]): string[] =>
  Array.from({ length: count }, (_, at) => parts.map((part) => `${name}_${at + 1}${part}`)).flat()

const COLUMNS: Readonly<Record<Field, readonly string[]>> = {
  phones: numbered(PHONES, 'phone', ['', '_type', '_score']),
  emails: numbered(EMAILS, 'email', ['', '_score']),
  address: ['address_line1', 'address_city', 'address_state', 'address_zip'],
  age: ['age'],
  company: ['company'],
  job_title: ['job_title'],
  owned_properties: ['owned_count', ...numbered(OWNED, 'owned', ['_id', '_address'])],
  property: ['property_address', 'property_apn', 'property_purpose', 'property_year_built', 'property_living_sqft', 'property_lot_sqft', 'property_bedrooms', 'property_bathrooms', 'property_market_value', 'property_assessed_value', 'property_sale_date', 'property_last_sale_amount'],
  owners: ['owner_type', ...numbered(OWNERS, 'owner', ['_name', '_id'])],
} // prettier-ignore

/**
 * The column of each field that is filled when the field has a value. A property without an address has a parcel
 * number. A person without properties has an `owned_count` of 0.
 */
export const INDICATOR_COLUMNS: Readonly<Record<Field, string>> = {
  phones: 'phone_1',
  emails: 'email_1',
  address: 'address_line1',
  age: 'age',
  company: 'company',
  job_title: 'job_title',
  owned_properties: 'owned_1_id',
  property: 'property_apn',
  owners: 'owner_1_name',
}

/** The fields about the property; all others are about the person. */
export const PROPERTY_FIELDS: ReadonlySet<Field> = new Set(['property', 'owners'])

/** Returns the names of the columns that the fields add, without the prefix. */
export function fieldColumns(fields: readonly Field[]): string[] {
  return fields.flatMap((field) => COLUMNS[field])
}

/** Returns the values of `fieldColumns` in the same order; null for unknown values. */
export function fieldValues(
  fields: readonly Field[],
  person: PersonParts | null,
  property: PropertyDetails | null,
): Value[] {
  const values: Value[] = []
  let facts: PersonParts['facts'] | undefined
  for (const field of fields) {
    if (PROPERTY_FIELDS.has(field) ? property === null : person === null) {
      for (let i = 0; i < COLUMNS[field].length; i++) values.push(null)
      continue
    }
    switch (field) {
      case 'phones':
        pad(values, PHONES * 3, person!.phones.slice(0, PHONES).flatMap(({ number, type, score }) => [number, type, score])) // prettier-ignore
        break
      case 'emails':
        pad(
          values,
          EMAILS * 2,
          person!.emails.slice(0, EMAILS).flatMap(({ email, score }) => [email, score]),
        )
        break
      case 'address': {
        const address = person!.address
        values.push(
          address?.line1 ?? null,
          address?.city ?? null,
          address?.state ?? null,
          address?.zip ?? null,
        )
        break
      }
      case 'age':
        values.push(person!.age)
        break
      case 'company':
        values.push((facts ??= person!.facts).company_name)
        break
      case 'job_title':
        values.push((facts ??= person!.facts).job_title)
        break
      case 'owned_properties':
        values.push(person!.ownedCount)
        pad(
          values,
          OWNED * 2,
          person!.owned.slice(0, OWNED).flatMap(({ id, address }) => [id, address]),
        )
        break
      case 'property':
        values.push(...propertyValues(property!))
        break
      case 'owners': {
        const { owner_type, person_owners, business_owners } = property!.ownership_info
        const owners = [...person_owners, ...business_owners.map(({ name }) => ({ id: null, name }))]
        values.push(owner_type)
        pad(
          values,
          OWNERS * 2,
          owners.slice(0, OWNERS).flatMap(({ id, name }) => [name, id]),
        )
      }
    }
  }
  return values
}

/** The members that are read from the answer with property details. */
export interface PropertyDetails {
  readonly property_id: string
  readonly apn: string | null
  readonly property_address: { readonly full_address: string | null } | null
  readonly property_purpose: string | null
  readonly year_built: number | null
  readonly living_sqft: number | null
  readonly lot_sqft: number | null
  readonly bedrooms: number | null
  readonly bathrooms: number | null
  readonly assessed_info: { readonly market_value: number | null; readonly assessed_value: number | null }
  readonly ownership_info: {
    readonly owner_type: string
    readonly sale_date: string | null
    readonly last_sale_amount: number | null
    readonly person_owners: readonly { readonly id: string | null; readonly name: string | null }[]
    readonly business_owners: readonly { readonly name: string }[]
  }
}

function propertyValues(property: PropertyDetails): Value[] {
  const { assessed_info, ownership_info } = property
  return [
    property.property_address?.full_address ?? null,
    property.apn,
    property.property_purpose,
    property.year_built,
    property.living_sqft,
    property.lot_sqft,
    property.bedrooms,
    property.bathrooms,
    assessed_info.market_value,
    assessed_info.assessed_value,
    ownership_info.sale_date,
    ownership_info.last_sale_amount,
  ]
}

function pad(values: Value[], count: number, found: readonly Value[]): void {
  for (let i = 0; i < count; i++) values.push(found[i] ?? null)
}

/** The values of `--require`: what a match must have. */
export const REQUIREMENTS = ['phone', 'email', 'address', 'age', 'property'] as const
export type Requirement = (typeof REQUIREMENTS)[number]

/**
 * Parses the value of `--require`.
 * @throws `bad_usage` for an unknown requirement
 */
export function parseRequirements(text: string): Requirement[] {
  const asked = text.split(',').map((one) => one.trim()).filter((one) => one !== '') // prettier-ignore
  const unknown = asked.filter((one) => !REQUIREMENTS.includes(one as Requirement))
  if (unknown.length > 0)
    throw new AppError(
      'bad_usage',
      `--require: ${unknown.join(', ')} can't be required; ${REQUIREMENTS.join(', ')} can`,
    )
  return REQUIREMENTS.filter((one) => asked.includes(one))
}

/** Returns the first requirement that the person does not meet; null when all are met. */
export function missingRequirement(
  required: readonly Requirement[],
  person: PersonParts,
  propertyId: string | null,
): Requirement | null {
  const has: Record<Requirement, () => boolean> = {
    phone: () => person.phones.length > 0,
    email: () => person.emails.length > 0,
    address: () => person.address !== null,
    age: () => person.age !== null,
    property: () => propertyId !== null || person.ownedCount > 0,
  }
  return required.find((one) => !has[one]()) ?? null
}
