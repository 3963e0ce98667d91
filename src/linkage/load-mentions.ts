import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { query } from '../warehouse/query.ts'
import { LIST } from './coding.ts'
import { readIntegers, readTexts } from './columns.ts'
import { GrowingIntegers } from './growing.ts'
import {
  ADDRESS_WIDTH,
  type Attribute,
  DUPLICATE_FREE,
  HOUSEHOLD_LIKE,
  LIST_SLOTS,
  type Mentions,
  PART,
  ROW_LINE,
  SLOT,
} from './mentions.ts'
import { signRows } from './reach.ts'
import { TextPoolBuilder } from './text-pool.ts'
import { shared } from './texts.ts'

const MOST_ATTRIBUTES = 15

/**
 * Reads the records that were coded last (`temp.coded_records` and the dictionaries beside it): mention number is record number less
 * `firstNumber`. Without `attributes` those that the records have are chosen.
 */
export async function loadMentions(
  db: DuckDBConnection,
  firstNumber: number,
  given?: readonly Attribute[],
): Promise<Mentions> {
  const builder = new TextPoolBuilder()
  const names = await loadNames(db, builder)
  builder.endNames()
  const addresses = await loadAddresses(db, builder)
  const { values, kinds, emailNames } = await loadValues(db, builder)
  const attributes = given ?? chooseAttributes(kinds)
  const texts = builder.build()
  const { rows, ranks, count, width } = await loadRows(db, firstNumber, names, attributes.length)
  const slotOfKind = Int32Array.from(kinds, ({ kind }) => attributes.findIndex((a) => a.kind === kind))
  const lists = new ListReader({
    rows,
    width,
    count,
    names,
    hash: texts.hash,
    addresses,
    ...values,
    slotOfKind,
  })
  await readIntegers(
    db,
    `select record_number - ${firstNumber}, list_kind, value_id from temp.coded_lists`,
    (columns, n) => lists.take(columns, n),
  )
  const emailNameOf = shared(Int32Array, texts.count)
  for (const [email, name] of emailNames) emailNameOf[email] = name
  const mentions = {
    count,
    width,
    rows,
    ranks,
    addresses,
    texts,
    attributes,
    lists: lists.finish(),
    emailNames: emailNameOf,
  }
  signRows(mentions)
  return { ...mentions, sources: await loadSources(db) }
}

async function largest(db: DuckDBConnection, table: string): Promise<number> {
  const sql = `select count(*)::integer as n from temp.${table}`
  return (await query(db, sql, z.object({ n: z.int() })))[0]!.n
}

async function loadNames(db: DuckDBConnection, builder: TextPoolBuilder): Promise<Int32Array> {
  const ids = new Int32Array(1 + (await largest(db, 'coded_names')))
  await readTexts(
    db,
    { table: 'temp.coded_names', id: 'name_id', columns: ['name'] },
    (id, [bytes], from, to) => {
      ids[id] = builder.addName(bytes!, from[0]!, to[0]!)
    },
  )
  return ids
}

const PART_COLUMNS = [
  'unit_key', 'building', 'house_number', 'street_name', 'unit_number', 'city', 'state', 'zip',
] as const // prettier-ignore

async function loadAddresses(db: DuckDBConnection, builder: TextPoolBuilder): Promise<Int32Array> {
  const parts = shared(Int32Array, (1 + (await largest(db, 'coded_addresses'))) * ADDRESS_WIDTH)
  await readTexts(
    db,
    { table: 'temp.coded_addresses', id: 'address_id', columns: PART_COLUMNS },
    (id, bytes, from, to) => {
      for (let part = 0; part < ADDRESS_WIDTH; part++) {
        const isNamed = part === PART.city || part === PART.zip
        parts[id * ADDRESS_WIDTH + part] = isNamed
          ? builder.addValue(bytes[part]!, from[part]!, to[part]!)
          : builder.addText(bytes[part]!, from[part]!, to[part]!)
      }
    },
  )
  return parts
}

interface Kind {
  readonly kind: string
  readonly isIdentifier: boolean
}

interface Values {
  /** Value id → text, 0 for placeholders, and its entry in `kinds` where it is a trait or identifier. */
  readonly values: { readonly valueTexts: Int32Array; readonly valueKinds: Uint8Array }
  readonly kinds: readonly Kind[]
  readonly emailNames: readonly (readonly [number, number])[]
}

async function loadValues(db: DuckDBConnection, builder: TextPoolBuilder): Promise<Values> {
  const count = 1 + (await largest(db, 'coded_values'))
  const valueTexts = new Int32Array(count)
  const valueKinds = new Uint8Array(count)
  const ranges = await query(
    db,
    `select list_kind, kind, min(value_id)::integer as first, max(value_id)::integer as last from temp.coded_values
    group by all order by first`,
    z.object({ list_kind: z.int(), kind: z.string(), first: z.int(), last: z.int() }),
  )
  const kinds: Kind[] = []
  const lengths = new Int32Array(count)
  for (const { list_kind, kind, first, last } of ranges) {
    if (list_kind < LIST.trait) continue
    // A kind that is a trait somewhere and an identifier elsewhere is a trait.
    let at = kinds.findIndex((known) => known.kind === kind)
    if (at < 0) at = kinds.push({ kind, isIdentifier: list_kind === LIST.identifier }) - 1
    valueKinds.fill(at, first, last + 1)
    lengths.fill(new TextEncoder().encode(kind).length + 1, first, last + 1)
  }
  const emails = ranges.find(({ list_kind }) => list_kind === LIST.email)
  const emailNames: [number, number][] = []
  await readTexts(
    db,
    { table: 'temp.coded_values', id: 'value_id', columns: ['value'] },
    (id, [bytes], from, to) => {
      const text = builder.addValue(bytes!, from[0]! + lengths[id]!, to[0]!)
      valueTexts[id] = text
      if (emails === undefined || text === 0 || id < emails.first || id > emails.last) return
      emailNames.push([text, builder.addBeforeAt(text)])
    },
  )
  return { values: { valueTexts, valueKinds }, kinds, emailNames }
}

// Identifiers first, then gender and employer, then the others by name.
function chooseAttributes(kinds: readonly Kind[]): Attribute[] {
  return kinds
    .toSorted((a, b) => attributeRank(a) - attributeRank(b) || (a.kind < b.kind ? -1 : 1))
    .slice(0, MOST_ATTRIBUTES)
}

function attributeRank({ kind, isIdentifier }: Attribute): number {
  if (isIdentifier) return 0
  return kind === 'gender' ? 1 : kind === 'employer' ? 2 : 3
}

async function loadRows(
  db: DuckDBConnection,
  firstNumber: number,
  names: Int32Array,
  attributeCount: number,
): Promise<Pick<Mentions, 'rows' | 'ranks' | 'count' | 'width'>> {
  const count = await largest(db, 'coded_records')
  const width = Math.ceil((SLOT.attributes + attributeCount) / ROW_LINE) * ROW_LINE
  const rows = shared(Int32Array, count * width)
  const ranks = shared(Float64Array, count)
  await readIntegers(
    db,
    `select record_number - ${firstNumber}, source_number, first_id, middle_id, last_id, suffix_id, birth,
      (hash >> 38)::integer, (hash & 67108863)::integer from temp.coded_records`,
    ([mention, source, first, middle, last, suffix, birth, high, low], n) => {
      for (let k = 0; k < n; k++) {
        const row = mention![k]! * width
        rows[row + SLOT.source] = source![k]!
        rows[row + SLOT.first] = names[first![k]!]!
        rows[row + SLOT.middle] = names[middle![k]!]!
        rows[row + SLOT.last] = names[last![k]!]!
        rows[row + SLOT.suffix] = names[suffix![k]!]!
        rows[row + SLOT.birth] = birth![k]!
        ranks[mention![k]!] = high![k]! * 67_108_864 + low![k]!
      }
    },
  )
  return { rows, ranks, count, width }
}

/** What is known of every source by its number. */
export async function loadSources(db: DuckDBConnection): Promise<Uint8Array> {
  const rows = await query(
    db,
    `select source_number, coalesce(is_duplicate_free, false) as is_free, coalesce(is_household_like, false) as is_household
    from link.coded_sources left join link.source_traits using (source_id)`,
    z.object({ source_number: z.number(), is_free: z.boolean(), is_household: z.boolean() }),
  )
  const sources = shared(Uint8Array, rows.length)
  for (const row of rows) {
    sources[row.source_number] = (row.is_free ? DUPLICATE_FREE : 0) | (row.is_household ? HOUSEHOLD_LIKE : 0)
  }
  return sources
}

interface ListInput {
  readonly rows: Int32Array
  readonly width: number
  readonly count: number
  readonly names: Int32Array
  readonly hash: Int32Array
  readonly addresses: Int32Array
  readonly valueTexts: Int32Array
  readonly valueKinds: Uint8Array
  /** Entry of `kinds` → attribute, −1 where it is not compared. */
  readonly slotOfKind: Int32Array
}

/** Puts list items, which come in any order, where their records want them. */
class ListReader {
  readonly #input: ListInput
  readonly #mentions = LIST_SLOTS.map(() => new GrowingIntegers())
  readonly #items = LIST_SLOTS.map(() => new GrowingIntegers())

  constructor(input: ListInput) {
    this.#input = input
  }

  take([mentions, kinds, ids]: readonly Int32Array[], n: number): void {
    const { rows, width, names, valueTexts } = this.#input
    for (let k = 0; k < n; k++) {
      const kind = kinds![k]!
      const id = ids![k]!
      const at = mentions![k]!
      if (kind >= LIST.trait) {
        this.#attribute(at, id)
        continue
      }
      const item = kind === LIST.address ? id : kind === LIST.other_last_name ? names[id]! : valueTexts[id]!
      if (item === 0) continue
      this.#mentions[kind]!.push(at)
      this.#items[kind]!.push(item)
      rows[at * width + LIST_SLOTS[kind]! + 1]!++
    }
  }

  // Two values of one kind in one record: the same one is kept whatever the order of arrival.
  #attribute(at: number, id: number): void {
    const { rows, width, hash, valueTexts, valueKinds, slotOfKind } = this.#input
    const attribute = slotOfKind[valueKinds[id]!]!
    const text = valueTexts[id]!
    if (attribute < 0 || text === 0) return
    const slot = at * width + SLOT.attributes + attribute
    rows[at * width + SLOT.known]! |= 1 << attribute
    if (rows[slot] === 0 || hash[text]! < hash[rows[slot]!]!) rows[slot] = text
  }

  finish(): Int32Array {
    const { rows, width, count } = this.#input
    const lists = shared(
      Int32Array,
      this.#items.reduce((total, { length }) => total + length, 0),
    )
    let start = 0
    for (let mention = 0; mention < count; mention++) {
      for (const slot of LIST_SLOTS) {
        rows[mention * width + slot] = start
        start += rows[mention * width + slot + 1]!
      }
    }
    const filled = new Uint16Array(count)
    LIST_SLOTS.forEach((slot, kind) => {
      filled.fill(0)
      const mentions = this.#mentions[kind]!.view()
      const items = this.#items[kind]!.view()
      for (let k = 0; k < items.length; k++) {
        const mention = mentions[k]!
        lists[rows[mention * width + slot]! + filled[mention]!++] = items[k]!
      }
    })
    this.#sort(lists)
    return lists
  }

  // Lists in an order that their contents give, so that what is cut off or chosen first does not depend on arrival.
  #sort(lists: Int32Array): void {
    const { rows, width, count, hash, addresses } = this.#input
    for (let mention = 0; mention < count; mention++) {
      for (const slot of LIST_SLOTS) {
        const items = rows[mention * width + slot + 1]!
        if (items < 2) continue
        const keyOf = (item: number): number =>
          slot === SLOT.addresses ? hash[addresses[item * ADDRESS_WIDTH + PART.unit_key]!]! : hash[item]!
        const start = rows[mention * width + slot]!
        for (let k = start + 1; k < start + items; k++) {
          const item = lists[k]!
          const key = keyOf(item)
          let at = k
          for (; at > start && keyOf(lists[at - 1]!) > key; at--) lists[at] = lists[at - 1]!
          lists[at] = item
        }
      }
    }
  }
}
