import { join } from 'node:path'
import { type Database, open, type RootDatabase } from 'lmdb'
import { AppError } from '../../errors.ts'
import { prepareLmdbFile } from '../../lmdb-file.ts'

/**
 * The LMDB file in a snapshot's `lookup/` folder. Readers create a lock file beside it, which is not part of
 * the snapshot.
 */
export const INDEX_FILE = 'index.mdb'

/**
 * The B-trees of the index. Values consist of u32 numbers (little-endian). People, properties, addresses and
 * words of a snapshot are numbered from 0. Keys are bytes in `ids`, `emails` and `sounds`, and unsigned
 * integers in `words` and `deletions`.
 */
export interface Store {
  /**
   * Id (P…, R…, A…) → number of the person, property or address. An id that was merged away has the number of
   * the person who remains.
   */
  readonly ids: Database<Buffer, Buffer>
  /** E-mail address → (u32 person, u32 score)… */
  readonly emails: Database<Buffer, Buffer>
  /** Word number → numbers of the people who have the word in any name, ascending. */
  readonly words: Database<Buffer, number>
  /** Phonetic key → word numbers. */
  readonly sounds: Database<Buffer, Buffer>
  /** Upper 16 bits of a deletion hash → (u32 word number, u32 hash)…, sorted by hash. */
  readonly deletions: Database<Buffer, number>
  readonly root: RootDatabase<Buffer, Buffer>
}

const TREES = {
  ids: 'binary',
  emails: 'binary',
  words: 'uint32',
  sounds: 'binary',
  deletions: 'uint32',
} as const

// Pages of 4, 8 and 16 KiB differ little in file size and in reading time (decisions/001-index.md).
const PAGE_SIZE = 8192

/** Opens the B-trees in a snapshot's `lookup/` folder. Any number of processes can read them at the same time. */
export function openStore(lookupFolder: string): Store {
  const root = open<Buffer, Buffer>({
    path: join(lookupFolder, INDEX_FILE),
    noSubdir: true,
    readOnly: true,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: 16,
    maxReaders: 512,
  })
  try {
    return openTrees(root)
  } catch (error) {
    // A service opens a broken snapshot again and again: without this, each attempt would leave the file
    // open.
    void root.close()
    throw error
  }
}

/**
 * Creates the B-trees of a new snapshot. The publisher writes each tree in key order and syncs the file at
 * the end.
 */
export function createStore(lookupFolder: string): Store {
  prepareLmdbFile(join(lookupFolder, INDEX_FILE))
  return openTrees(
    open<Buffer, Buffer>({
      path: join(lookupFolder, INDEX_FILE),
      noSubdir: true,
      pageSize: PAGE_SIZE,
      // The largest size that the file can have. It reserves addresses, not disk space or memory.
      mapSize: 2 ** 40,
      noSync: true,
      overlappingSync: false,
      encoding: 'binary',
      keyEncoding: 'binary',
      maxDbs: 16,
    }),
  )
}

function openTrees(root: RootDatabase<Buffer, Buffer>): Store {
  const trees = Object.entries(TREES).map(([name, keyEncoding]) => {
    // The types of lmdb hide that a file opened for reading may lack the tree.
    const tree: Database<Buffer, Buffer> | undefined = root.openDB({ name, encoding: 'binary', keyEncoding })
    if (tree === undefined) throw new AppError('bad_snapshot', `${INDEX_FILE} has no tree '${name}'`)
    return [name, tree]
  })
  return { ...Object.fromEntries(trees), root } as Store
}

/**
 * Returns `bytes` as unsigned integers without copying. They are valid until the next read of any store.
 * (`getBinaryFast` returns one large shared buffer and sets its `length`, so only that property has the
 * length of the value.)
 */
export function numbersOf(bytes: Buffer): Uint32Array {
  const length = bytes.length >>> 2
  if (bytes.byteOffset % 4 === 0) return new Uint32Array(bytes.buffer, bytes.byteOffset, length)
  const copy = new Uint8Array(length * 4)
  bytes.copy(copy, 0, 0, length * 4)
  return new Uint32Array(copy.buffer)
}

/** Returns the number of a person, property or address by id; null for an unknown id. */
export function numberOfId({ ids }: Store, id: string): number | null {
  return ids.getBinaryFast(Buffer.from(id))?.readUInt32LE(0) ?? null
}

/** An empty list of numbers. */
export const NOBODY = new Uint32Array(0)

/**
 * Returns a copy of the numbers in `bytes`, which stays valid after the next read. Returns an empty list when
 * `bytes` is undefined.
 */
export function posting(bytes: Buffer | undefined): Uint32Array {
  return bytes === undefined ? NOBODY : numbersOf(bytes).slice()
}
