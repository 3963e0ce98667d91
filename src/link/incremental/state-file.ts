import { join } from 'node:path'
import pLimit from 'p-limit'
import { z } from 'zod'
import { ArrayFile, ArrayWriter, type StoredArray } from './array-file.ts'
import { PARTS, RULES } from '../block/block-keys.ts'
import type { TermTable } from '../model/frequencies.ts'
import { type IndexFolders, indexFile } from './key-index.ts'
import {
  ADDRESS_WIDTH,
  type Attribute,
  goneBelow,
  markGone,
  type Mentions,
  type PlainMentions,
} from '../records/mentions.ts'
import { hashText, shared } from '../records/texts.ts'

/** How much of everything there is in some mentions. */
export interface Sizes {
  readonly count: number
  readonly lists: number
  readonly addresses: number
  readonly texts: number
  readonly bytes: number
  readonly others: number
}

const Sizes = z.object({
  count: z.int(),
  lists: z.int(),
  addresses: z.int(),
  texts: z.int(),
  bytes: z.int(),
  others: z.int(),
})

const RULES_HASH = hashText(JSON.stringify([PARTS, RULES]))

const About = z.object({
  version: z.literal(5),
  /** By which rules records were blocked: under others, what was compared before says nothing. */
  rules: z.literal(RULES_HASH),
  width: z.int(),
  sizes: Sizes,
  /** Mentions that have left: their numbers are not given again. */
  gone: z.int(),
  attributes: z.array(z.object({ kind: z.string(), isIdentifier: z.boolean() })),
  terms: z.array(z.string()),
})
type About = z.output<typeof About>

/** Whether this version reads a state whose file of records says `about`. */
export function isOfThisVersion(about: unknown): boolean {
  return About.safeParse(about).success
}

/** How much more arrays can take. */
export type Room = Omit<Sizes, 'others'>

/** What some mentions take. */
export function roomOf({ count, lists, addresses, texts }: Mentions | PlainMentions): Room {
  return {
    count,
    lists: lists.length,
    addresses: addresses.length / ADDRESS_WIDTH,
    texts: texts.count,
    bytes: texts.starts[texts.count]!,
  }
}

/** What so many mentions hardly ever exceed. Memory that nothing is written to costs nothing. */
export function amplyFor(count: number): Room {
  const records = count + 100
  return { count, lists: records * 16, addresses: records * 8, texts: records * 24, bytes: records * 256 }
}

export function isWithin(one: Room, room: Room): boolean {
  return Object.keys(room).every((of) => one[of as keyof Room] <= room[of as keyof Room])
}

/** Mentions whose sources are told by what comes: there may be new ones. */
export type SourcelessMentions = Omit<Mentions, 'sources'>

/** What a night goes on from: mentions in arrays with room behind them, and how often values occur. */
export interface LinkState {
  readonly mentions: SourcelessMentions
  readonly sizes: Sizes
  /** Mentions that were there when everything was written. */
  readonly baseSizes: Sizes
  /** How many of them had left by then. */
  readonly baseGone: number
  readonly terms: Readonly<Record<string, TermTable>>
}

export function mentionsFile(folder: string): string {
  return join(folder, 'mentions.bin')
}

interface Column {
  readonly name: string
  readonly array: StoredArray
  readonly of: keyof Sizes
  /** Items for each of what is counted, and those that stand before the first. */
  readonly width: number
  readonly before: number
}

function column(name: string, array: StoredArray, of: keyof Sizes, width = 1, before = 0): Column {
  return { name, array, of, width, before }
}

// Every array only grows from night to night: what is behind the end of last time is what came.
function columnsOf(mentions: SourcelessMentions): Column[] {
  const { rows, width, ranks, lists, addresses, emailNames, texts } = mentions

  return [
    column('rows', rows, 'count', width),
    column('ranks', ranks, 'count'),
    column('lists', lists, 'lists'),
    column('addresses', addresses, 'addresses', ADDRESS_WIDTH),
    column('emailNames', emailNames, 'texts'),
    column('bytes', texts.bytes, 'bytes'),
    column('starts', texts.starts, 'texts', 1, 1),
    column('hash', texts.hash, 'texts'),
    column('sound', texts.sound, 'texts'),
    column('startSound', texts.startSound, 'texts'),
    column('nickname', texts.nickname, 'texts'),
    column('otherStarts', texts.otherStarts, 'texts', 1, 1),
    column('others', texts.others, 'others'),
    column('known', texts.known, 'texts'),
    column('letters', texts.letters, 'texts'),
  ]
}

/** Writes mentions, or with `since` those behind that size, and who of the others left; where they are whole, the terms as well. */
export function writeState(
  folder: string,
  mentions: Mentions,
  terms: Readonly<Record<string, TermTable>>,
  since?: Sizes,
): void {
  const writer = new ArrayWriter(mentionsFile(folder))
  try {
    for (const { name, array, of, width, before } of columnsOf(mentions)) {
      writer.put(name, since === undefined ? array : array.subarray(since[of] * width + before))
    }
    if (since !== undefined) {
      writer.put('gone', goneBelow(mentions, since.count))
    }
    const names = since === undefined ? Object.keys(terms) : []
    names.forEach((name, field) => {
      writer.put(`termKeys${field}`, terms[name]!.keys)
      writer.put(`termCounts${field}`, terms[name]!.counts)
    })
    writer.finish(aboutOf(mentions, names))
  } finally {
    writer.close()
  }
}

function aboutOf(mentions: Mentions, terms: string[]): About {
  return {
    version: 5,
    rules: RULES_HASH,
    width: mentions.width,
    sizes: { ...roomOf(mentions), others: mentions.texts.others.length },
    gone: goneBelow(mentions, mentions.count).length,
    attributes: mentions.attributes.map(({ kind, isIdentifier }) => ({ kind, isIdentifier })),
    terms,
  }
}

const READS_AT_ONCE = 2

/** A state whose files are all there and were written to their end. To be closed. */
export class StateReader {
  readonly folders: IndexFolders
  readonly #base: ArrayFile
  readonly #since: ArrayFile | undefined
  readonly #about: About
  readonly #baseAbout: About

  private constructor(folders: IndexFolders, base: [ArrayFile, About], since?: [ArrayFile, About]) {
    this.folders = folders
    ;[this.#base, this.#baseAbout] = base
    ;[this.#since, this.#about] = since ?? [undefined, this.#baseAbout]
  }

  /** Undefined where something is missing, or of other rules. */
  static open(folders: IndexFolders, rules: number): StateReader | undefined {
    const { base, since } = folders
    for (const folder of since === undefined ? [base] : [base, since]) {
      for (let rule = 0; rule < rules; rule++) {
        const file = ArrayFile.open(indexFile(folder, rule))
        if (file === undefined) return undefined
        file.close()
      }
    }
    const whole = opened(base)
    const after = since === undefined ? undefined : opened(since)
    if (whole !== undefined && (since === undefined || after !== undefined))
      return new StateReader(folders, whole, after)
    whole?.[0].close()
    after?.[0].close()
    return undefined
  }

  get count(): number {
    return this.#about.sizes.count
  }

  /** Reads everything into arrays that have room for as much more as `room` says, all of them side by side. */
  async read(room: Room): Promise<LinkState> {
    const { sizes, width, attributes } = this.#about
    const before = this.#baseAbout.sizes
    const mentions = emptyMentions(sizes, room, width, attributes)
    // The engine's statements are done by the same few threads as reads are: some must be left to it.
    const limit = pLimit(READS_AT_ONCE)
    const loading: Promise<void>[] = []
    const load = (file: ArrayFile, name: string, into: StoredArray, at?: number): void =>
      void loading.push(limit(async () => file.load(name, into, at)))
    for (const { name, array, of, width: items, before: first } of columnsOf(mentions)) {
      load(this.#base, name, array)
      if (this.#since !== undefined) load(this.#since, name, array, before[of] * items + first)
    }
    const terms: Record<string, TermTable> = {}
    this.#baseAbout.terms.forEach((name, field) => {
      const keys = shared(Float64Array, this.#base.lengthOf(`termKeys${field}`))
      const counts = shared(Int32Array, keys.length)
      load(this.#base, `termKeys${field}`, keys)
      load(this.#base, `termCounts${field}`, counts)
      terms[name] = { keys, counts }
    })
    // Nothing is left reading when one of them fails.
    await Promise.allSettled(loading)
    await Promise.all(loading)
    markGone(mentions, this.#since?.integers('gone') ?? new Int32Array(0))
    return { mentions, sizes, baseSizes: before, baseGone: this.#baseAbout.gone, terms }
  }

  close(): void {
    this.#base.close()
    this.#since?.close()
  }
}

function opened(folder: string): [ArrayFile, About] | undefined {
  const file = ArrayFile.open(mentionsFile(folder))
  if (file === undefined) return undefined
  const about = About.safeParse(file.about).data
  if (about !== undefined) return [file, about]
  file.close()
  return undefined
}

function emptyMentions(
  sizes: Sizes,
  room: Room,
  width: number,
  attributes: readonly Attribute[],
): SourcelessMentions {
  const integers = (of: keyof Room, items = 1, before = 0): Int32Array =>
    shared(Int32Array, (sizes[of] + room[of]) * items + before)
  return {
    count: sizes.count,
    width,
    attributes,
    rows: integers('count', width),
    ranks: shared(Float64Array, sizes.count + room.count),
    lists: integers('lists'),
    addresses: integers('addresses', ADDRESS_WIDTH),
    emailNames: integers('texts'),
    texts: {
      count: sizes.texts,
      bytes: shared(Uint8Array, sizes.bytes + room.bytes),
      starts: integers('texts', 1, 1),
      hash: integers('texts'),
      sound: integers('texts'),
      startSound: integers('texts'),
      nickname: integers('texts'),
      otherStarts: integers('texts', 1, 1),
      others: shared(Int32Array, sizes.others),
      known: shared(Uint8Array, sizes.texts + room.texts),
      letters: integers('texts'),
    },
  }
}
