import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { csvLine } from './csv.ts'

const CHUNK = 1 << 20

/** A file that is written in order. The sink encodes the text. */
export interface Sink {
  write(text: string): void
  close(): void
}

export type Encoding = 'utf8' | 'latin1'

/** A sink that creates its file, with the header, at the first row. Without rows there is no file. */
export class FileSink implements Sink {
  private readonly path: string
  private file = -1
  private readonly encoding: Encoding
  private parts: string[] = []
  private pending = 0
  private header: string

  constructor(path: string, encoding: Encoding, header = '') {
    this.path = path
    this.encoding = encoding
    this.header = header
  }

  write(text: string): void {
    if (this.header !== '') {
      this.parts.push(this.header)
      this.header = ''
    }
    this.parts.push(text)
    this.pending += text.length
    if (this.pending >= CHUNK) this.flush()
  }

  close(): void {
    this.flush()
    if (this.file >= 0) closeSync(this.file)
  }

  private flush(): void {
    if (this.parts.length === 0) return
    if (this.file < 0) {
      mkdirSync(dirname(this.path), { recursive: true })
      this.file = openSync(this.path, 'w')
    }
    writeAll(this.file, Buffer.from(this.parts.join(''), this.encoding), null)
    this.parts = []
    this.pending = 0
  }
}

function writeAll(file: number, bytes: Buffer, position: number | null): void {
  let done = 0
  while (done < bytes.length) {
    done += writeSync(file, bytes, done, bytes.length - done, position === null ? null : position + done)
  }
}

// 2026-01-05 00:00:00 in the date format of zips. The bytes of an archive must not depend on the time of writing.
const ZIP_DATE = ((2026 - 1980) << 9) | (1 << 5) | 5
const LOCAL_HEADER = 30
const CENTRAL_HEADER = 46
const END_HEADER = 22

interface Member {
  readonly name: string
  readonly offset: number
  crc: number
  compressed: number
  size: number
}

/**
 * A zip whose bytes are the same on every machine. Deflate uses the run-length strategy, which compares a byte only with
 * the byte before it. The default strategy finds matches by hashes that differ between processors. Most zipped files
 * here have padded records, which compress well with run lengths too.
 */
export class ZipFile {
  private readonly file: number
  private readonly members: Member[] = []
  private position = 0
  private open = false

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true })
    this.file = openSync(path, 'w')
  }

  /** Opens the next member. The member before must be closed. */
  member(name: string, encoding: Encoding): Sink {
    if (this.open) throw new Error(`${name} was opened while another member was being written`)
    this.open = true
    const member: Member = { name, offset: this.position, crc: 0, compressed: 0, size: 0 }
    this.members.push(member)
    // The header has the sizes of the member, so its place stays free until the member is closed.
    this.position += LOCAL_HEADER + Buffer.byteLength(name)
    let parts: string[] = []
    let pending = 0
    const flush = (isLast: boolean): void => {
      const bytes = Buffer.from(parts.join(''), encoding)
      parts = []
      pending = 0
      member.crc = crc32(bytes, member.crc)
      member.size += bytes.length
      const deflated = deflateRawSync(bytes, {
        level: 9,
        strategy: constants.Z_RLE,
        finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
      })
      writeAll(this.file, deflated, this.position)
      this.position += deflated.length
      member.compressed += deflated.length
    }
    return {
      write: (text) => {
        parts.push(text)
        pending += text.length
        if (pending >= CHUNK) flush(false)
      },
      close: () => {
        flush(true)
        writeAll(this.file, localHeader(member), member.offset)
        this.open = false
      },
    }
  }

  close(): void {
    const directory = Buffer.concat(this.members.map(centralHeader))
    const end = Buffer.alloc(END_HEADER)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(this.members.length, 8)
    end.writeUInt16LE(this.members.length, 10)
    end.writeUInt32LE(directory.length, 12)
    end.writeUInt32LE(this.position, 16)
    writeAll(this.file, Buffer.concat([directory, end]), this.position)
    closeSync(this.file)
  }
}

function localHeader(member: Member): Buffer {
  const name = Buffer.from(member.name)
  const header = Buffer.alloc(LOCAL_HEADER)
  header.writeUInt32LE(0x04034b50, 0)
  writeCommon(header, 4, member, name.length)
  return Buffer.concat([header, name])
}

function centralHeader(member: Member): Buffer {
  const name = Buffer.from(member.name)
  const header = Buffer.alloc(CENTRAL_HEADER)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(20, 4)
  writeCommon(header, 6, member, name.length)
  header.writeUInt32LE(member.offset, 42)
  return Buffer.concat([header, name])
}

function writeCommon(header: Buffer, at: number, member: Member, nameLength: number): void {
  header.writeUInt16LE(20, at)
  header.writeUInt16LE(8, at + 4)
  header.writeUInt16LE(ZIP_DATE, at + 8)
  header.writeUInt32LE(member.crc, at + 10)
  header.writeUInt32LE(member.compressed, at + 14)
  header.writeUInt32LE(member.size, at + 18)
  header.writeUInt16LE(nameLength, at + 22)
}

/** The files of one day, in a folder for each source, and the truth about every record that names a person. */
export class Delivery {
  readonly day: number
  private readonly folder: string
  private readonly truth: Truth

  constructor(folder: string, day: number, truth: Truth) {
    this.folder = folder
    this.day = day
    this.truth = truth
  }

  /** Opens a file. `header` is its first line with the line end. */
  file(source: string, name: string, encoding: Encoding, header = ''): Sink {
    return new FileSink(this.path(source, name), encoding, header)
  }

  zip(source: string, name: string): ZipFile {
    return new ZipFile(this.path(source, name))
  }

  path(source: string, name: string): string {
    return join(this.folder, source.replaceAll(/[/.]/g, '-'), name)
  }

  /** Adds to the truth that a record names a person. `changes`: the record with this id names another person on the other day. */
  names(record: string, person: number, changes = false): void {
    this.truth.add(record, person, changes)
  }
}

const TRUTH_HEADER = 'record_id,cluster\n'

/** Writes the truth: the person whom each record names after the last day. A second file has what day 1 said differently. */
export class Truth {
  private readonly final: Sink | null
  private readonly earlier: Sink | null
  isLastDay = false
  /** The clusters in the truth after the last day. */
  readonly named = new Set<number>()

  constructor(path: string | null, days: number) {
    this.final = path === null ? null : new FileSink(path, 'utf8', TRUTH_HEADER)
    const before = path === null || days < 2 ? null : path.replace(/(\.csv)?$/, '.day-1.csv')
    this.earlier = before === null ? null : new FileSink(before, 'utf8', TRUTH_HEADER)
  }

  add(record: string, person: number, changes: boolean): void {
    const isEarlier = changes && !this.isLastDay
    if (!isEarlier) this.named.add(person + 1)
    const sink = isEarlier ? (this.earlier ?? this.final) : this.final
    sink?.write(csvLine([record, person + 1]))
  }

  close(): void {
    this.final?.close()
    this.earlier?.close()
  }
}
