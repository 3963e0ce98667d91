import { ADDRESS_WIDTH, KNOWN_BITS, type Records, PART, SLOT } from './records.ts'
import { mixInto } from './texts.ts'

const KNOWN = (1 << KNOWN_BITS) - 1

type RecordsToSign = Omit<Records, 'sources' | 'ranks' | 'texts'> & {
  readonly texts: Pick<Records['texts'], 'hash'>
}

/**
 * Writes two Bloom signatures into every row: one of phones, e-mails and identifiers, one of addresses. Each value sets one or two bits by its
 * hash. Records without a common bit share no such value. Records with a common bit may share one. Scoring uses the signatures to skip
 * comparisons that could not change the decision.
 */
export function addSignatures(records: RecordsToSign): void {
  const { rows, width, count } = records
  for (let row = 0; row < count * width; row += width) {
    rows[row + SLOT.contacts] = contactSignature(records, row)
    rows[row + SLOT.known] = (rows[row + SLOT.known]! & KNOWN) | (placeSignature(records, row) << KNOWN_BITS)
  }
}

function contactSignature(
  { rows, lists, emailNames, texts, attributes }: RecordsToSign,
  row: number,
): number {
  const { hash } = texts
  let signature = 0
  const phones = rows[row + SLOT.phones]!
  for (let k = phones + 1; k <= phones + lists[phones]!; k++) signature |= 1 << (hash[lists[k]!]! & 31)
  const emails = rows[row + SLOT.emails]!
  for (let k = emails + 1; k <= emails + lists[emails]!; k++) {
    const name = emailNames[lists[k]!]!
    signature |= 1 << (hash[lists[k]!]! & 31)
    if (name !== 0) signature |= 1 << (hash[name]! & 31)
  }
  for (let a = 0; a < attributes.length; a++) {
    const value = rows[row + SLOT.attributes + a]!
    if (value !== 0 && attributes[a]!.isIdentifier) signature |= 1 << (mixInto(a, hash[value]!) & 31)
  }
  return signature
}

function placeSignature({ rows, lists, addresses, texts }: RecordsToSign, row: number): number {
  const { hash } = texts
  let signature = 0
  const start = rows[row + SLOT.addresses]!
  for (let k = start + 1; k <= start + lists[start]!; k++) {
    const at = lists[k]! * ADDRESS_WIDTH
    const building = addresses[at + PART.building]!
    const house = addresses[at + PART.house]!
    const street = addresses[at + PART.street]!
    if (building !== 0) signature |= 1 << (hash[building]! & 15)
    if (house !== 0 && street !== 0) signature |= 1 << (mixInto(hash[house]!, hash[street]!) & 15)
  }
  return signature
}
