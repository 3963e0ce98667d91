import { withoutFlag } from '../format/columns.ts'
import type { Output } from '../format/output.ts'
import { FIELD, field, HEADER_LENGTH, writePhones } from '../format/person-document.ts'
import { numberOfId } from '../format/store.ts'
import { shardOfPerson, type Snapshot } from '../snapshot/snapshot.ts'
import type { Index } from '../snapshot/snapshot-index.ts'

// The texts that begin and end items of lists in a person's document. Quotes inside values are escaped, so no
// value contains them.
const ADDRESS_ID_START = '{"address_id":"'.length
const ID_LENGTH = 11
const FULL_ADDRESS_START = ADDRESS_ID_START + ID_LENGTH + '","full_address":'.length
const AFTER_FULL_ADDRESS = Buffer.from(',"city":')
const NEXT_ADDRESS = Buffer.from(',{"address_id":')
const EMAIL_START = '{"email":'.length
const AFTER_EMAIL = Buffer.from(',"score":')
const NEXT_EMAIL = Buffer.from(',{"email":')
const AGE = ',"age":'

/**
 * Writes a person in the form of API version 1: e-mail addresses without scores, addresses with a position
 * and a score, no age. All lists are complete. `pinnedPhone` (national format) comes first in the list of
 * phones. Position and score of an address come from the columns.
 */
export function writePersonV1(
  out: Output,
  snapshot: Snapshot,
  person: number,
  document: Buffer,
  pinnedPhone: string | null,
): void {
  const { index, firstPerson } = shardOfPerson(snapshot, person)
  out.copy(document, HEADER_LENGTH, field(document, FIELD.HEAD_END) - AGE.length)
  out.copy(document, field(document, FIELD.HEAD_END), field(document, FIELD.PHONES_START))
  writePhones(out, document, pinnedPhone, Number.POSITIVE_INFINITY)
  out.ascii('],"emails":[')
  const emails = document.subarray(field(document, FIELD.EMAILS_START), field(document, FIELD.EMAILS_END))
  for (const [from, to] of items(emails, NEXT_EMAIL)) {
    if (from > 0) out.ascii(',')
    out.copy(emails, from + EMAIL_START, emails.lastIndexOf(AFTER_EMAIL, to))
  }
  out.ascii('],"current_addresses":[')
  writeAddresses(out, index, person - firstPerson, document.subarray(field(document, FIELD.CURRENT_START), field(document, FIELD.CURRENT_END))) // prettier-ignore
  out.ascii('],"historic_addresses":[')
  writeAddresses(out, index, person - firstPerson, document.subarray(field(document, FIELD.HISTORIC_START), field(document, FIELD.HISTORIC_END))) // prettier-ignore
  out.copy(document, field(document, FIELD.HISTORIC_END), field(document, FIELD.RELATIVES_END))
  out.ascii('}')
}

function writeAddresses(out: Output, index: Index, person: number, list: Buffer): void {
  const { store, columns } = index
  for (const [from] of items(list, NEXT_ADDRESS)) {
    if (from > 0) out.ascii(',')
    const idStart = from + ADDRESS_ID_START
    const id = list.toString('latin1', idStart, idStart + ID_LENGTH)
    const textStart = from + FULL_ADDRESS_START
    out.ascii(`{"id":"${id}","address":`)
    out.copy(list, textStart, list.indexOf(AFTER_FULL_ADDRESS, textStart))
    const address = numberOfId(store, id)!
    const latlong = latLong(columns.address_latitude[address]!, columns.address_longitude[address]!)
    out.ascii(`,"latlong":${latlong},"score":${addressScore(index, person, address)}}`)
  }
}

/** Yields where each item of a list begins and ends. */
function* items(list: Buffer, next: Buffer): Generator<[from: number, to: number]> {
  for (let from = 0; from < list.length;) {
    const end = list.indexOf(next, from)
    const to = end < 0 ? list.length : end
    yield [from, to]
    from = to + 1
  }
}

// The columns hold coordinates in 32 bits, which is exact to five decimals: one metre.
function latLong(latitude: number, longitude: number): string {
  if (Number.isNaN(latitude) || Number.isNaN(longitude)) return 'null'
  return `{"lat":${round(latitude)},"lng":${round(longitude)}}`
}

function round(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5
}

function addressScore({ columns }: Index, person: number, address: number): number {
  const end = columns.person_address_start[person + 1]!
  for (let i = columns.person_address_start[person]!; i < end; i++) {
    const link = columns.person_addresses[i]!
    if (withoutFlag(link) === address) return columns.person_address_scores[i]!
  }
  return 0
}
