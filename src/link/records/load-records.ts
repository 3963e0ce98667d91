import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { query } from '../../warehouse/query.ts'
import { LIST, rankColumns, rankOf } from './coding.ts'
import { readIntegers, readTexts } from '../../warehouse/column-vectors.ts'
import { ListBuilder } from './list-builder.ts'
import {
  ADDRESS_WIDTH,
  type Attribute,
  DUPLICATE_FREE,
  HOUSEHOLD_LIKE,
  ignoresPlaceholders,
  type Records,
  SLOT,
  widthFor,
} from './records.ts'
import { addSignatures } from './signatures.ts'
import { TextPoolBuilder, withNameKeys } from './text-pool.ts'
import { shared } from './texts.ts'

const MOST_ATTRIBUTES = 15

/**
 * Reads the temporary tables of `codeRecords` into arrays. Record k of the result is record number k of `temp.coded_records`. `modelAttributes` are the
 * attributes of the model; without them, `chooseAttributes` chooses among the kinds that the records have.
 */
export async function loadRecords(
  db: DuckDBConnection,
  modelAttributes: readonly Attribute[] | undefined,
): Promise<Records> {
  const builder = new TextPoolBuilder()
  const names = await loadNames(db, builder)
  builder.endNames()
  const addresses = await loadAddresses(db, builder)
  const { valueTexts, valueKinds, kinds, emailNames } = await loadValues(db, builder)
  const attributes = modelAttributes ?? chooseAttributes(kinds)
  const texts = withNameKeys(builder.build())
  const { rows, ranks, count, width } = await loadRows(db, names, attributes.length)
  const slotOfKind = Int32Array.from(kinds, ({ kind }) => attributes.findIndex((a) => a.kind === kind))
  const lists = new ListBuilder({ rows, width, count, hash: texts.hash, addresses })
  await readIntegers(
    db,
    `select record_number, list_kind, value_id from temp.coded_lists`,
    ([record, kind, id], n) => {
      for (let k = 0; k < n; k++) {
        if (kind![k]! >= LIST.trait)
          lists.addAttribute(record![k]!, slotOfKind[valueKinds[id![k]!]!]!, valueTexts[id![k]!]!)
        else if (kind![k] === LIST.address) lists.add(record![k]!, LIST.address, id![k]!)
        else if (kind![k] === LIST.other_last_name)
          lists.add(record![k]!, LIST.other_last_name, names[id![k]!]!)
        else lists.add(record![k]!, kind![k]!, valueTexts[id![k]!]!)
      }
    },
  )
  const emailNameOf = shared(Int32Array, texts.count)
  for (const [email, name] of emailNames) emailNameOf[email] = name
  const records = {
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
  addSignatures(records)
  return { ...records, sources: await loadSources(db) }
}

async function rowCount(db: DuckDBConnection, table: string): Promise<number> {
  const sql = `select count(*)::integer as n from temp.${table}`
  return (await query(db, sql, z.object({ n: z.int() })))[0]!.n
}

async function loadNames(db: DuckDBConnection, builder: TextPoolBuilder): Promise<Int32Array> {
  const ids = new Int32Array(1 + (await rowCount(db, 'coded_names')))
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
  const parts = shared(Int32Array, (1 + (await rowCount(db, 'coded_addresses'))) * ADDRESS_WIDTH)
  await readTexts(
    db,
    { table: 'temp.coded_addresses', id: 'address_id', columns: PART_COLUMNS },
    (id, bytes, from, to) => {
      for (let part = 0; part < ADDRESS_WIDTH; part++) {
        parts[id * ADDRESS_WIDTH + part] = ignoresPlaceholders(part)
          ? builder.addValue(bytes[part]!, from[part]!, to[part]!)
          : builder.addText(bytes[part]!, from[part]!, to[part]!)
      }
    },
  )
  return parts
}

interface Values {
  /** Text id of each value of `temp.coded_values`, by value id; 0 for placeholders. */
  readonly valueTexts: Int32Array
  /** For traits and identifiers: index of the kind in `kinds`, by value id. */
  readonly valueKinds: Uint8Array
  readonly kinds: readonly Attribute[]
  /** Text ids of each e-mail and of its part before the @. */
  readonly emailNames: readonly (readonly [number, number])[]
}

async function loadValues(db: DuckDBConnection, builder: TextPoolBuilder): Promise<Values> {
  const count = 1 + (await rowCount(db, 'coded_values'))
  const valueTexts = new Int32Array(count)
  const valueKinds = new Uint8Array(count)
  const ranges = await query(
    db,
    `select list_kind, kind, min(value_id)::integer as first, max(value_id)::integer as last from temp.coded_values
    group by all order by first`,
    z.object({ list_kind: z.int(), kind: z.string(), first: z.int(), last: z.int() }),
  )
  const kinds: Attribute[] = []
  const lengths = new Int32Array(count)
  for (const { list_kind, kind, first, last } of ranges) {
    if (list_kind < LIST.trait) continue
    // A kind that one source sends as a trait and another source as an identifier counts as a trait.
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
  return { valueTexts, valueKinds, kinds, emailNames }
}

/** Returns the kinds that a model compares, at most 15. The order is identifiers, gender, employer, then other traits by name. */
export function chooseAttributes(kinds: readonly Attribute[]): Attribute[] {
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
  names: Int32Array,
  attributeCount: number,
): Promise<Pick<Records, 'rows' | 'ranks' | 'count' | 'width'>> {
  const count = await rowCount(db, 'coded_records')
  const width = widthFor(attributeCount)
  const rows = shared(Int32Array, count * width)
  const ranks = shared(Float64Array, count)
  await readIntegers(
    db,
    `select record_number, source_number, first_id, middle_id, last_id, suffix_id, birth,
      ${rankColumns('hash').join(', ')} from temp.coded_records`,
    ([record, source, first, middle, last, suffix, birth, high, low], n) => {
      for (let k = 0; k < n; k++) {
        const row = record![k]! * width
        rows[row + SLOT.source] = source![k]!
        rows[row + SLOT.first] = names[first![k]!]!
        rows[row + SLOT.middle] = names[middle![k]!]!
        rows[row + SLOT.last] = names[last![k]!]!
        rows[row + SLOT.suffix] = names[suffix![k]!]!
        rows[row + SLOT.birth] = birth![k]!
        ranks[record![k]!] = rankOf(high![k]!, low![k]!)
      }
    },
  )
  return { rows, ranks, count, width }
}

/** Returns the flags DUPLICATE_FREE and HOUSEHOLD_LIKE of each source, by source number. */
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
