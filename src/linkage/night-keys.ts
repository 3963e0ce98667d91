import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { execute, query } from '../warehouse/query.ts'
import { BlockParts } from './block-keys.ts'
import { childPrefix, keysOf, type KeySink, numberedRules, rootPrefix, type RuleNode } from './blocking.ts'
import { openAppender, readIntegers } from './columns.ts'
import { type Attribute, loadMentions, type Mentions } from './mentions.ts'

/**
 * The keys of every record, split ones included, and which keys are above the limit. A record stands under a rule's
 * children exactly when its key there is above the limit, so what is stored is a function of which records there are.
 */
export async function createKeyTables(db: DuckDBConnection): Promise<void> {
  await execute(
    db,
    'create or replace table link.block_keys (node integer, key integer, record_number integer)',
  )
  await execute(db, 'create or replace table link.oversized_keys (node integer, key integer)')
}

/** Appends keys to their tables as they are made; `numbers[mention]` is the record's number, where it is not the mention itself. */
export async function openKeySink(
  db: DuckDBConnection,
  table: 'link.block_keys' | 'link.walked_keys' = 'link.block_keys',
  numbers?: Int32Array,
): Promise<KeySink & { close: () => void }> {
  const keyRows = await openAppender(db, table, ['integer', 'integer', 'integer'])
  const oversizedRows = await openAppender(db, 'link.oversized_keys', ['integer', 'integer'])
  return {
    keys(node, keys, records) {
      const owners = numbers === undefined ? records : records.map((i) => numbers[i]!)
      keyRows.append([new Int32Array(keys.length).fill(node), keys, owners], keys.length)
    },
    oversized(node, keys) {
      oversizedRows.append([new Int32Array(keys.length).fill(node), Int32Array.from(keys)], keys.length)
    },
    close() {
      keyRows.close()
      oversizedRows.close()
    },
  }
}

/**
 * Stores the keys of the records in `temp.fresh`, then splits and makes whole again the blocks that passed the limit, until none does.
 * `temp.touched_keys` must hold the keys of records that left. Fills `temp.flipped` (flip, record_number): the records of each such block.
 */
export async function updateKeys(
  db: DuckDBConnection,
  limit: number,
  attributes: readonly Attribute[],
): Promise<void> {
  await execute(db, 'create or replace temp table flipped (flip integer, record_number integer)')
  await storeKeysOf(db, 'temp.fresh', attributes)
  for (let round = 1; ; round++) {
    await execute(
      db,
      `create or replace temp table flips as
      with counted as (
        select node, key, count(k.record_number) as records
        from (select distinct node, key from temp.touched_keys) left join link.block_keys as k using (node, key)
        group by node, key
      )
      select node, key, records > ${limit} as is_over from counted
      where (records > ${limit}) <> ((node, key) in (select (node, key) from link.oversized_keys))`,
    )
    const found = await query(
      db,
      'select count(*)::integer as n from temp.flips',
      z.object({ n: z.number() }),
    )
    if (found[0]!.n === 0) break
    await execute(
      db,
      'delete from link.oversized_keys where (node, key) in (select (node, key) from temp.flips)',
    )
    await execute(db, 'insert into link.oversized_keys select node, key from temp.flips where is_over')
    await execute(
      db,
      `insert into temp.flipped
      select (${round * 1_000_000} + hash(node, key) % 1000000)::integer, record_number
      from link.block_keys semi join temp.flips using (node, key)`,
    )
    await execute(
      db,
      `create or replace temp table rekeyed as
      select distinct record_number from temp.flipped where flip >= ${round * 1_000_000}`,
    )
    await execute(
      db,
      'create or replace temp table touched_keys as select distinct node, key from link.block_keys semi join temp.rekeyed using (record_number)',
    )
    await execute(
      db,
      'delete from link.block_keys where record_number in (select record_number from temp.rekeyed)',
    )
    await storeKeysOf(db, 'temp.rekeyed', attributes)
  }
}

// Walks the rules for some records, below exactly the keys that are marked as oversized; what it stores counts as touched.
async function storeKeysOf(
  db: DuckDBConnection,
  table: string,
  attributes: readonly Attribute[],
): Promise<void> {
  await execute(
    db,
    `create or replace temp table walked as
    select c.record_number, (row_number() over (order by c.record_id) - 1)::integer as mention
    from link.coded_records as c semi join ${table} using (record_number)`,
  )
  const mentions = await loadMentions(db, { chosen: 'temp.walked', attributes })
  const numbers = await recordNumbers(db, 'temp.walked', mentions.count)
  const oversized = await loadOversized(db)
  // Beside the millions that are there: what a night adds is found again without reading them all.
  await execute(
    db,
    'create or replace table link.walked_keys (node integer, key integer, record_number integer)',
  )
  const sink = await openKeySink(db, 'link.walked_keys', numbers)
  walk(mentions, oversized, sink)
  sink.close()
  await execute(db, 'insert into link.block_keys from link.walked_keys')
  await execute(db, 'insert into temp.touched_keys select distinct node, key from link.walked_keys')
}

function walk(mentions: Mentions, oversized: ReadonlySet<number>, sink: KeySink): void {
  const parts = new BlockParts(mentions)
  const visit = (rule: RuleNode, records: Int32Array, prefixes: Int32Array): void => {
    const entries = keysOf(parts, rule, records, prefixes)
    sink.keys(rule.node, entries.keys, entries.records)
    const split = [...entries.keys.keys()].filter((k) =>
      oversized.has(keyNumber(rule.node, entries.keys[k]!)),
    )
    if (split.length === 0) return
    const below = Int32Array.from(split, (k) => entries.records[k]!)
    for (const child of rule.children) {
      visit(
        child,
        below,
        Int32Array.from(split, (k) => childPrefix(entries.keys[k]!, child)),
      )
    }
  }
  const everyone = Int32Array.from({ length: mentions.count }, (_, i) => i)
  for (const rule of numberedRules())
    visit(rule, everyone, new Int32Array(mentions.count).fill(rootPrefix(rule)))
}

async function loadOversized(db: DuckDBConnection): Promise<Set<number>> {
  const found = new Set<number>()
  await readIntegers(db, 'select node, key from link.oversized_keys', ([nodes, keys], rows) => {
    for (let k = 0; k < rows; k++) found.add(keyNumber(nodes![k]!, keys![k]!))
  })
  return found
}

function keyNumber(node: number, key: number): number {
  return node * 4_294_967_296 + (key >>> 0)
}

/** `record_number` of every mention of a table (record_number, mention). */
export async function recordNumbers(db: DuckDBConnection, table: string, count: number): Promise<Int32Array> {
  const numbers = new Int32Array(count)
  await readIntegers(db, `select record_number, mention from ${table}`, ([record, mention], rows) => {
    for (let k = 0; k < rows; k++) numbers[mention![k]!] = record![k]!
  })
  return numbers
}
