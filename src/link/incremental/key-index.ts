import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ArrayFile, ArrayWriter } from './array-file.ts'
import type { KeyEntries } from '../block/block-parts.ts'
import { GrowingIntegers } from '../records/growing.ts'

/** Where the keys of the nights lie: a folder with all of them, and one with what changed since it was written. */
export interface IndexFolders {
  readonly base: string
  readonly since: string | undefined
}

/** What happened to the entries of a rule since they were written whole. Both sorted by key. */
export interface EntryChanges {
  readonly added: KeyEntries
  readonly removed: KeyEntries
}

/** A file per tree of rules, so that threads read and write theirs side by side. */
export function indexFile(folder: string, rule: number): string {
  return join(folder, `rule-${rule}.bin`)
}

/** Keeps the entries of the rules of one tree, each sorted by key: what the next night looks its keys up in. To be closed. */
export class IndexWriter {
  readonly #writer: ArrayWriter

  constructor(folder: string, rule: number) {
    mkdirSync(folder, { recursive: true })
    this.#writer = new ArrayWriter(indexFile(folder, rule))
  }

  whole(node: number, { keys, records }: KeyEntries): void {
    this.#writer.put(`keys${node}`, keys)
    this.#writer.put(`records${node}`, records)
  }

  changes(node: number, { added, removed }: EntryChanges): void {
    this.#writer.put(`addedKeys${node}`, added.keys)
    this.#writer.put(`addedRecords${node}`, added.records)
    this.#writer.put(`removedKeys${node}`, removed.keys)
    this.#writer.put(`removedRecords${node}`, removed.records)
  }

  finish(): void {
    this.#writer.finish(null)
  }

  close(): void {
    this.#writer.close()
  }
}

/** Room that every rule is read into anew: fresh pages cost as much as what is read into them. */
export class IndexRoom {
  keys = new Int32Array(0)
  records = new Int32Array(0)

  reserve(length: number): void {
    if (length <= this.keys.length) return
    this.keys = new Int32Array(length)
    this.records = new Int32Array(length)
  }
}

/** Reads the entries of the rules of one tree as they were after the last night. To be closed. */
export class IndexReader {
  readonly #whole: ArrayFile
  readonly #since: ArrayFile | undefined
  readonly #room: IndexRoom

  constructor({ base, since }: IndexFolders, rule: number, room = new IndexRoom()) {
    this.#whole = opened(base, rule)
    this.#room = room
    try {
      this.#since = since === undefined ? undefined : opened(since, rule)
    } catch (error) {
      this.#whole.close()
      throw error
    }
  }

  /** Valid until the next rule is read into the same room. */
  read(node: number): StoredEntries {
    const length = this.#whole.lengthOf(`keys${node}`)
    this.#room.reserve(length)
    this.#whole.readInto(`keys${node}`, this.#room.keys)
    const records = this.#room.records.subarray(0, length)
    return new StoredEntries(
      this.#room.keys.subarray(0, length),
      () => {
        this.#whole.readInto(`records${node}`, records)
        return records
      },
      this.changes(node),
    )
  }

  changes(node: number): EntryChanges {
    const read = (kind: string): KeyEntries => ({
      keys: this.#since?.integers(`${kind}Keys${node}`) ?? new Int32Array(0),
      records: this.#since?.integers(`${kind}Records${node}`) ?? new Int32Array(0),
    })
    return { added: read('added'), removed: read('removed') }
  }

  close(): void {
    this.#whole.close()
    this.#since?.close()
  }
}

function opened(folder: string, rule: number): ArrayFile {
  const file = ArrayFile.open(indexFile(folder, rule))
  if (file === undefined) throw new Error(`${indexFile(folder, rule)} went away while it was needed`)
  return file
}

/** The entries of one rule after the last night; keys are looked up one after the other in the order of unsigned numbers. */
export class StoredEntries {
  readonly changes: EntryChanges
  readonly #readRecords: () => Int32Array
  #records: Int32Array | undefined
  readonly #keys: Int32Array
  readonly #whole: Range
  readonly #added: Range
  readonly #removed: Range

  constructor(keys: Int32Array, readRecords: () => Int32Array, changes: EntryChanges) {
    this.changes = changes
    this.#keys = keys
    this.#readRecords = readRecords
    this.#whole = new Range(keys)
    this.#added = new Range(changes.added.keys)
    this.#removed = new Range(changes.removed.keys)
  }

  /** Goes to a key that is above the one before; returns how many entries have it. */
  seek(key: number): number {
    this.#whole.seek(key)
    this.#added.seek(key)
    this.#removed.seek(key)
    return this.#whole.length + this.#added.length - this.#removed.length
  }

  /** Puts the records of the key that was sought last into a list, but for `without`: an entry less for each. */
  recordsInto(found: GrowingIntegers, without: readonly number[]): void {
    const { added, removed } = this.changes
    if (without.length === 0 && this.#removed.length === 0) {
      if (this.#whole.length > 0) found.appendRange(this.#wholeRecords(), this.#whole.start, this.#whole.end)
      found.appendRange(added.records, this.#added.start, this.#added.end)
      return
    }
    const less = new Map<number, number>()
    const lessen = (record: number): void => void less.set(record, (less.get(record) ?? 0) + 1)
    without.forEach(lessen)
    for (let k = this.#removed.start; k < this.#removed.end; k++) lessen(removed.records[k]!)
    takeRecords(added.records, this.#added, less, found)
    if (this.#whole.length > 0) takeRecords(this.#wholeRecords(), this.#whole, less, found)
  }

  /** What happened since they were written whole, with what happens now. */
  changedBy({ added, removed }: EntryChanges): EntryChanges {
    const { taken, left } = subtracted(this.changes.added, removed)
    return { added: merged(taken, added), removed: merged(this.changes.removed, left) }
  }

  /** All entries as they are after `changes`, which are those of `changedBy`. */
  wholeAfter({ added, removed }: EntryChanges): KeyEntries {
    const { taken } = subtracted({ keys: this.#keys, records: this.#wholeRecords() }, removed)
    return merged(taken, added)
  }

  #wholeRecords(): Int32Array {
    return (this.#records ??= this.#readRecords())
  }
}

function takeRecords(
  records: Int32Array,
  { start, end }: Range,
  less: Map<number, number>,
  found: GrowingIntegers,
): void {
  if (less.size === 0) return found.appendRange(records, start, end)
  for (let k = start; k < end; k++) {
    const many = less.get(records[k]!) ?? 0
    if (many === 0) found.push(records[k]!)
    else less.set(records[k]!, many - 1)
  }
}

/** The entries of one key among sorted keys. */
class Range {
  start = 0
  end = 0
  readonly #keys: Int32Array
  // Asked for millions of times, by compilers to which the length of an array is a call.
  readonly #length: number
  readonly #perKey: number
  #sought = 0

  constructor(keys: Int32Array) {
    this.#keys = keys
    this.#length = keys.length
    this.#perKey = keys.length / 2 ** 32
  }

  get length(): number {
    return this.end - this.start
  }

  /** Keys are hashes, so that how far it is to one follows from how much it differs from the one before. */
  seek(key: number): void {
    const wanted = key >>> 0
    const ahead = wanted > this.#sought ? Math.floor((wanted - this.#sought) * this.#perKey) : 0
    this.#sought = wanted
    this.start = this.#firstFrom(this.end, this.end + ahead, wanted)
    this.end = this.#firstFrom(this.start, this.start, wanted + 1)
  }

  // From where it should be in ever longer steps, then by halves. What is before `from` is less than the key.
  #firstFrom(from: number, guess: number, key: number): number {
    const keys = this.#keys
    const length = this.#length
    let low = from
    let high = length
    let step = 4
    if (guess < length && keys[guess]! >>> 0 >= key) {
      high = guess
      for (; high - step >= from && keys[high - step]! >>> 0 >= key; step *= 2) high -= step
      if (high - step >= from) low = high - step + 1
    } else if (guess < length) {
      low = guess + 1
      for (; low + step < length && keys[low + step]! >>> 0 < key; step *= 2) low += step + 1
      if (low + step < length) high = low + step
    }
    while (low < high) {
      const middle = (low + high) >>> 1
      if (keys[middle]! >>> 0 < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

function merged(one: KeyEntries, other: KeyEntries): KeyEntries {
  if (other.keys.length === 0) return one
  if (one.keys.length === 0) return other
  const keys = new Int32Array(one.keys.length + other.keys.length)
  const records = new Int32Array(keys.length)
  for (let at = 0, a = 0, b = 0; at < keys.length; at++) {
    const isOne =
      b === other.keys.length || (a < one.keys.length && one.keys[a]! >>> 0 <= other.keys[b]! >>> 0)
    keys[at] = isOne ? one.keys[a]! : other.keys[b]!
    records[at] = isOne ? one.records[a++]! : other.records[b++]!
  }
  return { keys, records }
}

/** `taken`: entries without those of `gone`; `left`: those of `gone` that were not among them. */
function subtracted(entries: KeyEntries, gone: KeyEntries): { taken: KeyEntries; left: KeyEntries } {
  if (gone.keys.length === 0 || entries.keys.length === 0) return { taken: entries, left: gone }
  const isTaken = new Uint8Array(entries.keys.length).fill(1)
  const isLeft = new Uint8Array(gone.keys.length)
  const range = new Range(entries.keys)
  for (let start = 0, end = 0; start < gone.keys.length; start = end) {
    range.seek(gone.keys[start]!)
    const places = new Map<number, number[]>()
    for (let k = range.end - 1; k >= range.start; k--) {
      const found = places.get(entries.records[k]!)
      if (found === undefined) places.set(entries.records[k]!, [k])
      else found.push(k)
    }
    for (end = start; end < gone.keys.length && gone.keys[end] === gone.keys[start]; end++) {
      const place = places.get(gone.records[end]!)?.pop()
      if (place === undefined) isLeft[end] = 1
      else isTaken[place] = 0
    }
  }
  return { taken: chosen(entries, isTaken), left: chosen(gone, isLeft) }
}

function chosen({ keys, records }: KeyEntries, isChosen: Uint8Array): KeyEntries {
  const found = { keys: new GrowingIntegers(keys.length), records: new GrowingIntegers(keys.length) }
  for (let k = 0; k < keys.length; k++) {
    if (isChosen[k] === 0) continue
    found.keys.push(keys[k]!)
    found.records.push(records[k]!)
  }
  return { keys: found.keys.view(), records: found.records.view() }
}
