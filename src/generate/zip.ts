import { writeFileSync } from 'node:fs'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import type { Encoding, RecordFormat, Table } from './layouts/record-format.ts'

// 2026-01-05 in the date format of zips. The bytes of an archive must not depend on the time of writing.
const ZIP_DATE = ((2026 - 1980) << 9) | (1 << 5) | 5

/**
 * A zip whose bytes are the same on every machine. Deflate uses the run-length strategy, which compares a byte only with
 * the byte before it. The default strategy finds matches by hashes that differ between processors. Most zipped files
 * here have padded records, which compress well with run lengths too.
 */
export class ZipFile {
  readonly #path: string
  readonly #members: { readonly name: string; readonly rows: Buffer[] }[] = []

  constructor(path: string) {
    this.#path = path
  }

  /** Adds a member. Its rows stay in memory until the zip is closed. */
  table(name: string, encoding: Encoding, format: RecordFormat): Table {
    const rows = [Buffer.from(format.header, encoding)]
    this.#members.push({ name, rows })
    return { row: (values) => void rows.push(Buffer.from(format.line(values), encoding)) }
  }

  close(): void {
    const written: Buffer[] = []
    const directory: Buffer[] = []
    let position = 0
    for (const { name, rows } of this.#members) {
      const content = Buffer.concat(rows)
      const deflated = deflateRawSync(content, { level: 9, strategy: constants.Z_RLE })
      // Version, flags, method (deflate), time, date, checksum, sizes, and the lengths of name and extra fields.
      const sizes = [u32(crc32(content)), u32(deflated.length), u32(content.length)]
      const facts = Buffer.concat([u16(20, 0, 8, 0, ZIP_DATE), ...sizes, u16(name.length, 0)])
      const member = [u32(0x04034b50), facts, Buffer.from(name), deflated]
      written.push(...member)
      directory.push(u32(0x02014b50), u16(20), facts, u16(0, 0, 0, 0, 0), u32(position), Buffer.from(name))
      position += Buffer.concat(member).length
    }
    const length = Buffer.concat(directory).length
    const count = this.#members.length
    const end = [u32(0x06054b50), u16(0, 0, count, count), u32(length), u32(position), u16(0)]
    writeFileSync(this.#path, Buffer.concat([...written, ...directory, ...end]))
  }
}

function u16(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 2)
  numbers.forEach((number, i) => bytes.writeUInt16LE(number, i * 2))
  return bytes
}

function u32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(number)
  return bytes
}
