import { closeSync, fstatSync, openSync, read, readSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

export type StoredArray = Int32Array | Float64Array | Uint8Array

const KINDS = { i: Int32Array, d: Float64Array, b: Uint8Array } as const

type Kind = keyof typeof KINDS

// Written and read here alone, and by threads, which start sooner without a schema library.
interface Contents {
  readonly arrays: Record<string, { kind: Kind; length: number; offset: number }>
  readonly about: unknown
}

const readPart = promisify(read)

/** What a call of `read` takes. */
type Part = [input: number, into: Uint8Array, at: number, length: number, position: number]

// One call moves less than two gigabytes.
const MOST_BYTES = 1 << 30
const LENGTH_BYTES = 8

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
    this.#arrays[name] = { kind, length: array.length, offset: this.#offset }
    this.#write(bytesOf(array))
  }

  /** Ends the file, with whatever its reader must know besides. */
  finish(about: unknown): void {
    const contents = new TextEncoder().encode(JSON.stringify({ arrays: this.#arrays, about }))
    this.#write(contents)
    this.#write(bytesOf(Float64Array.of(contents.length)))
  }

  close(): void {
    closeSync(this.#output)
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;)
      at += writeSync(this.#output, bytes, at, Math.min(MOST_BYTES, bytes.length - at))
    this.#offset += bytes.length
  }
}

/** Arrays of a file that `ArrayWriter` wrote. To be closed. */
export class ArrayFile {
  readonly about: unknown
  readonly #input: number
  readonly #arrays: Contents['arrays']

  private constructor(input: number, { arrays, about }: Contents) {
    this.#input = input
    this.#arrays = arrays
    this.about = about
  }

  /** Undefined when the file is missing or was not written to its end. */
  static open(file: string): ArrayFile | undefined {
    let input: number
    try {
      input = openSync(file, 'r')
    } catch {
      return undefined
    }
    const contents = contentsOf(input)
    if (contents !== undefined) return new ArrayFile(input, contents)
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
    for (let done = 0; done < bytes.length;) {
      const most = Math.min(MOST_BYTES, bytes.length - done)
      const came = yield [this.#input, bytes, done, most, stored.offset + done]
      if (came === 0) throw new Error(`the state of the linkage ends within ${name}`)
      done += came
    }
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
  if (size < LENGTH_BYTES) return undefined
  const length = new Float64Array(1)
  readSync(input, bytesOf(length), 0, LENGTH_BYTES, size - LENGTH_BYTES)
  const bytes = length[0]!
  if (!(bytes > 0 && bytes <= size - LENGTH_BYTES)) return undefined
  const text = new Uint8Array(bytes)
  readSync(input, text, 0, bytes, size - LENGTH_BYTES - bytes)
  const found = parsed(new TextDecoder().decode(text))
  if (found === undefined) return undefined
  const isWhole = Object.values(found.arrays).every(
    ({ kind, length: items, offset }) =>
      offset + items * KINDS[kind].BYTES_PER_ELEMENT <= size - LENGTH_BYTES - bytes,
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
