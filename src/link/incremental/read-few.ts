import type { DuckDBBlobValue, DuckDBConnection } from '@duckdb/node-api'
import { readChunks } from '../../warehouse/query.ts'
import { BIRTH, buildingOf, LIST, rankColumns, rankOf, unitKeyOf } from '../records/coding.ts'
import { GrowingIntegers } from '../records/growing.ts'
import { ListBuilder } from '../records/list-builder.ts'
import { loadSources } from '../records/load-mentions.ts'
import {
  ADDRESS_WIDTH,
  type Attribute,
  isNamedPart,
  type Mentions,
  type PlainMentions,
  SLOT,
  widthFor,
} from '../records/mentions.ts'
import { signRows } from '../score/reach.ts'
import { TextPoolBuilder, withNameKeys } from '../records/text-pool.ts'
import { shared, sharedCopy } from '../records/texts.ts'

// A record as text: numbers end with a colon, before a text stands its length in bytes, before a list how many items it has.
const number = (value: string): string => `${value}, ':'`
const text = (value: string): string => `strlen(${value}), ':', ${value}`
const list = (values: string, item: string, counted = values): string =>
  `len(${counted}), ':', array_to_string(list_transform(${values}, lambda item: concat(${item})), '')`

const PRESENT = 'list_filter(r.addresses, lambda item: item is not null)'
// With their keys, each made once: where they stand wherever they are asked for, a night's statement takes half as long again.
const ADDRESSES = `list_transform(
  list_transform(
    ${PRESENT},
    lambda item: {'address': item, 'building': ${buildingOf('item')}}
  ),
  lambda item: {'address': item.address, 'building': item.building, 'unit_key': ${unitKeyOf('item.address', 'item.building')}}
)`
const ADDRESS = [
  'item.unit_key',
  'item.building',
  ...['house_number', 'street_name', 'unit_number', 'city', 'state', 'zip'].map(
    (part) => `item.address.${part}`,
  ),
].map(text)

const FIELDS = [
  ...['s.source_number', BIRTH, ...rankColumns('hash(r.record_id)')].map(number),
  ...['first_name', 'middle_name', 'last_name', 'name_suffix'].map((name) => text(`r.${name}`)),
  list('r.other_last_names', text('item')),
  list(ADDRESSES, ADDRESS.join(', '), PRESENT),
  list('r.phones', text('item')),
  list('r.emails', text('item')),
  ...['gender', 'employer'].map((trait) => text(`r.${trait}`)),
  list('r.traits', text('item')),
  list('r.identifiers', text('item')),
]
const NAME_SLOTS = [SLOT.first, SLOT.middle, SLOT.last, SLOT.suffix]

/**
 * Reads some records as mentions, in one statement and without dictionaries: what `loadMentions` would read, at a fraction of what that
 * costs for a few. `from`: a table or query of the shape of `link.records`, with the number of each from 0 as `mention`. Their sources
 * must have numbers.
 */
export async function readFew(
  db: DuckDBConnection,
  from: string,
  attributes: readonly Attribute[],
): Promise<Mentions> {
  const mentions = mentionsOf(await fetchFew(db, from), attributes, await loadSources(db))
  return { ...mentions, texts: withNameKeys(mentions.texts) }
}

/** The second half of `readFew`, no more than arithmetic, but for the keys of names. */
export function mentionsOf(
  records: readonly RecordBytes[],
  attributes: readonly Attribute[],
  sources: Uint8Array,
): PlainMentions {
  return { ...new FewReader(records, attributes).read(), sources }
}

// So many records cross as one value.
const PIECE = 1024

/** The first half of `readFew`, what the engine has to do: of each mention, where it stands. */
export async function fetchFew(db: DuckDBConnection, from: string): Promise<readonly RecordBytes[]> {
  const sql = `select min(mention), encode(string_agg(concat(strlen(record), ':', record), '' order by mention)) from (
      select r.mention, concat(${FIELDS.join(', ')}) as record
      from ${from} as r join link.coded_sources as s on s.source_id = r.source_id
    ) group by mention // ${PIECE}`
  const records: RecordBytes[] = []
  for (const chunk of await readChunks(db, sql)) {
    const first = (chunk.getColumnVector(0) as unknown as { items: Int32Array }).items
    for (let piece = 0; piece < chunk.rowCount; piece++) {
      const { bytes } = chunk.getColumnVector(1).getItem(piece) as DuckDBBlobValue
      const reader = new RecordBytes(bytes, 0)
      for (let mention = first[piece]!; reader.to < bytes.length; mention++) {
        reader.next()
        records[mention] = new RecordBytes(bytes, reader.from)
      }
    }
  }
  return records
}

const COLON = 58
const DIGIT = 48
/** Separates values where all records are read, and is taken out of them there. */
const SEPARATOR = 31

/** Reads numbers and texts one after the other. */
class RecordBytes {
  bytes: Uint8Array
  /** Where the text that was read last stands. */
  from: number
  to: number
  readonly #all: Uint8Array
  #at: number

  constructor(bytes: Uint8Array, at: number) {
    this.#all = bytes
    this.#at = at
    this.bytes = bytes
    this.from = at
    this.to = at
  }

  number(): number {
    let value = 0
    for (; this.#all[this.#at] !== COLON; this.#at++) value = value * 10 + this.#all[this.#at]! - DIGIT
    this.#at++
    return value
  }

  /** Goes to the next text. */
  next(): void {
    const length = this.number()
    this.bytes = this.#all
    this.from = this.#at
    this.to = this.from + length
    this.#at = this.to
  }

  /** The same, without separators. */
  nextValue(): void {
    this.next()
    for (let k = this.from; k < this.to; k++) {
      if (this.#all[k] !== SEPARATOR) continue
      this.bytes = this.#all.subarray(this.from, this.to).filter((byte) => byte !== SEPARATOR)
      this.from = 0
      this.to = this.bytes.length
      return
    }
  }
}

class FewReader {
  readonly #records: readonly RecordBytes[]
  readonly #attributes: readonly Attribute[]
  readonly #kinds: readonly Uint8Array[]
  readonly #builder = new TextPoolBuilder()
  readonly #rows: Int32Array
  readonly #width: number
  readonly #ranks: Float64Array
  /** Mention, list and item of each, and mention, attribute and text. */
  readonly #items = new GrowingIntegers()
  readonly #values = new GrowingIntegers()
  readonly #addresses = new GrowingIntegers()
  readonly #emailNames: [number, number][] = []

  constructor(records: readonly RecordBytes[], attributes: readonly Attribute[]) {
    this.#records = records
    this.#attributes = attributes
    this.#kinds = attributes.map(({ kind }) => new TextEncoder().encode(`${kind}:`))
    this.#width = widthFor(attributes.length)
    this.#rows = shared(Int32Array, records.length * this.#width)
    this.#ranks = shared(Float64Array, records.length)
    // The first stands for none.
    for (let part = 0; part < ADDRESS_WIDTH; part++) this.#addresses.push(0)
  }

  read(): Omit<PlainMentions, 'sources'> {
    this.#records.forEach((record, mention) => this.#names(record, mention))
    this.#builder.endNames()
    this.#records.forEach((record, mention) => this.#lists(record, mention))
    const texts = this.#builder.build()
    const [rows, width, count] = [this.#rows, this.#width, this.#records.length]
    const addresses = sharedCopy(Int32Array, this.#addresses.view())
    const builder = new ListBuilder({ rows, width, count, hash: texts.hash, addresses })
    eachThree(this.#items, (mention, kind, item) => builder.add(mention, kind, item))
    eachThree(this.#values, (mention, attribute, value) => builder.addAttribute(mention, attribute, value))
    const lists = builder.finish()
    const emailNames = shared(Int32Array, texts.count)
    for (const [email, name] of this.#emailNames) emailNames[email] = name
    const attributes = this.#attributes
    const mentions = {
      count,
      width,
      rows,
      ranks: this.#ranks,
      lists,
      addresses,
      emailNames,
      texts,
      attributes,
    }
    signRows(mentions)
    return mentions
  }

  #names(record: RecordBytes, mention: number): void {
    const row = mention * this.#width
    this.#rows[row + SLOT.source] = record.number()
    this.#rows[row + SLOT.birth] = record.number()
    this.#ranks[mention] = rankOf(record.number(), record.number())
    for (const slot of NAME_SLOTS) this.#rows[row + slot] = this.#name(record)
    for (let left = record.number(); left > 0; left--)
      this.#item(mention, LIST.other_last_name, this.#name(record))
  }

  // Names of all records come first: the pool wants them so.
  #lists(record: RecordBytes, mention: number): void {
    for (let left = record.number(); left > 0; left--)
      this.#item(mention, LIST.address, this.#address(record))
    for (let left = record.number(); left > 0; left--) this.#item(mention, LIST.phone, this.#value(record))
    for (let left = record.number(); left > 0; left--) {
      const email = this.#value(record)
      this.#item(mention, LIST.email, email)
      if (email !== 0) this.#emailNames.push([email, this.#builder.addBeforeAt(email)])
    }
    for (const trait of ['gender', 'employer']) {
      const value = this.#value(record)
      const attribute = this.#attributes.findIndex(({ kind }) => kind === trait)
      this.#values.append(Int32Array.of(mention, attribute, value))
    }
    // Traits, then identifiers.
    for (let kind = LIST.trait; kind <= LIST.identifier; kind++)
      for (let left = record.number(); left > 0; left--) this.#attribute(mention, record)
  }

  #name(record: RecordBytes): number {
    record.nextValue()
    return this.#builder.addName(record.bytes, record.from, record.to)
  }

  #value(record: RecordBytes): number {
    record.nextValue()
    return this.#builder.addValue(record.bytes, record.from, record.to)
  }

  #item(mention: number, kind: number, item: number): void {
    this.#items.push(mention)
    this.#items.push(kind)
    this.#items.push(item)
  }

  // Kinds that the model doesn't know are not compared.
  #attribute(mention: number, record: RecordBytes): void {
    record.nextValue()
    const { bytes, from, to } = record
    const attribute = this.#kinds.findIndex((kind) => startsWith(bytes, from, to, kind))
    if (attribute < 0) return
    const value = this.#builder.addValue(bytes, from + this.#kinds[attribute]!.length, to)
    this.#values.append(Int32Array.of(mention, attribute, value))
  }

  #address(record: RecordBytes): number {
    const address = this.#addresses.length / ADDRESS_WIDTH
    for (let part = 0; part < ADDRESS_WIDTH; part++) {
      record.nextValue()
      const { bytes, from, to } = record
      this.#addresses.push(
        isNamedPart(part) ? this.#builder.addValue(bytes, from, to) : this.#builder.addText(bytes, from, to),
      )
    }
    return address
  }
}

function eachThree(found: GrowingIntegers, take: (a: number, b: number, c: number) => void): void {
  for (let k = 0; k < found.length; k += 3) take(found.at(k), found.at(k + 1), found.at(k + 2))
}

function startsWith(bytes: Uint8Array, from: number, to: number, start: Uint8Array): boolean {
  if (to - from < start.length) return false
  for (let k = 0; k < start.length; k++) if (bytes[from + k] !== start[k]) return false
  return true
}
