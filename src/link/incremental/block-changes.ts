import { numberedRules, type RuleNode } from '../block/block-keys.ts'
import {
  type BlockParts,
  blockParts,
  childPrefix,
  KeyMaker,
  type KeyEntries,
  RECORD,
  RECORD_BITS,
  rootPrefix,
} from '../block/block-parts.ts'
import type { DroppedBlock } from '../block/blocking.ts'
import { GrowingIntegers, radixSort } from '../records/growing.ts'
import {
  type IndexFolders,
  IndexReader,
  type IndexRoom,
  IndexWriter,
  type StoredEntries,
} from './key-index.ts'
import type { Mentions } from '../records/mentions.ts'

/** Marks of a record among changed entries: it joins the key's records; it is only asked for its blocks. Without one, it leaves. */
const JOINS = 1 << RECORD_BITS
const ASKED = 2 << RECORD_BITS
const MARKS = JOINS | ASKED

/** What a night changes in the blocks of one tree of rules. Blocks in which nothing changed are not looked at. */
export interface RuleChanges {
  /** Blocks that are compared now, with all their members. */
  readonly starts: Int32Array
  readonly members: Int32Array
  /** Per block 1 where it was not compared before, so that all its pairs are new. */
  readonly isWhole: Uint8Array
  /** Members of blocks that were compared before and are above the limit now: block by block. */
  readonly loosened: readonly Int32Array[]
  /** Blocks of the panel as they are now. */
  readonly panelStarts: Int32Array
  readonly panelMembers: Int32Array
  /** Keys that passed the limit, upwards or downwards, each with its rule's number. */
  readonly grownNodes: Int32Array
  readonly grownKeys: Int32Array
  readonly shrunkNodes: Int32Array
  readonly shrunkKeys: Int32Array
  /** Blocks dropped among the changed ones, and keys of those that need no longer be (or are among the others). */
  readonly dropped: readonly DroppedBlock[]
  readonly droppedBefore: readonly { node: number; key: number }[]
}

/** A night's records, and where it finds and leaves the keys of all others. */
export interface ChangeInput {
  readonly mentions: Mentions
  /** Mentions from here on came tonight. */
  readonly first: number
  /** Mentions that left. */
  readonly gone: Int32Array
  /** Mentions from before whose blocks are asked for, whatever happened to them. */
  readonly panel: Int32Array
  /** Parts of those that came, then of those that left, then of the panel. */
  readonly parts: BlockParts
  readonly limit: number
  readonly index: IndexFolders
  /** Where the keys are left for the next night: with all others or, to be read with these, by themselves. */
  readonly into: string
  readonly isWhole: boolean
}

/**
 * Walks one tree of rules over the records that came and left, and looks up who else has their keys. Below a key that passed the limit
 * everybody who has it comes or leaves. Brings the stored keys to what blocking everything would leave.
 */
export function ruleChanges(input: ChangeInput, rule: number, room: IndexRoom): RuleChanges {
  const reader = new IndexReader(input.index, rule, room)
  try {
    const writer = new IndexWriter(input.into, rule)
    try {
      return new ChangeWalk(input, reader, writer).run(numberedRules()[rule]!)
    } finally {
      writer.close()
    }
  } finally {
    reader.close()
  }
}

/** Records with marks, each under the prefix of its place in the tree. */
interface Changed {
  readonly records: Int32Array
  readonly prefixes: Int32Array
  /** Those who are only here because a block of theirs passed the limit. */
  readonly others: Others | undefined
}

/** Those of one key. */
interface MarkedRecords {
  readonly records: Int32Array
  readonly start: number
  readonly end: number
}

function joinInto(members: GrowingIntegers, { records, start, end }: MarkedRecords): void {
  for (let k = start; k < end; k++) if ((records[k]! & JOINS) !== 0) members.push(records[k]! & RECORD)
}

interface Others {
  readonly numbers: Int32Array
  readonly rowOf: ReadonlyMap<number, number>
  readonly maker: KeyMaker
}

class ChangeWalk {
  readonly #input: ChangeInput
  readonly #maker: KeyMaker
  readonly #reader: IndexReader
  readonly #writer: IndexWriter
  /** Of those that were there before, in the order of the parts. */
  readonly #old: Int32Array
  readonly #rowOfOld: ReadonlyMap<number, number>
  readonly #starts = new GrowingIntegers()
  readonly #members = new GrowingIntegers()
  readonly #isWhole = new GrowingIntegers()
  readonly #panelStarts = new GrowingIntegers()
  readonly #panelMembers = new GrowingIntegers()
  readonly #loosened: Int32Array[] = []
  readonly #grown = [new GrowingIntegers(), new GrowingIntegers()] as const
  readonly #shrunk = [new GrowingIntegers(), new GrowingIntegers()] as const
  readonly #dropped: DroppedBlock[] = []
  readonly #droppedBefore: { node: number; key: number }[] = []
  /** Room for those who leave a key. */
  readonly #leaving: number[] = []

  constructor(input: ChangeInput, reader: IndexReader, writer: IndexWriter) {
    this.#input = input
    this.#maker = new KeyMaker(input.parts)
    this.#reader = reader
    this.#writer = writer
    const came = input.mentions.count - input.first
    this.#old = Int32Array.from([...input.gone, ...input.panel])
    this.#rowOfOld = new Map(Array.from(this.#old, (record, k) => [record, came + k]))
  }

  run(root: RuleNode): RuleChanges {
    const { mentions, first, gone, panel } = this.#input
    const came = mentions.count - first
    const records = new Int32Array(came + gone.length + panel.length)
    for (let k = 0; k < came; k++) records[k] = (first + k) | JOINS
    records.set(gone, came)
    panel.forEach((record, k) => (records[came + gone.length + k] = record | ASKED))
    const prefixes = new Int32Array(records.length).fill(rootPrefix(root.node))
    this.#visit(root, { records, prefixes, others: undefined })
    this.#writer.finish()
    const [grownNodes, grownKeys] = this.#grown.map((list) => list.view().slice())
    const [shrunkNodes, shrunkKeys] = this.#shrunk.map((list) => list.view().slice())
    return {
      starts: this.#starts.view().slice(),
      members: this.#members.view().slice(),
      isWhole: Uint8Array.from(this.#isWhole.view()),
      panelStarts: this.#panelStarts.view().slice(),
      panelMembers: this.#panelMembers.view().slice(),
      loosened: this.#loosened,
      grownNodes: grownNodes!,
      grownKeys: grownKeys!,
      shrunkNodes: shrunkNodes!,
      shrunkKeys: shrunkKeys!,
      dropped: this.#dropped,
      droppedBefore: this.#droppedBefore,
    }
  }

  #visit(rule: RuleNode, changed: Changed): void {
    const below = this.#decideKeys(rule, this.#entriesOf(rule.parts, changed))
    if (rule.children.length === 0) return
    const records = below.records.view()
    const others = this.#othersAmong(records)
    for (const child of rule.children) {
      const prefixes = below.keys.view().map((key) => childPrefix(key, child.node))
      this.#visit(child, { records, prefixes, others })
    }
  }

  #rowOf(record: number): number | undefined {
    const { first } = this.#input
    return record >= first ? record - first : this.#rowOfOld.get(record)
  }

  #othersAmong(records: Int32Array): Others | undefined {
    const rowOf = new Map<number, number>()
    for (const marked of records) {
      const record = marked & RECORD
      if (!rowOf.has(record) && this.#rowOf(record) === undefined) rowOf.set(record, rowOf.size)
    }
    if (rowOf.size === 0) return undefined
    const numbers = Int32Array.from(rowOf.keys())
    return { numbers, rowOf, maker: new KeyMaker(blockParts(this.#input.mentions, numbers)) }
  }

  #decideKeys(
    rule: RuleNode,
    { keys, records }: KeyEntries,
  ): { records: GrowingIntegers; keys: GrowingIntegers } {
    const below = { records: new GrowingIntegers(16), keys: new GrowingIntegers(16) }
    if (keys.length === 0 && !this.#input.isWhole) {
      this.#writer.changes(rule.node, this.#reader.changes(rule.node))
      return below
    }
    const stored = this.#reader.read(rule.node)
    for (let start = 0, end = 0; start < keys.length; start = end) {
      while (end < keys.length && keys[end] === keys[start]) end++
      this.#decide(rule, keys[start]!, { records, start, end }, stored, below)
    }
    this.#keep(rule.node, stored, { keys, records })
    return below
  }

  /** The keys of changed records, sorted. */
  #entriesOf(ruleParts: readonly number[], { records, prefixes, others }: Changed): KeyEntries {
    const { first, mentions } = this.#input
    const came = mentions.count - first
    const own = { rows: new GrowingIntegers(records.length), prefixes: new GrowingIntegers(records.length) }
    const rest = { rows: new GrowingIntegers(16), prefixes: new GrowingIntegers(16) }
    for (let k = 0; k < records.length; k++) {
      const record = records[k]! & RECORD
      const row = this.#rowOf(record)
      const into = row === undefined ? rest : own
      into.rows.push((row ?? others!.rowOf.get(record)!) | (records[k]! & MARKS))
      into.prefixes.push(prefixes[k]!)
    }
    const found = { keys: new GrowingIntegers(records.length), records: new GrowingIntegers(records.length) }
    const put = ({ keys, records: rows }: KeyEntries, numberOf: (row: number) => number): void => {
      found.keys.append(keys)
      for (let k = 0; k < rows.length; k++)
        found.records.push(numberOf(rows[k]! & RECORD) | (rows[k]! & MARKS))
    }
    const entries = this.#maker.keysOf(ruleParts, own.rows.view(), own.prefixes.view())
    put(entries, (row) => (row < came ? first + row : this.#old[row - came]!))
    if (others !== undefined)
      put(
        others.maker.keysOf(ruleParts, rest.rows.view(), rest.prefixes.view()),
        (row) => others.numbers[row]!,
      )
    const sorted = radixSort(found.keys.view(), found.records.view())
    return { keys: sorted.keys, records: sorted.values }
  }

  #decide(
    rule: RuleNode,
    key: number,
    changed: MarkedRecords,
    stored: StoredEntries,
    below: { records: GrowingIntegers; keys: GrowingIntegers },
  ): void {
    const { limit, first } = this.#input
    const leaving = this.#leaving
    leaving.length = 0
    let joining = 0
    let asked = 0
    let hasNew = false
    const { records, start, end } = changed
    for (let k = start; k < end; k++) {
      const marked = records[k]!
      if ((marked & MARKS) === 0) leaving.push(marked)
      else if ((marked & ASKED) !== 0) asked++
      else {
        joining++
        if ((marked & RECORD) >= first) hasNew = true
      }
    }
    const before = stored.seek(key)
    const after = before + joining - leaving.length
    const wasOver = before > limit
    const isOver = after > limit
    if (!isOver && after > 1 && (wasOver || hasNew)) {
      this.#isWhole.push(wasOver ? 1 : 0)
      this.#gather(this.#starts, this.#members, stored, changed, leaving)
    }
    if (!isOver && after > 1 && asked > 0)
      this.#gather(this.#panelStarts, this.#panelMembers, stored, changed, leaving)
    if (wasOver !== isOver) this.#pass(rule, key, { before, isOver, leaving }, stored, below)
    if (!wasOver && !isOver) return
    if (rule.children.length === 0) {
      if (rule.name === 'any') return
      this.#droppedBefore.push({ node: rule.node, key })
      if (isOver) this.#drop(rule.node, key, after, stored, changed, leaving)
      return
    }
    for (let k = start; k < end; k++) {
      const marked = records[k]!
      if ((marked & MARKS) === 0 ? !wasOver : !isOver) continue
      below.records.push(marked)
      below.keys.push(key)
    }
  }

  #gather(
    starts: GrowingIntegers,
    members: GrowingIntegers,
    stored: StoredEntries,
    changed: MarkedRecords,
    leaving: readonly number[],
  ): void {
    const start = members.length
    starts.push(start)
    stored.recordsInto(members, leaving)
    joinInto(members, changed)
    members.sortFrom(start)
  }

  // Who stays comes below a key that is above the limit now, or leaves from below one that no longer is.
  #pass(
    { node, children }: RuleNode,
    key: number,
    { before, isOver, leaving }: { before: number; isOver: boolean; leaving: readonly number[] },
    stored: StoredEntries,
    below: { records: GrowingIntegers; keys: GrowingIntegers },
  ): void {
    const [nodes, keys] = isOver ? this.#grown : this.#shrunk
    nodes.push(node)
    keys.push(key)
    const staying = new GrowingIntegers(16)
    stored.recordsInto(staying, leaving)
    if (isOver && before > 1) this.#loosened.push(staying.view())
    if (children.length === 0) return
    for (const record of staying.view()) {
      below.records.push(isOver ? record | JOINS : record)
      below.keys.push(key)
    }
  }

  #drop(
    node: number,
    key: number,
    size: number,
    stored: StoredEntries,
    changed: MarkedRecords,
    leaving: readonly number[],
  ): void {
    const members = new GrowingIntegers(16)
    joinInto(members, changed)
    if (members.length === 0) stored.recordsInto(members, leaving)
    this.#dropped.push({ node, key, size, mention: members.at(0) })
  }

  #keep(node: number, stored: StoredEntries, { keys, records }: KeyEntries): void {
    const joined = { keys: new GrowingIntegers(keys.length), records: new GrowingIntegers(keys.length) }
    const left = { keys: new GrowingIntegers(16), records: new GrowingIntegers(16) }
    for (let k = 0; k < keys.length; k++) {
      if ((records[k]! & ASKED) !== 0) continue
      const into = (records[k]! & JOINS) === 0 ? left : joined
      into.keys.push(keys[k]!)
      into.records.push(records[k]! & RECORD)
    }
    const viewed = (list: typeof left): KeyEntries => ({
      keys: list.keys.view(),
      records: list.records.view(),
    })
    const changes = stored.changedBy({ added: viewed(joined), removed: viewed(left) })
    if (this.#input.isWhole) this.#writer.whole(node, stored.wholeAfter(changes))
    else this.#writer.changes(node, changes)
  }
}
