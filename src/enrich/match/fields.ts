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
  return listed(
    text,
    FIELDS,
    (unknown) =>
      `--fields: there is no field ${unknown.map((one) => `'${one}'`).join(', ')}; there are ${FIELDS.join(', ')}`,
  )
}

/** Returns the listed values in the order of `known`. */
function listed<Name extends string>(
  text: string,
  known: readonly Name[],
  messageOf: (unknown: readonly string[]) => string,
): Name[] {
  const asked = text.split(',').map((one) => one.trim()).filter((one) => one !== '') // prettier-ignore
  const unknown = asked.filter((one) => !known.includes(one as Name))
  if (unknown.length > 0) throw new AppError('bad_usage', messageOf(unknown))
  return known.filter((one) => asked.includes(one))
}

const PHONES = 4
const EMAILS = 3
const OWNED = 3
const OWNERS = 2

const numbered = (count: number, name: string, parts: readonly string[]): string[] =>
  Array.from({ length: count }, (_, at) => parts.map((part) => `${name}_${at + 1}${part}`)).flat()

/** The columns that a field adds to a row. */
interface FieldColumns {
  /** The names of its columns, without the prefix. */
  readonly columns: readonly string[]
  /**
   * The column that is filled when the field has a value. A property without an address has a parcel number. A person
   * without properties has an `owned_count` of 0.
   */
  readonly indicator: string
}

interface PersonField extends FieldColumns {
  /** Returns the values of the columns. Missing values at the end become null. */
  readonly ofPerson: (person: PersonParts) => readonly Value[]
}

interface PropertyField extends FieldColumns {
  readonly ofProperty: (property: PropertyDetails) => readonly Value[]
}

const COLUMNS: Readonly<Record<Field, PersonField | PropertyField>> = {
  phones: {
    columns: numbered(PHONES, 'phone', ['', '_type', '_score']),
    indicator: 'phone_1',
    ofPerson: ({ phones }) => phones.slice(0, PHONES).flatMap(({ number, type, score }) => [number, type, score]), // prettier-ignore
  },
  emails: {
    columns: numbered(EMAILS, 'email', ['', '_score']),
    indicator: 'email_1',
    ofPerson: ({ emails }) => emails.slice(0, EMAILS).flatMap(({ email, score }) => [email, score]),
  },
  address: {
    columns: ['address_line1', 'address_city', 'address_state', 'address_zip'],
    indicator: 'address_line1',
    ofPerson: ({ address }) =>
      address === null ? [] : [address.line1, address.city, address.state, address.zip],
  },
  age: { columns: ['age'], indicator: 'age', ofPerson: ({ age }) => [age] },
  company: { columns: ['company'], indicator: 'company', ofPerson: ({ facts }) => [facts.company_name] },
  job_title: { columns: ['job_title'], indicator: 'job_title', ofPerson: ({ facts }) => [facts.job_title] },
  owned_properties: {
    columns: ['owned_count', ...numbered(OWNED, 'owned', ['_id', '_address'])],
    indicator: 'owned_1_id',
    ofPerson: ({ ownedCount, owned }) => [ownedCount, ...owned.slice(0, OWNED).flatMap(({ id, address }) => [id, address])], // prettier-ignore
  },
  property: {
    columns: ['property_address', 'property_apn', 'property_purpose', 'property_year_built', 'property_living_sqft', 'property_lot_sqft', 'property_bedrooms', 'property_bathrooms', 'property_market_value', 'property_assessed_value', 'property_sale_date', 'property_last_sale_amount'], // prettier-ignore
    indicator: 'property_apn',
    ofProperty: ({ property_address, assessed_info, ownership_info, ...property }) => [
      property_address?.full_address ?? null,
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
    ],
  },
  owners: {
    columns: ['owner_type', ...numbered(OWNERS, 'owner', ['_name', '_id'])],
    indicator: 'owner_1_name',
    ofProperty: ({ ownership_info: { owner_type, person_owners, business_owners } }) => {
      const owners = [...person_owners, ...business_owners.map(({ name }) => ({ id: null, name }))]
      return [owner_type, ...owners.slice(0, OWNERS).flatMap(({ id, name }) => [name, id])]
    },
  },
}

/** Returns whether a field is about the property; all others are about the person. */
export function isOfProperty(field: Field): boolean {
  return 'ofProperty' in COLUMNS[field]
}

/** Returns the names of the columns that the fields add, without the prefix. */
export function fieldColumns(fields: readonly Field[]): string[] {
  return fields.flatMap((field) => COLUMNS[field].columns)
}

/** Returns the column of a field that is filled when the field has a value. */
export function indicatorColumn(field: Field): string {
  return COLUMNS[field].indicator
}

/** Returns the values of `fieldColumns` in the same order; null for unknown values. */
export function fieldValues(
  fields: readonly Field[],
  person: PersonParts | null,
  property: PropertyDetails | null,
): Value[] {
  return fields.flatMap((field): Value[] => {
    const one = COLUMNS[field]
    const found =
      'ofProperty' in one
        ? property === null
          ? []
          : one.ofProperty(property)
        : person === null
          ? []
          : one.ofPerson(person)
    return one.columns.map((_, at) => found[at] ?? null)
  })
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

/** The values of `--require`: what a match must have. */
export const REQUIREMENTS = ['phone', 'email', 'address', 'age', 'property'] as const
export type Requirement = (typeof REQUIREMENTS)[number]

/**
 * Parses the value of `--require`.
 * @throws `bad_usage` for an unknown requirement
 */
export function parseRequirements(text: string): Requirement[] {
  return listed(
    text,
    REQUIREMENTS,
    (unknown) => `--require: ${unknown.join(', ')} can't be required; ${REQUIREMENTS.join(', ')} can`,
  )
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
