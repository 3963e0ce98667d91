import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export type DocumentKind = 'people' | 'properties' | 'phones'

/** The folder of documents in a snapshot's `lookup/`. */
export const DOCUMENTS_FOLDER = 'documents'

// Documents begin at multiples of this number of bytes, so that a position of 32 bits covers a file of 64
// GiB.
const UNIT = 16

/**
 * Reads documents of one kind from a file that holds them in the order of their numbers. Uses `pread` instead
 * of a memory map: it is faster than LMDB, and no page of the file counts as memory of the process
 * (decisions/001-index.md).
 */
export class DocumentFile {
  readonly #start: Uint32Array
  readonly #path: string
  #descriptor: number
  #bytes = Buffer.allocUnsafeSlow(64 * 1024)

  /** `start` has the position of each document, in units, and one entry more: the end of the last document. */
  constructor(lookupFolder: string, kind: DocumentKind, start: Uint32Array) {
    this.#start = start
    this.#path = pathOf(lookupFolder, kind)
    this.#descriptor = openSync(this.#path, 'r')
    const { size } = fstatSync(this.#descriptor)
    const wanted = (start.at(-1) ?? 0) * UNIT
    if (size === wanted) return
    this.close()
    throw new Error(`${this.#path} has ${size} bytes, its documents ${wanted}`)
  }

  /** Returns whether the document of this number exists; an empty document does not. */
  has(number: number): boolean {
    return this.#start[number]! < this.#start[number + 1]!
  }

  /**
   * Returns a buffer that begins with the document. The buffer may be longer; the document's header has its
   * length. The bytes are valid until the next read of this file.
   */
  read(number: number): Buffer {
    const start = this.#start[number]! * UNIT
    const length = this.#start[number + 1]! * UNIT - start
    if (length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(2 * length)
    const count = readSync(this.#descriptor, this.#bytes, 0, length, start)
    if (count !== length) throw new Error(`${this.#path} ends before document ${number} does`)
    return this.#bytes
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
  readonly #start: Uint32Array<ArrayBuffer>
  readonly #descriptor: number
  readonly #bytes = Buffer.alloc(BUFFERED)
  #used = 0
  #next = 0
  #units = 0

  constructor(lookupFolder: string, kind: DocumentKind, count: number) {
    this.#start = new Uint32Array(count + 1)
    this.#descriptor = openSync(pathOf(lookupFolder, kind), 'wx')
  }

  /** Appends a document. Numbers must ascend; numbers that are left out have an empty document. */
  add(number: number, document: Uint8Array): void {
    const units = Math.ceil(document.length / UNIT)
    if (this.#used + units * UNIT > BUFFERED) this.#flush()
    this.#start.fill(this.#units, this.#next, number + 1)
    this.#next = number + 1
    this.#units += units
    if (this.#units > 0xffff_ffff) throw new Error('a file of documents has at most 64 GiB')
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
  end(): Uint32Array<ArrayBuffer> {
    this.#flush()
    this.#start.fill(this.#units, this.#next)
    return this.#start
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

function pathOf(lookupFolder: string, kind: DocumentKind): string {
  return join(lookupFolder, DOCUMENTS_FOLDER, `${kind}.bin`)
}
