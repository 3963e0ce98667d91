import { GrowingIntegers } from '../../arrays.ts'
import { mixInto } from '../records/texts.ts'
import type { BlockParts } from './block-parts.ts'

/** Returns the prefix of the keys of a top rule. `node` is the number of the rule. The prefix gives two rules different keys for equal values. */
export function rootPrefix(node: number): number {
  return mixInto(0x5bd1e995, node)
}

/** Returns the prefix of the keys of child rule `node`, which splits the block with key `key`. */
export function childPrefix(key: number, node: number): number {
  return mixInto(key, node + 1)
}

/**
 * Appends to `keys` the blocking keys of one record under one rule, as 32-bit hashes. A rule has one or two parts (indexes of `PARTS`). A
 * record has a key for each value of the first part, and with two parts for each pair of values. It has no key when a part has no value.
 * Records with an equal key form a block. `prefix` comes from `rootPrefix`, or from `childPrefix` with the key of the block that is split.
 */
export function blockingKeys(
  parts: BlockParts,
  record: number,
  [first, second]: readonly number[],
  prefix: number,
  keys: GrowingIntegers,
): void {
  const { columns, extraStarts, extraParts, extraValues } = parts
  const value = columns[first!]![record]!
  if (value === 0) return
  keysOfValue(parts, record, second, mixInto(prefix, value), keys)
  for (let k = extraStarts[record]!; k < extraStarts[record + 1]!; k++) {
    if (extraParts[k] === first) keysOfValue(parts, record, second, mixInto(prefix, extraValues[k]!), keys)
  }
}

/** Appends the keys for one value of the first part. `key` is the hash of prefix and value; `second` is the second part, if the rule has one. */
function keysOfValue(
  { columns, extraStarts, extraParts, extraValues }: BlockParts,
  record: number,
  second: number | undefined,
  key: number,
  keys: GrowingIntegers,
): void {
  if (second === undefined) return keys.push(key)
  const other = columns[second]![record]!
  if (other === 0) return
  keys.push(mixInto(key, other))
  for (let k = extraStarts[record]!; k < extraStarts[record + 1]!; k++) {
    if (extraParts[k] === second) keys.push(mixInto(key, extraValues[k]!))
  }
}

/** Keys of records under one rule: `keys[k]` is a key of `records[k]`. */
export interface KeyEntries {
  readonly keys: Int32Array
  readonly records: Int32Array
}

/** Computes the keys of many records under one rule. Every call reuses the same memory. */
export class KeyMaker {
  readonly #parts: BlockParts
  readonly #keys: GrowingIntegers
  readonly #records: GrowingIntegers

  constructor(parts: BlockParts) {
    this.#parts = parts
    this.#keys = new GrowingIntegers(parts.count)
    this.#records = new GrowingIntegers(parts.count)
  }

  /**
   * Returns the keys of `records`, or of all records when undefined. `prefixes` is one prefix, or one for each of `records`. The returned arrays
   * are valid until the next call.
   */
  keysOf(
    ruleParts: readonly number[],
    records: Int32Array | undefined,
    prefixes: Int32Array | number,
  ): KeyEntries {
    const keys = this.#keys
    const found = this.#records
    keys.length = 0
    found.length = 0
    const size = records?.length ?? this.#parts.count
    for (let r = 0; r < size; r++) {
      const record = records === undefined ? r : records[r]!
      blockingKeys(
        this.#parts,
        record,
        ruleParts,
        typeof prefixes === 'number' ? prefixes : prefixes[r]!,
        keys,
      )
      while (found.length < keys.length) found.push(record)
    }
    return { keys: keys.view(), records: found.view() }
  }
}
