import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync, constants } from 'node:zlib'
import { type Database, open, type RootDatabase } from 'lmdb'
import { prepareLmdbFile } from '../lmdb-file.ts'

/** Name of the LMDB file in a snapshot's `events/` folder. Readers create its lock file, which is not part of the snapshot. */
export const DOCUMENTS_FILE = 'documents.mdb'

// Documents per compressed block. Events are numbered by county and date, so a page of a search reads few blocks. Larger blocks
// need less space, but take longer to decompress (src/events/decisions/001-search-files.md).
const BLOCK = 16
const SEPARATOR = 0x0a

interface Trees {
  /** Block number → zstd of the JSON documents of its events, one per line. */
  readonly blocks: Database<Buffer, number>
  /** Event id (16 bytes) → event number (u32, little endian). */
  readonly ids: Database<Buffer, Buffer>
  readonly root: RootDatabase<Buffer, Buffer>
}

/** The documents of a snapshot's events, by number and by id. */
export class EventDocuments {
  readonly #trees: Trees

  private constructor(trees: Trees) {
    this.#trees = trees
  }

  /** Opens the file for reading. Any number of processes may read it at once. */
  static open(folder: string): EventDocuments {
    const path = join(folder, DOCUMENTS_FILE)
    return new EventDocuments(treesOf(open({ ...OPTIONS, path, readOnly: true, maxReaders: 512 })))
  }

  /** Returns the number of the event with this id; null when there is none. */
  numberOf(event_id: string): number | null {
    return this.#trees.ids.getBinaryFast(idBytes(event_id))?.readUInt32LE(0) ?? null
  }

  /** Returns the JSON documents of the events with these numbers, in the same order. */
  read(numbers: readonly number[]): Buffer[] {
    const blocks = new Map<number, Buffer[]>()
    return numbers.map((number) => {
      const block = Math.floor(number / BLOCK)
      const documents = blocks.get(block) ?? this.#readBlock(block)
      blocks.set(block, documents)
      return documents[number % BLOCK]!
    })
  }

  close(): void {
    void this.#trees.root.close()
  }

  #readBlock(block: number): Buffer[] {
    const lines = zstdDecompressSync(this.#trees.blocks.getBinaryFast(block)!)
    const documents: Buffer[] = []
    for (let start = 0; start < lines.length;) {
      const end = lines.indexOf(SEPARATOR, start)
      documents.push(lines.subarray(start, end))
      start = end + 1
    }
    return documents
  }
}

/** Writes the documents of a snapshot's events: first `add` in the order of event numbers, then `addId` in the order of ids. */
export class EventDocumentsWriter {
  readonly #trees: Trees
  #lines: Uint8Array[] = []
  #count = 0

  constructor(folder: string) {
    const path = join(folder, DOCUMENTS_FILE)
    prepareLmdbFile(path)
    // mapSize is the largest size of the file. It reserves address space, not disk or memory.
    this.#trees = treesOf(open({ ...OPTIONS, path, mapSize: 2 ** 40, noSync: true, overlappingSync: false }))
  }

  /** Runs `body`, which calls `add` and `addId`, in one transaction. */
  batch(body: () => void): void {
    this.#trees.root.transactionSync(body)
  }

  /** Adds a JSON document. It must not contain a line break. */
  add(document: Uint8Array): void {
    this.#lines.push(document, LINE_END)
    this.#count += 1
    if (this.#count % BLOCK === 0) this.#flush()
  }

  addId(event_id: string, number: number): void {
    const value = Buffer.alloc(4)
    value.writeUInt32LE(number)
    this.#trees.ids.putSync(idBytes(event_id), value, { append: true })
  }

  async close(): Promise<void> {
    this.batch(() => this.#flush())
    await this.#trees.root.close()
  }

  #flush(): void {
    if (this.#lines.length === 0) return
    const block = Math.ceil(this.#count / BLOCK) - 1
    this.#trees.blocks.putSync(block, zstdCompressSync(Buffer.concat(this.#lines), FAST), { append: true })
    this.#lines = []
  }
}

const LINE_END = Uint8Array.of(SEPARATOR)
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const OPTIONS = {
  noSubdir: true,
  encoding: 'binary',
  keyEncoding: 'binary',
  maxDbs: 2,
  pageSize: 8192,
} as const

function treesOf(root: RootDatabase<Buffer, Buffer>): Trees {
  return {
    blocks: root.openDB({ name: 'blocks', encoding: 'binary', keyEncoding: 'uint32' }),
    ids: root.openDB({ name: 'ids', encoding: 'binary', keyEncoding: 'binary' }),
    root,
  }
}

function idBytes(event_id: string): Buffer {
  return Buffer.from(event_id.replaceAll('-', ''), 'hex')
}
