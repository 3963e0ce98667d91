import { ListBuilder } from '../../../src/link/records/list-builder.ts'
import { LIST } from '../../../src/link/records/coding.ts'
import {
  ADDRESS_WIDTH,
  type Attribute,
  ignoresPlaceholders,
  type Records,
  SLOT,
  widthFor,
} from '../../../src/link/records/records.ts'
import { addSignatures } from '../../../src/link/records/signatures.ts'
import { TextPoolBuilder, withNameKeys } from '../../../src/link/records/text-pool.ts'

export interface PlainAddress {
  readonly house?: string
  readonly street?: string
  readonly unit?: string
  readonly city?: string
  readonly state?: string
  readonly zip?: string
}

export interface PlainRecord {
  /** Index into the sources of `recordsOf`; 0 where absent. */
  readonly source?: number
  readonly first?: string
  readonly middle?: string
  readonly last?: string
  readonly suffix?: string
  /** Other last names. */
  readonly others?: readonly string[]
  /** `YYYY-MM-DD`; a part of zeros is unknown. */
  readonly birth?: string
  readonly addresses?: readonly PlainAddress[]
  readonly phones?: readonly string[]
  readonly emails?: readonly string[]
  readonly traits?: Readonly<Record<string, string>>
  readonly identifiers?: Readonly<Record<string, string>>
}

const encoder = new TextEncoder()

/**
 * Builds the linker's arrays from plain objects without a database. Record k is `plain[k]`, and its rank is k. `sources` has the flags of each
 * source (`DUPLICATE_FREE`, `HOUSEHOLD_LIKE`). Attributes: identifiers first, then traits, in the order in which they first occur.
 */
export function recordsOf(plain: readonly PlainRecord[], sources: readonly number[] = [0]): Records {
  const builder = new TextPoolBuilder()
  const names = plain.map(({ first, middle, last, suffix, others = [] }) => ({
    slots: [first, middle, last, suffix].map((name) => nameIn(builder, name)),
    others: others.map((name) => nameIn(builder, name)),
  }))
  builder.endNames()
  const text = (value = ''): number => builder.addText(...bytesOf(value))
  const value = (of = ''): number => builder.addValue(...bytesOf(of))
  const addressRows: number[] = Array.from({ length: ADDRESS_WIDTH }, () => 0)
  const addressLists = plain.map(({ addresses = [] }) =>
    addresses.map((address) => {
      const parts = partsOf(address).map((part, p) => (ignoresPlaceholders(p) ? value(part) : text(part)))
      return addressRows.push(...parts) / ADDRESS_WIDTH - 1
    }),
  )
  const phones = plain.map((record) => (record.phones ?? []).map(value))
  const emails = plain.map((record) => (record.emails ?? []).map(value))
  const emailNames = emails
    .flat()
    .map((email) => [email, email === 0 ? 0 : builder.addBeforeAt(email)] as const)
  const attributes = attributesOf(plain)
  const given = plain.map(({ traits, identifiers }) =>
    attributes.map(({ kind, isIdentifier }) => value((isIdentifier ? identifiers : traits)?.[kind])),
  )
  const texts = withNameKeys(builder.build())
  const count = plain.length
  const width = widthFor(attributes.length)
  const rows = new Int32Array(count * width)
  const addresses = Int32Array.from(addressRows)
  const lists = new ListBuilder({ rows, width, count, hash: texts.hash, addresses })
  plain.forEach(({ source = 0, birth = '0000-00-00' }, record) => {
    const [year, month, day] = birth.split('-').map(Number)
    const row = record * width
    rows[row + SLOT.source] = source
    rows.set(names[record]!.slots, row + SLOT.first)
    rows[row + SLOT.birth] = year! * 512 + month! * 32 + day!
    for (const name of names[record]!.others) lists.add(record, LIST.other_last_name, name)
    for (const address of addressLists[record]!) lists.add(record, LIST.address, address)
    for (const phone of phones[record]!) lists.add(record, LIST.phone, phone)
    for (const email of emails[record]!) lists.add(record, LIST.email, email)
    given[record]!.forEach((own, a) => lists.addAttribute(record, a, own))
  })
  const emailNameOf = new Int32Array(texts.count)
  for (const [email, name] of emailNames) emailNameOf[email] = name
  const records = {
    count,
    width,
    rows,
    ranks: Float64Array.from(plain.keys()),
    lists: lists.finish(),
    addresses,
    emailNames: emailNameOf,
    texts,
    attributes,
    sources: Uint8Array.from(sources),
  }
  addSignatures(records)
  return records
}

/** Returns the number of a name in the pool of some records; 0 for a name that none of them has. */
export function nameNumber({ texts }: Records, name: string): number {
  const wanted = encoder.encode(name)
  for (let id = 1; id < texts.count; id++) {
    const [from, to] = [texts.starts[id]!, texts.starts[id + 1]!]
    if (to - from === wanted.length && wanted.every((code, k) => texts.bytes[from + k] === code)) return id
  }
  return 0
}

function bytesOf(text: string): [Uint8Array, number, number] {
  const bytes = encoder.encode(text)
  return [bytes, 0, bytes.length]
}

function nameIn(builder: TextPoolBuilder, name = ''): number {
  return builder.addName(...bytesOf(name))
}

// In the order of PART. Without keys of a normaliser, the keys are made of the parts.
function partsOf({ house, street, unit, city, state, zip }: PlainAddress): (string | undefined)[] {
  const place =
    zip ?? (city === undefined && state === undefined ? undefined : `${city ?? ''}|${state ?? ''}`)
  const building =
    street === undefined || place === undefined ? undefined : `${house ?? ''}|${street}|${place}|`
  const unitKey = building === undefined ? undefined : building + (unit ?? '')
  return [unitKey, building, house, street, unit, city, state, zip]
}

function attributesOf(plain: readonly PlainRecord[]): Attribute[] {
  const kinds = (of: 'identifiers' | 'traits'): string[] => [
    ...new Set(plain.flatMap((record) => Object.keys(record[of] ?? {}))),
  ]
  return [
    ...kinds('identifiers').map((kind) => ({ kind, isIdentifier: true })),
    ...kinds('traits').map((kind) => ({ kind, isIdentifier: false })),
  ]
}
