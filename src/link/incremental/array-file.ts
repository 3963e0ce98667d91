import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { shared } from '../records/texts.ts'

/** The arrays of one file, by name. */
export type StoredArrays = Readonly<Record<string, Int32Array | Float64Array | Uint8Array>>

const KINDS = { Int32Array, Float64Array, Uint8Array }

interface Header {
  readonly about: unknown
  readonly arrays: readonly { name: string; kind: keyof typeof KINDS; length: number; crc: number }[]
}

// One system call reads or writes less than 2 GiB.
const MOST_BYTES = 1 << 30
/**
 * Writes `arrays` and `about` (any JSON value) to `file`. The file has the length and CRC-32 of a header, the header as JSON, and the bytes of
 * the arrays. The header has the CRC-32 of each array. Writes to another name first and renames, so `file` is complete even after a crash.
 */
export function writeArrays(file: string, about: unknown, arrays: StoredArrays): void {
  const header: Header = {
    about,
    arrays: Object.entries(arrays).map(([name, array]) => ({
      name,
      kind: array.constructor.name as keyof typeof KINDS,
      length: array.length,
      crc: crc32(bytesOf(array)),
    })),
  }
  const text = new TextEncoder().encode(JSON.stringify(header))
  const partial = `${file}.partial`
  try {
    const output = openSync(partial, 'w')
    try {
      writeAll(output, bytesOf(Uint32Array.of(text.length, crc32(text))))
      writeAll(output, text)
      for (const array of Object.values(arrays)) writeAll(output, bytesOf(array))
      fsyncSync(output)
    } finally {
      closeSync(output)
    }
    renameSync(partial, file)
  } catch (cause) {
    rmSync(partial, { force: true })
    throw cause
  }
}

/**
 * Reads a file that `writeArrays` wrote into arrays that threads can share.
 * @throws an `Error` that names the file and its fault: it is missing, cut off, or changed since it was written.
 */
export function readArrays(file: string): { about: unknown; arrays: StoredArrays } {
  const input = openSync(file, 'r')
  try {
    const prefix = new Uint32Array(2)
    readAll(input, bytesOf(prefix), file)
    const [length, crc] = prefix as unknown as [number, number]
    if (length > MOST_BYTES) throw new Error(`${file} is damaged: its header is not as it was written`)
    const text = new Uint8Array(length)
    readAll(input, text, file)
    if (crc32(text) !== crc) throw new Error(`${file} is damaged: its header is not as it was written`)
    const { about, arrays } = JSON.parse(new TextDecoder().decode(text)) as Header
    const read = arrays.map((stored) => {
      const array = shared<Int32Array | Float64Array | Uint8Array>(KINDS[stored.kind], stored.length)
      readAll(input, bytesOf(array), file)
      if (crc32(bytesOf(array)) !== stored.crc)
        throw new Error(`${file} is damaged: ${stored.name} is not as it was written`)
      return [stored.name, array] as const
    })
    return { about, arrays: Object.fromEntries(read) }
  } finally {
    closeSync(input)
  }
}

function writeAll(output: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;)
    at += writeSync(output, bytes, at, Math.min(MOST_BYTES, bytes.length - at))
}

function readAll(input: number, bytes: Uint8Array, file: string): void {
  for (let at = 0; at < bytes.length;) {
    const count = readSync(input, bytes, at, Math.min(MOST_BYTES, bytes.length - at), null)
    if (count === 0) throw new Error(`${file} is cut off: it is shorter than its header says`)
    at += count
  }
}

function bytesOf(array: Int32Array | Uint32Array | Float64Array | Uint8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
