import { closeSync, mkdirSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { PARTS, RULES } from './block-keys.ts'
import type { BlockParts } from './block-parts.ts'
import type { Mentions } from './mentions.ts'
import type { Edges } from './score.ts'
import { hashText, shared } from './texts.ts'

/**
 * What a night goes on from, as arrays in one file: gigabytes a second, where tables would be read at a tenth of it. Everything in it can be
 * made anew by linking everything, which is what happens where the file is missing or another run's.
 */
export interface LinkState {
  readonly mentions: Mentions
  readonly parts: BlockParts
  readonly edges: Edges
  /** Per mention, the number that names its cluster. */
  readonly smallest: Int32Array
}

const ARRAYS = { i: Int32Array, d: Float64Array, b: Uint8Array } as const
type Kind = keyof typeof ARRAYS

const RULES_HASH = hashText(JSON.stringify([PARTS, RULES]))

const Header = z.object({
  version: z.literal(2),
  /** By which rules records were blocked: under others, what was compared before says nothing. */
  rules: z.literal(RULES_HASH),
  /** Which run wrote it: what `link.linkage_state` says as well. */
  token: z.string(),
  count: z.int(),
  width: z.int(),
  texts: z.int(),
  attributes: z.array(z.object({ kind: z.string(), isIdentifier: z.boolean() })),
  arrays: z.record(z.string(), z.object({ kind: z.enum(['i', 'd', 'b']), length: z.int() })),
})

const HEADER_BYTES = 1 << 16
// One call moves less than two gigabytes.
const MOST_BYTES = 1 << 30

/** Writes the state under `token`; the file is whole or the old one. */
export function writeState(
  file: string,
  token: string,
  { mentions, parts, edges, smallest }: LinkState,
): void {
  const { texts } = mentions
  const arrays: Record<string, Int32Array | Float64Array | Uint8Array> = {
    rows: mentions.rows,
    ranks: mentions.ranks,
    lists: mentions.lists,
    addresses: mentions.addresses,
    emailNames: mentions.emailNames,
    bytes: texts.bytes,
    starts: texts.starts,
    hash: texts.hash,
    sound: texts.sound,
    startSound: texts.startSound,
    nickname: texts.nickname,
    otherStarts: texts.otherStarts,
    others: texts.others,
    known: texts.known,
    letters: texts.letters,
    extraStarts: parts.extraStarts,
    extraParts: parts.extraParts,
    extraValues: parts.extraValues,
    ...Object.fromEntries(parts.columns.map((column, part) => [`part${part}`, column])),
    left: edges.left,
    right: edges.right,
    bits: edges.bits,
    smallest,
  }
  const header: z.output<typeof Header> = {
    version: 2,
    rules: RULES_HASH,
    token,
    count: mentions.count,
    width: mentions.width,
    texts: texts.count,
    attributes: [...mentions.attributes],
    arrays: Object.fromEntries(
      Object.entries(arrays).map(([name, array]) => [name, { kind: kindOf(array), length: array.length }]),
    ),
  }
  mkdirSync(dirname(file), { recursive: true })
  const partial = `${file}.partial`
  const out = openSync(partial, 'w')
  try {
    const head = new Uint8Array(HEADER_BYTES).fill(32)
    head.set(new TextEncoder().encode(JSON.stringify(header)))
    writeAll(out, head)
    for (const array of Object.values(arrays)) writeAll(out, array)
  } finally {
    closeSync(out)
  }
  renameSync(partial, file)
}

function kindOf(array: Int32Array | Float64Array | Uint8Array): Kind {
  return array instanceof Int32Array ? 'i' : array instanceof Float64Array ? 'd' : 'b'
}

function bytesOf(array: Int32Array | Float64Array | Uint8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

function writeAll(out: number, array: Int32Array | Float64Array | Uint8Array): void {
  const bytes = bytesOf(array)
  for (let at = 0; at < bytes.length;)
    at += writeSync(out, bytes, at, Math.min(MOST_BYTES, bytes.length - at))
}

/** Reads what the run of `token` wrote; undefined when the file is missing, damaged or another run's. */
export function readState(file: string, token: string, sources: Uint8Array): LinkState | undefined {
  let input: number
  try {
    input = openSync(file, 'r')
  } catch {
    return undefined
  }
  try {
    const head = new Uint8Array(HEADER_BYTES)
    if (!readAll(input, head)) return undefined
    const header = headerOf(new TextDecoder().decode(head))
    if (header === undefined || header.token !== token) return undefined
    const arrays = new Map<string, Int32Array | Float64Array | Uint8Array>()
    for (const [name, { kind, length }] of Object.entries(header.arrays)) {
      const array = shared<Int32Array | Float64Array | Uint8Array>(ARRAYS[kind], length)
      if (!readAll(input, bytesOf(array))) return undefined
      arrays.set(name, array)
    }
    return stateOf(header, arrays, sources)
  } finally {
    closeSync(input)
  }
}

function headerOf(text: string): z.output<typeof Header> | undefined {
  try {
    return Header.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function readAll(input: number, bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length;) {
    const read = readSync(input, bytes, at, Math.min(MOST_BYTES, bytes.length - at), null)
    if (read === 0) return false
    at += read
  }
  return true
}

function stateOf(
  header: z.output<typeof Header>,
  arrays: ReadonlyMap<string, Int32Array | Float64Array | Uint8Array>,
  sources: Uint8Array,
): LinkState {
  const integers = (name: string): Int32Array => arrays.get(name) as Int32Array
  const floats = (name: string): Float64Array => arrays.get(name) as Float64Array
  const bytes = (name: string): Uint8Array => arrays.get(name) as Uint8Array
  return {
    mentions: {
      count: header.count,
      width: header.width,
      attributes: header.attributes,
      sources,
      rows: integers('rows'),
      ranks: floats('ranks'),
      lists: integers('lists'),
      addresses: integers('addresses'),
      emailNames: integers('emailNames'),
      texts: {
        count: header.texts,
        bytes: bytes('bytes'),
        starts: integers('starts'),
        hash: integers('hash'),
        sound: integers('sound'),
        startSound: integers('startSound'),
        nickname: integers('nickname'),
        otherStarts: integers('otherStarts'),
        others: integers('others'),
        known: bytes('known'),
        letters: integers('letters'),
      },
    },
    parts: {
      count: header.count,
      columns: PARTS.map((_, part) => integers(`part${part}`)),
      extraStarts: integers('extraStarts'),
      extraParts: bytes('extraParts'),
      extraValues: integers('extraValues'),
    },
    edges: {
      count: integers('left').length,
      left: integers('left'),
      right: integers('right'),
      bits: floats('bits'),
    },
    smallest: integers('smallest'),
  }
}
