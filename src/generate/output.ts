import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { csvLine } from './csv.ts'
import type { Encoding, RecordFormat, Table } from './layouts/record-format.ts'
import { ZipFile } from './zip.ts'

const CHUNK = 1 << 20

/** A file that is written in order. The sink encodes the text. */
export interface Sink {
  write(text: string): void
  close(): void
}

/** A sink that creates its file, with the header, when there are rows. Without rows there is no file. */
export class FileSink implements Sink {
  readonly #path: string
  readonly #encoding: Encoding
  #parts: string[]
  #length = 0
  #isCreated = false

  constructor(path: string, encoding: Encoding, header = '') {
    this.#path = path
    this.#encoding = encoding
    this.#parts = [header]
  }

  write(text: string): void {
    this.#parts.push(text)
    this.#length += text.length
    if (this.#length >= CHUNK) this.#flush()
  }

  close(): void {
    this.#flush()
  }

  #flush(): void {
    if (this.#length === 0) return
    if (!this.#isCreated) mkdirSync(dirname(this.#path), { recursive: true })
    const flag = this.#isCreated ? 'a' : 'w'
    writeFileSync(this.#path, this.#parts.join(''), { encoding: this.#encoding, flag })
    this.#isCreated = true
    this.#parts = []
    this.#length = 0
  }
}

/** The files of one day, in a folder for each source, and the truth about every record that names a person. */
export class Delivery {
  readonly day: number
  readonly #folder: string
  readonly #truth: Truth
  #open: { close(): void }[] = []

  constructor(folder: string, day: number, truth: Truth) {
    this.#folder = folder
    this.day = day
    this.#truth = truth
  }

  file(source: string, name: string, encoding: Encoding, header = ''): Sink {
    return this.#opened(new FileSink(this.path(source, name), encoding, header))
  }

  table(source: string, name: string, encoding: Encoding, format: RecordFormat): Table {
    const file = this.file(source, name, encoding, format.header)
    return { row: (values) => file.write(format.line(values)) }
  }

  zip(source: string, name: string): ZipFile {
    const path = this.path(source, name)
    mkdirSync(dirname(path), { recursive: true })
    return this.#opened(new ZipFile(path))
  }

  path(source: string, name: string): string {
    return join(this.#folder, source.replaceAll(/[/.]/g, '-'), name)
  }

  /** Adds to the truth that a record names a person. `changes`: on the other day the record with this id names another person. */
  names(record: string, person: number, changes = false): void {
    this.#truth.add(record, person, changes)
  }

  /** Adds to the truth that a record names several people, in this order. */
  namesAll(record: string, people: readonly number[], changes = false): void {
    people.forEach((person, i) => this.names(`${record}#${i + 1}`, person, changes))
  }

  /** Completes the files that were opened since the last call. */
  close(): void {
    for (const file of this.#open.splice(0)) file.close()
  }

  #opened<T extends { close(): void }>(file: T): T {
    this.#open.push(file)
    return file
  }
}

const TRUTH_HEADER = 'record_id,cluster\n'

/** Writes the truth: the person whom each record names after the last day. A second file has the records that named another person on day 1. */
export class Truth {
  readonly #final: Sink | null
  readonly #earlier: Sink | null
  isLastDay = false
  /** The clusters in the truth after the last day. */
  readonly named = new Set<number>()

  constructor(path: string | null, days: number) {
    this.#final = path === null ? null : new FileSink(path, 'utf8', TRUTH_HEADER)
    const before = path === null || days < 2 ? null : path.replace(/(\.csv)?$/, '.day-1.csv')
    this.#earlier = before === null ? null : new FileSink(before, 'utf8', TRUTH_HEADER)
  }

  add(record: string, person: number, changes: boolean): void {
    const isEarlier = changes && !this.isLastDay
    if (!isEarlier) this.named.add(person + 1)
    const sink = isEarlier ? (this.#earlier ?? this.#final) : this.#final
    sink?.write(csvLine([record, person + 1]))
  }

  close(): void {
    this.#final?.close()
    this.#earlier?.close()
  }
}
