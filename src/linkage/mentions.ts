import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { fold } from '../normalize/fold.ts'
import { query } from '../warehouse/query.ts'
import { LIST } from './coding.ts'
import { readIntegers, readTexts } from './columns.ts'
import { isPlaceholder } from './placeholders.ts'
import { TextPoolBuilder, type TextPool, shared } from './texts.ts'

/** Where each part of a mention stands in its row of `Mentions.rows`. Lists are a start and a count into `Mentions.lists`. */
export const SLOT = {
  source: 0,
  first: 1,
  middle: 2,
  last: 3,
  suffix: 4,
  birth: 5,
  others: 6,
  addresses: 8,
  phones: 10,
  emails: 12,
  attributes: 14,
} as const

/** Where each part of an address stands in its row of `Mentions.addresses`; all but `household` are texts. */
export const PART = {
  unit_key: 0,
  building: 1,
  house: 2,
  street: 3,
  unit: 4,
  city: 5,
  state: 6,
  zip: 7,
} as const
export const ADDRESS_WIDTH = 8

/** A trait or identifier by which records are compared; each kind is a comparison of its own. */
export interface Attribute {
  readonly kind: string
  readonly isIdentifier: boolean
}

/** Person mentions as integers, in arrays that threads share. Mention number = rank of its record id. */
export interface Mentions {
  readonly count: number
  readonly width: number
  readonly rows: Int32Array
  readonly lists: Int32Array
  /** ADDRESS_WIDTH integers per distinct address. */
  readonly addresses: Int32Array
  /** Text of an e-mail → text of what stands before its @. */
  readonly emailNames: Int32Array
  readonly texts: TextPool
  readonly attributes: readonly Attribute[]
  /** Per source number: bit 1 duplicate-free, bit 2 household-like. */
  readonly sources: Uint8Array
}

export const DUPLICATE_FREE = 1
export const HOUSEHOLD_LIKE = 2
const MOST_ATTRIBUTES = 15

/** Reads coded records. `chosen` names a table (record_number, mention) when only some are wanted, numbered by record id. */
export async function loadMentions(
  db: DuckDBConnection,
  options: { chosen?: string; attributes?: readonly Attribute[] } = {},
): Promise<Mentions> {
  const builder = new TextPoolBuilder()
  const nameFlags: number[] = []
  const used = (kind: string, id: string): string =>
    options.chosen === undefined
      ? ''
      : `where ${id} in (select value_id from link.coded_lists semi join ${options.chosen} using (record_number) where ${kind})`
  const names = await loadNames(db, builder, nameFlags, namesUsed(options.chosen))
  const addresses = await loadAddresses(db, builder, used(`list_kind = ${LIST.address}`, 'address_id'))
  const values = await loadValues(
    db,
    builder,
    used(`list_kind not in (${LIST.address}, ${LIST.other_last_name})`, 'value_id'),
  )
  const attributes = options.attributes ?? chooseAttributes(values.kinds)
  const sources = await loadSources(db)

  const counted = await query(
    db,
    `select count(*)::integer as n from ${options.chosen ?? 'link.coded_records'}`,
    z.object({ n: z.number() }),
  )
  const count = counted[0]!.n
  const width = SLOT.attributes + attributes.length
  const rows = shared(Int32Array, count * width)
  const joined = options.chosen === undefined ? '' : `join ${options.chosen} as chosen using (record_number)`
  const number = options.chosen === undefined ? 'record_number' : 'chosen.mention'
  await readIntegers(
    db,
    `select ${number}, source_number, first_id, middle_id, last_id, suffix_id, birth from link.coded_records ${joined}`,
    ([mention, source, first, middle, last, suffix, birth], n) => {
      for (let k = 0; k < n; k++) {
        const row = mention![k]! * width
        rows[row + SLOT.source] = source![k]!
        rows[row + SLOT.first] = names[first![k]!]!
        rows[row + SLOT.middle] = names[middle![k]!]!
        rows[row + SLOT.last] = names[last![k]!]!
        rows[row + SLOT.suffix] = names[suffix![k]!]!
        rows[row + SLOT.birth] = birth![k]!
      }
    },
  )
  const pool = builder.build(Uint8Array.from(nameFlags))
  const slots = new Map(attributes.map((attribute, a) => [attribute.kind, SLOT.attributes + a]))
  const lists = await loadLists(db, {
    joined,
    number,
    count,
    width,
    rows,
    names,
    values,
    slots,
    hash: pool.hash,
    addresses,
  })
  return {
    count,
    width,
    rows,
    lists,
    addresses,
    emailNames: sharedCopy(values.emailNames, pool.count),
    texts: pool,
    attributes,
    sources,
  }
}

function namesUsed(chosen: string | undefined): string {
  if (chosen === undefined) return ''
  return `where name_id in (
    select unnest([first_id, middle_id, last_id, suffix_id]) from link.coded_records semi join ${chosen} using (record_number)
    union all
    select value_id from link.coded_lists semi join ${chosen} using (record_number) where list_kind = ${LIST.other_last_name})`
}

async function loadNames(
  db: DuckDBConnection,
  builder: TextPoolBuilder,
  isName: number[],
  where: string,
): Promise<Int32Array> {
  const ids = new Int32Array(1 + (await largest(db, 'max(name_id) from link.coded_names')))
  await readTexts(db, `select name_id, name from link.coded_names ${where}`, (id, [name]) => {
    const clean = cleanName(name!)
    const text = isPlaceholder(clean) ? 0 : builder.add(clean)
    ids[id] = text
    isName[text] = 1
  })
  return ids
}

// Addresses without keys get one from their parts, so that equality of keys is what the comparison needs to know.
async function loadAddresses(
  db: DuckDBConnection,
  builder: TextPoolBuilder,
  where: string,
): Promise<Int32Array> {
  const most = await largest(db, 'max(address_id) from link.coded_addresses')
  const parts = shared(Int32Array, (most + 1) * ADDRESS_WIDTH)
  await readTexts(
    db,
    `select address_id, address_key, building_key, house_number, street_name, unit_number, city, state, zip
    from link.coded_addresses ${where}`,
    (id, texts) => {
      const [key, building, house, street, unit, city, state, zip] = texts.map(cleanText) as [
        string, string, string, string, string, string, string, string,
      ] // prettier-ignore
      const place = zip || `${city}|${state}`
      const ownBuilding = building || (street === '' || place === '|' ? '' : `${house}|${street}|${place}`)
      const at = id * ADDRESS_WIDTH
      parts[at + PART.unit_key] = builder.add(key || (ownBuilding === '' ? '' : `${ownBuilding}|${unit}`))
      parts[at + PART.building] = builder.add(ownBuilding === '' ? '' : `${ownBuilding}|`)
      parts[at + PART.house] = builder.add(house)
      parts[at + PART.street] = builder.add(street)
      parts[at + PART.unit] = builder.add(unit)
      parts[at + PART.city] = isPlaceholder(city) ? 0 : builder.add(city)
      parts[at + PART.state] = builder.add(state)
      parts[at + PART.zip] = isPlaceholder(zip) ? 0 : builder.add(zip)
    },
  )
  return parts
}

interface Values {
  /** Value id → text, 0 for placeholders. */
  readonly texts: Int32Array
  /** Value id → kind, where it is a trait or identifier. */
  readonly kindOf: (string | undefined)[]
  readonly emailNames: number[]
  readonly kinds: Map<string, { isIdentifier: boolean; values: number }>
}

async function loadValues(db: DuckDBConnection, builder: TextPoolBuilder, where: string): Promise<Values> {
  const found: Values = {
    texts: new Int32Array(1 + (await largest(db, 'max(value_id) from link.coded_values'))),
    kindOf: [],
    emailNames: [],
    kinds: new Map(),
  }
  for (const listKind of [LIST.phone, LIST.email, LIST.trait, LIST.identifier]) {
    await readTexts(
      db,
      `select value_id, value from link.coded_values ${where === '' ? 'where' : `${where} and`} list_kind = ${listKind}`,
      (id, [raw]) => {
        const colon = raw!.indexOf(':')
        const attribute = listKind === LIST.trait || listKind === LIST.identifier
        const value = cleanText(attribute ? raw!.slice(colon + 1) : raw!)
        const text = isPlaceholder(value) ? 0 : builder.add(value)
        found.texts[id] = text
        if (listKind === LIST.email && text !== 0) {
          found.emailNames[text] = builder.add(value.slice(0, Math.max(0, value.indexOf('@'))))
        }
        if (!attribute || colon < 1) return
        const kind = raw!.slice(0, colon)
        found.kindOf[id] = kind
        const seen = found.kinds.get(kind) ?? { isIdentifier: listKind === LIST.identifier, values: 0 }
        seen.values++
        found.kinds.set(kind, seen)
      },
    )
  }
  return found
}

// Identifiers first, then gender and employer, then the others by name.
function chooseAttributes(kinds: Values['kinds']): Attribute[] {
  return [...kinds]
    .map(([kind, { isIdentifier }]) => ({ kind, isIdentifier }))
    .sort((a, b) => attributeRank(a) - attributeRank(b) || (a.kind < b.kind ? -1 : 1))
    .slice(0, MOST_ATTRIBUTES)
}

function attributeRank({ kind, isIdentifier }: Attribute): number {
  if (isIdentifier) return 0
  return kind === 'gender' ? 1 : kind === 'employer' ? 2 : 3
}

async function largest(db: DuckDBConnection, what: string): Promise<number> {
  const rows = await query(
    db,
    `select coalesce(${what.replace(' from', ', 0)::integer as n from')}`,
    z.object({ n: z.number() }),
  )
  return rows[0]!.n
}

async function loadSources(db: DuckDBConnection): Promise<Uint8Array> {
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
  joined: string
  number: string
  count: number
  width: number
  rows: Int32Array
  names: Int32Array
  values: Values
  slots: Map<string, number>
  hash: Int32Array
  addresses: Int32Array
}

const LIST_SLOTS = [SLOT.others, SLOT.addresses, SLOT.phones, SLOT.emails]

async function loadLists(db: DuckDBConnection, input: ListInput): Promise<Int32Array> {
  const { rows, width, count, values, hash } = input
  const mentions: number[][] = [[], [], [], []]
  const items: number[][] = [[], [], [], []]
  await readIntegers(
    db,
    `select ${input.number}, list_kind, value_id from link.coded_lists ${input.joined}`,
    ([mention, kinds, ids], n) => {
      for (let k = 0; k < n; k++) {
        const kind = kinds![k]!
        const id = ids![k]!
        const at = mention![k]!
        if (kind >= LIST.trait) {
          const slot = input.slots.get(values.kindOf[id] ?? '')
          const text = values.texts[id]!
          if (slot === undefined || text === 0) continue
          // Two values of one kind in one record: the same one is kept whatever the order of arrival.
          const kept = rows[at * width + slot]!
          if (kept === 0 || hash[text]! < hash[kept]!) rows[at * width + slot] = text
          continue
        }
        const item =
          kind === LIST.address ? id : kind === LIST.other_last_name ? input.names[id]! : values.texts[id]!
        if (item === 0) continue
        mentions[kind]!.push(at)
        items[kind]!.push(item)
        rows[at * width + LIST_SLOTS[kind]! + 1]!++
      }
    },
  )
  const lists = shared(Int32Array, items[0]!.length + items[1]!.length + items[2]!.length + items[3]!.length)
  let start = 0
  for (let mention = 0; mention < count; mention++) {
    for (const slot of LIST_SLOTS) {
      rows[mention * width + slot] = start
      start += rows[mention * width + slot + 1]!
    }
  }
  const filled = new Uint16Array(count)
  for (let kind = 0; kind < 4; kind++) {
    filled.fill(0)
    const slot = LIST_SLOTS[kind]!
    for (let k = 0; k < items[kind]!.length; k++) {
      const mention = mentions[kind]![k]!
      lists[rows[mention * width + slot]! + filled[mention]!++] = items[kind]![k]!
    }
  }
  sortLists(input, lists)
  return lists
}

// Lists in an order that their contents give, so that what is cut off or chosen first does not depend on arrival.
function sortLists({ rows, width, count, hash, addresses }: ListInput, lists: Int32Array): void {
  for (let mention = 0; mention < count; mention++) {
    for (const slot of LIST_SLOTS) {
      const items = rows[mention * width + slot + 1]!
      if (items < 2) continue
      const start = rows[mention * width + slot]!
      const keyOf = (item: number): number =>
        slot === SLOT.addresses ? hash[addresses[item * ADDRESS_WIDTH + PART.unit_key]!]! : hash[item]!
      lists.subarray(start, start + items).sort((a, b) => keyOf(a) - keyOf(b))
    }
  }
}

function sharedCopy(values: number[], length: number): Int32Array {
  const copy = shared(Int32Array, length)
  for (let k = 0; k < values.length; k++) copy[k] = values[k] ?? 0
  return copy
}

function cleanName(text: string): string {
  return fold(text)
    .replace(/[^A-Z0-9]+/g, (gap) => (gap === "'" || gap === '.' || gap === '`' ? '' : ' '))
    .trim()
}

function cleanText(text: string): string {
  // eslint-disable-next-line no-control-regex
  return fold(text)
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
}
