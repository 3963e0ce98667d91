import type { Output } from '../format/output.ts'

interface Found {
  readonly property_id: string
  readonly property_address: { readonly address_id: string; readonly full_address: string } | null
  readonly ownership_info: {
    readonly business_owners: readonly { readonly name: string }[]
    readonly person_owners: readonly { readonly id: string | null; readonly name: string }[]
  }
}

export interface PropertyPeople {
  readonly owners: readonly number[]
  readonly residents: readonly number[]
}

/**
 * Writes a property in the form of API version 1. `found` is the form of version 2. Version 1 has one list of
 * owners, which includes businesses and owners without a person id; these have only a name.
 */
export function writePropertyV1(
  out: Output,
  found: Buffer,
  { owners, residents }: PropertyPeople,
  writePerson: (person: number) => void,
): void {
  const { property_id, property_address, ownership_info } = JSON.parse(found.toString()) as Found
  const address = property_address === null ? null : { id: property_address.address_id, full_address: property_address.full_address } // prettier-ignore
  out.text(JSON.stringify({ id: property_id, property_address: address }).slice(0, -1))
  out.ascii(',"owners":[')
  writeEach(out, owners, writePerson)
  const unresolved = ownership_info.person_owners.filter(({ id }) => id === null)
  for (const [index, { name }] of [...unresolved, ...ownership_info.business_owners].entries()) {
    if (index > 0 || owners.length > 0) out.ascii(',')
    out.text(JSON.stringify({ ...NOTHING_KNOWN, name }))
  }
  out.ascii('],"residents":[')
  writeEach(out, residents, writePerson)
  out.ascii(']}')
}

function writeEach(out: Output, people: readonly number[], writePerson: (person: number) => void): void {
  for (const [index, person] of people.entries()) {
    if (index > 0) out.ascii(',')
    writePerson(person)
  }
}

const NOTHING_KNOWN = {
  id: null,
  name: '',
  aliases: [],
  is_dead: false,
  date_of_birth: null,
  linkedin_url: null,
  company_name: null,
  job_title: null,
  phones: [],
  emails: [],
  current_addresses: [],
  historic_addresses: [],
  owned_properties: [],
  relatives: [],
}
