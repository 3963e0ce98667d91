import { ADDRESS_WIDTH, KNOWN_BITS, type Records, PART, SLOT } from './records.ts'
import { mixInto } from './texts.ts'

const KNOWN = (1 << KNOWN_BITS) - 1

type SignedRecords = Omit<Records, 'sources' | 'ranks' | 'texts'> & {
  readonly texts: Pick<Records['texts'], 'hash'>
}

/**
 * Writes two Bloom signatures into every row: one of phones, e-mails and identifiers, one of addresses. Each value sets one or two bits by its
 * hash. Records without a common bit share no such value. Records with a common bit may share one. Scoring uses the signatures to skip
 * comparisons that could not change the decision.
 */
export function signRows(records: SignedRecords): void {
  const { rows, width, count } = records
  for (let row = 0; row < count * width; row += width) {
    rows[row + SLOT.contacts] = contactSigns(records, row)
    rows[row + SLOT.known] = (rows[row + SLOT.known]! & KNOWN) | (placeSigns(records, row) << KNOWN_BITS)
  }
}

function contactSigns({ rows, lists, emailNames, texts, attributes }: SignedRecords, row: number): number {
  const { hash } = texts
  let signs = 0
  const phones = rows[row + SLOT.phones]!
  for (let k = phones + 1; k <= phones + lists[phones]!; k++) signs |= 1 << (hash[lists[k]!]! & 31)
  const emails = rows[row + SLOT.emails]!
  for (let k = emails + 1; k <= emails + lists[emails]!; k++) {
    const name = emailNames[lists[k]!]!
    signs |= 1 << (hash[lists[k]!]! & 31)
    if (name !== 0) signs |= 1 << (hash[name]! & 31)
  }
  for (let a = 0; a < attributes.length; a++) {
    const value = rows[row + SLOT.attributes + a]!
    if (value !== 0 && attributes[a]!.isIdentifier) signs |= 1 << (mixInto(a, hash[value]!) & 31)
  }
  return signs
}

function placeSigns({ rows, lists, addresses, texts }: SignedRecords, row: number): number {
  const { hash } = texts
  let signs = 0
  const start = rows[row + SLOT.addresses]!
  for (let k = start + 1; k <= start + lists[start]!; k++) {
    const at = lists[k]! * ADDRESS_WIDTH
    const building = addresses[at + PART.building]!
    const house = addresses[at + PART.house]!
    const street = addresses[at + PART.street]!
    if (building !== 0) signs |= 1 << (hash[building]! & 15)
    if (house !== 0 && street !== 0) signs |= 1 << (mixInto(hash[house]!, hash[street]!) & 15)
  }
  return signs
}
