import { closeSync, fstatSync, openSync, read, readSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'

export type StoredArray = Int32Array | Float64Array | Uint8Array

const KINDS = { i: Int32Array, d: Float64Array, b: Uint8Array } as const

type Kind = keyof typeof KINDS

// Written and read here alone, and by threads, which start sooner without a schema library.
interface Contents {
  readonly arrays: Record<string, { kind: Kind; length: number; offset: number; crc: number }>
  readonly about: unknown
}

const readPart = promisify(read)

/** What a call of `read` takes. */
type Part = [input: number, into: Uint8Array, at: number, length: number, position: number]

// One call moves less than two gigabytes.
const MOST_BYTES = 1 << 30
// Length and CRC-32 of the contents, two numbers of eight bytes.
const END_BYTES = 16

/** Writes arrays one after the other, each as it is ready, and at the end what stands where: gigabytes a second. To be closed. */
export class ArrayWriter {
  readonly #output: number
  readonly #arrays: Contents['arrays'] = {}
  #offset = 0

  constructor(file: string) {
    this.#output = openSync(file, 'w')
  }

  put(name: string, array: StoredArray): void {
    const kind = array instanceof Int32Array ? 'i' : array instanceof Float64Array ? 'd' : 'b'
    const offset = this.#offset
    const crc = this.#write(bytesOf(array))
    this.#arrays[name] = { kind, length: array.length, offset, crc }
  }

  /** Ends the file, with whatever its reader must know besides. */
  finish(about: unknown): void {
    const contents = new TextEncoder().encode(JSON.stringify({ arrays: this.#arrays, about }))
    const crc = this.#write(contents)
    this.#write(bytesOf(Float64Array.of(contents.length, crc)))
  }

  close(): void {
    closeSync(this.#output)
  }

  /** Gives the CRC-32 of what is written. */
  #write(bytes: Uint8Array): number {
    let crc = 0
    for (let at = 0; at < bytes.length;) {
      const written = writeSync(this.#output, bytes, at, Math.min(MOST_BYTES, bytes.length - at))
      crc = crc32(bytes.subarray(at, at + written), crc)
      at += written
    }
    this.#offset += bytes.length
    return crc
  }
}

/** Arrays of a file that `ArrayWriter` wrote. To be closed. */
export class ArrayFile {
  readonly about: unknown
  readonly #input: number
  readonly #arrays: Contents['arrays']
  readonly #file: string

  private constructor(file: string, input: number, { arrays, about }: Contents) {
    this.#file = file
    this.#input = input
    this.#arrays = arrays
    this.about = about
  }

  /** Undefined when the file is missing, was not written to its end, or its list of arrays is damaged. */
  static open(file: string): ArrayFile | undefined {
    let input: number
    try {
      input = openSync(file, 'r')
    } catch {
      return undefined
    }
    const contents = contentsOf(input)
    if (contents !== undefined) return new ArrayFile(file, input, contents)
    closeSync(input)
    return undefined
  }

  /** How many items an array has; 0 when it is not there. */
  lengthOf(name: string): number {
    return this.#arrays[name]?.length ?? 0
  }

  /** Reads all of an array to the place `at` of another. */
  readInto(name: string, into: StoredArray, at = 0): void {
    const reading = this.#parts(name, into, at)
    for (let next = reading.next(); next.done !== true;) next = reading.next(readSync(...next.value))
  }

  /** The same, beside whatever else is read or done. */
  async load(name: string, into: StoredArray, at = 0): Promise<void> {
    const reading = this.#parts(name, into, at)
    for (let next = reading.next(); next.done !== true;)
      next = reading.next((await readPart(...next.value)).bytesRead)
  }

  /** What is to be read one after the other; told each time how many bytes came. */
  *#parts(name: string, into: StoredArray, at: number): Generator<Part, void, number> {
    const stored = this.#arrays[name]
    if (stored === undefined) return
    const bytes = bytesOf(into.subarray(at, at + stored.length))
    let crc = 0
    for (let done = 0; done < bytes.length;) {
      const most = Math.min(MOST_BYTES, bytes.length - done)
      const came = yield [this.#input, bytes, done, most, stored.offset + done]
      if (came === 0) throw new Error(`${this.#file} ends within ${name}`)
      crc = crc32(bytes.subarray(done, done + came), crc)
      done += came
    }
    if (crc !== stored.crc) throw new Error(`${this.#file} is damaged: ${name} is not as it was written`)
  }

  /** Reads every array, and throws when one is not as it was written. */
  check(): void {
    for (const [name, { kind, length }] of Object.entries(this.#arrays))
      this.readInto(name, new KINDS[kind](length))
  }

  /** Reads an array of integers; an empty one when it is not there. */
  integers(name: string): Int32Array {
    const found = new Int32Array(this.lengthOf(name))
    this.readInto(name, found)
    return found
  }

  close(): void {
    closeSync(this.#input)
  }
}

function contentsOf(input: number): Contents | undefined {
  const { size } = fstatSync(input)
  if (size < END_BYTES) return undefined
  const end = new Float64Array(2)
  readSync(input, bytesOf(end), 0, END_BYTES, size - END_BYTES)
  const [bytes, crc] = end as unknown as [number, number]
  if (!(Number.isInteger(bytes) && bytes > 0 && bytes <= size - END_BYTES)) return undefined
  const text = new Uint8Array(bytes)
  readSync(input, text, 0, bytes, size - END_BYTES - bytes)
  if (crc32(text) !== crc) return undefined
  const found = parsed(new TextDecoder().decode(text))
  if (found === undefined) return undefined
  const isWhole = Object.values(found.arrays).every(
    ({ kind, length: items, offset }) =>
      offset + items * KINDS[kind].BYTES_PER_ELEMENT <= size - END_BYTES - bytes,
  )
  return isWhole ? found : undefined
}

function parsed(text: string): Contents | undefined {
  try {
    return JSON.parse(text) as Contents
  } catch {
    return undefined
  }
}

function bytesOf(array: StoredArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
