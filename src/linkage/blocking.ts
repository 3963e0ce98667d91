import { BlockParts, partIndex, type Rule, RULES } from './block-keys.ts'
import { GrowingIntegers, radixSort } from './growing.ts'
import type { Mentions } from './mentions.ts'
import { mixInto, shared } from './texts.ts'

/** Records that are compared with each other. Block b has members `members[starts[b]]` to `members[starts[b + 1]]`. */
export interface Blocks {
  readonly count: number
  readonly starts: Int32Array
  readonly members: Int32Array
  /** Blocks of record i, ascending: `blocksOf[blockStarts[i]]` to `blocksOf[blockStarts[i + 1]]`. */
  readonly blockStarts: Int32Array
  readonly blocksOf: Int32Array
  /** Blocks above the limit that had no further key to be split by: their pairs were not compared on their account. */
  readonly dropped: readonly DroppedBlock[]
  /** How many blocks were split by a further key. */
  readonly splitCount: number
}

export interface DroppedBlock {
  readonly rule: string
  readonly size: number
  /** One of its records. */
  readonly mention: number
}

/** Largest block that is compared whole: what a run of `count` records can afford. */
export function blockLimit(count: number): number {
  return Math.max(40, Math.min(1500, Math.round(3_000_000 / Math.max(1, count))))
}

/** Blocks of all mentions. Depends on which records there are, never on their order. */
export function buildBlocks(mentions: Mentions, limit: number, rules: readonly Rule[] = RULES): Blocks {
  const builder = new BlockBuilder(new BlockParts(mentions), limit)
  const everyone = new Int32Array(mentions.count)
  for (let i = 0; i < mentions.count; i++) everyone[i] = i
  rules.forEach((rule, number) => {
    const prefixes = new Int32Array(mentions.count).fill(mixInto(0x5bd1e995, number))
    builder.add(rule, '', everyone, prefixes)
  })
  return builder.finish(mentions.count)
}

class BlockBuilder {
  readonly #parts: BlockParts
  readonly #limit: number
  readonly #starts = new GrowingIntegers()
  readonly #members = new GrowingIntegers(1 << 20)
  readonly #dropped: DroppedBlock[] = []
  #splitCount = 0

  constructor(parts: BlockParts, limit: number) {
    this.#parts = parts
    this.#limit = limit
  }

  add(rule: Rule, path: string, records: Int32Array, prefixes: Int32Array): void {
    const name = path === '' ? rule.parts.join('+') : `${path}+${rule.parts.join('+')}`
    const entries = keysOf(this.#parts, rule, records, prefixes)
    const { keys, values } = radixSort(entries.keys, entries.records)
    const tooLarge = { records: new GrowingIntegers(), keys: new GrowingIntegers() }
    for (let start = 0; start < keys.length; ) {
      const key = keys[start]!
      let end = start + 1
      while (end < keys.length && keys[end] === key) end++
      const size = end - start
      if (size > 1 && size <= this.#limit) {
        this.#starts.push(this.#members.length)
        this.#members.append(values.subarray(start, end))
      } else if (size > this.#limit) {
        if (rule.then === undefined) this.#dropped.push({ rule: name, size, mention: values[start]! })
        else {
          this.#splitCount++
          tooLarge.records.append(values.subarray(start, end))
          tooLarge.keys.append(keys.subarray(start, end))
        }
      }
      start = end
    }
    if (tooLarge.records.length === 0) return
    rule.then?.forEach((child, number) => {
      const childPrefixes = tooLarge.keys.view().map((key) => mixInto(key, number + 1))
      this.add(child, name, tooLarge.records.view(), childPrefixes)
    })
  }

  finish(recordCount: number): Blocks {
    const count = this.#starts.length
    const starts = shared(Int32Array, count + 1)
    starts.set(this.#starts.view())
    starts[count] = this.#members.length
    const members = shared(Int32Array, this.#members.length)
    members.set(this.#members.view())
    const blockStarts = shared(Int32Array, recordCount + 1)
    for (const member of members.subarray(0, this.#members.length)) blockStarts[member + 1]!++
    for (let i = 0; i < recordCount; i++) blockStarts[i + 1]! += blockStarts[i]!
    const filled = blockStarts.slice()
    const blocksOf = shared(Int32Array, this.#members.length)
    for (let block = 0; block < count; block++) {
      for (let k = starts[block]!; k < starts[block + 1]!; k++) blocksOf[filled[members[k]!]!++] = block
    }
    this.#dropped.sort((a, b) => b.size - a.size || (a.rule < b.rule ? -1 : 1))
    return { count, starts, members, blockStarts, blocksOf, dropped: this.#dropped, splitCount: this.#splitCount }
  }
}

/** Keys of one rule: one per combination of its parts' values. */
export function keysOf(
  parts: BlockParts,
  rule: Rule,
  records: Int32Array,
  prefixes: Int32Array,
): { keys: Int32Array; records: Int32Array } {
  const keys = new GrowingIntegers(records.length)
  const owners = new GrowingIntegers(records.length)
  const indices = rule.parts.map(partIndex)
  const first = indices[0]!
  const second = indices[1]
  for (let r = 0; r < records.length; r++) {
    const record = records[r]!
    const count = parts.count(record, first)
    if (count === 0) continue
    const start = parts.start(record, first)
    const others = second === undefined ? 1 : parts.count(record, second)
    for (let k = 0; k < count; k++) {
      const key = mixInto(prefixes[r]!, parts.at(start + k))
      for (let o = 0; o < others; o++) {
        keys.push(second === undefined ? key : mixInto(key, parts.at(parts.start(record, second) + o)))
        owners.push(record)
      }
    }
  }
  return { keys: keys.view(), records: owners.view() }
}
