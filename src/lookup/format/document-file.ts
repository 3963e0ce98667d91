import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export type DocumentKind = 'people' | 'properties' | 'phones'
/** Guests have documents only while a shard is written, which are copied into those of properties. */
type WrittenKind = DocumentKind | 'guests'

/** The folder of documents in a snapshot's `lookup/`. */
export const DOCUMENTS_FOLDER = 'documents'

// Documents begin at multiples of this number of bytes.
const UNIT = 16

const TURN = 2 ** 32

/**
 * The positions of documents in their file, in units of 16 bytes. `start` has the lower 32 bits of each
 * position, and one entry more: the end of the last document. `turns` has the numbers of the documents at
 * which the position passes a multiple of 2³² units (64 GiB). It is empty for smaller files, so positions of
 * any size cost no more memory than 32 bits a document.
 */
export interface DocumentStarts {
  readonly start: Uint32Array<ArrayBuffer>
  readonly turns: Uint32Array<ArrayBuffer>
}

/** Collects the positions of documents while they are written. */
export class StartsBuilder {
  readonly #start: Uint32Array<ArrayBuffer>
  readonly #turns: number[] = []
  #next = 0
  #units = 0

  constructor(count: number) {
    this.#start = new Uint32Array(count + 1)
  }

  /** Adds a document of `units` units. Numbers must ascend; numbers that are left out have an empty document. */
  add(number: number, units: number): void {
    this.#fillTo(number + 1)
    this.#units += units
  }

  end(): DocumentStarts {
    this.#fillTo(this.#start.length)
    return { start: this.#start, turns: Uint32Array.from(this.#turns) }
  }

  #fillTo(end: number): void {
    while (this.#units >= TURN * (this.#turns.length + 1)) this.#turns.push(this.#next)
    this.#start.fill(this.#units % TURN, this.#next, end)
    this.#next = end
  }
}

/**
 * Reads documents of one kind from a file that holds them in the order of their numbers. Uses `pread` instead
 * of a memory map: it is faster than LMDB, and no page of the file counts as memory of the process
 * (decisions/001-index.md).
 */
export class DocumentFile {
  readonly #start: Uint32Array
  readonly #turns: Uint32Array
  readonly #path: string
  #descriptor: number
  #bytes = Buffer.allocUnsafeSlow(64 * 1024)

  constructor(
    lookupFolder: string,
    kind: WrittenKind,
    { start, turns }: { readonly start: Uint32Array; readonly turns: Uint32Array },
  ) {
    this.#start = start
    this.#turns = turns
    this.#path = documentPath(lookupFolder, kind)
    this.#descriptor = openSync(this.#path, 'r')
    const { size } = fstatSync(this.#descriptor)
    const wanted = this.#positionOf(start.length - 1)
    if (size === wanted) return
    this.close()
    throw new Error(`${this.#path} has ${size} bytes, its documents ${wanted}`)
  }

  /** Returns whether the document of this number exists; an empty document does not. */
  has(number: number): boolean {
    return this.#start[number] !== this.#start[number + 1]!
  }

  /**
   * Returns a buffer that begins with the document. The buffer may be longer; the document's header has its
   * length. The bytes are valid until the next read of this file.
   */
  read(number: number): Buffer {
    const start = this.#positionOf(number)
    // The difference is right although the end may be behind the next multiple of 64 GiB.
    const length = ((this.#start[number + 1]! - this.#start[number]!) >>> 0) * UNIT
    if (length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(2 * length)
    const count = readSync(this.#descriptor, this.#bytes, 0, length, start)
    if (count !== length) throw new Error(`${this.#path} ends before document ${number} does`)
    return this.#bytes
  }

  #positionOf(number: number): number {
    let turn = 0
    while (turn < this.#turns.length && this.#turns[turn]! <= number) turn++
    return ((this.#start[number] ?? 0) + turn * TURN) * UNIT
  }

  close(): void {
    closeSync(this.#descriptor)
    // The operating system may give the number to another file, which a late read must not reach.
    this.#descriptor = -1
  }
}

const BUFFERED = 1024 * 1024

/** Writes the documents of one kind in the order of their numbers. */
export class DocumentFileWriter {
  readonly #starts: StartsBuilder
  readonly #descriptor: number
  readonly #bytes = Buffer.alloc(BUFFERED)
  #used = 0

  constructor(lookupFolder: string, kind: WrittenKind, count: number) {
    this.#starts = new StartsBuilder(count)
    this.#descriptor = openSync(documentPath(lookupFolder, kind), 'wx')
  }

  /** Appends a document. Numbers must ascend; numbers that are left out have an empty document. */
  add(number: number, document: Uint8Array): void {
    const units = Math.ceil(document.length / UNIT)
    if (this.#used + units * UNIT > BUFFERED) this.#flush()
    this.#starts.add(number, units)
    if (units * UNIT > BUFFERED) {
      writeAll(this.#descriptor, document)
      writeAll(this.#descriptor, new Uint8Array(units * UNIT - document.length))
      return
    }
    this.#bytes.set(document, this.#used)
    this.#bytes.fill(0, this.#used + document.length, this.#used + units * UNIT)
    this.#used += units * UNIT
  }

  /** Writes the rest and returns the position of each document, which `DocumentFile` needs. */
  end(): DocumentStarts {
    this.#flush()
    return this.#starts.end()
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #flush(): void {
    writeAll(this.#descriptor, this.#bytes.subarray(0, this.#used))
    this.#used = 0
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  // On a full disk a write may accept only a part of the bytes; the next write throws.
  for (let written = 0; written < bytes.length;)
    written += writeSync(descriptor, bytes, written, bytes.length - written)
}

/** Returns the path of a file of documents. */
export function documentPath(lookupFolder: string, kind: WrittenKind): string {
  return join(lookupFolder, DOCUMENTS_FOLDER, `${kind}.bin`)
}
