import { join } from 'node:path'
import { type Database, open, type RootDatabase, type Transaction } from 'lmdb'
import { AppError } from '../../errors.ts'
import { prepareLmdbFile } from '../../lmdb-file.ts'

/** The index file inside a snapshot's `lookup/` folder. Its lock file belongs to readers and is no part of the snapshot. */
export const INDEX_FILE = 'index.mdb'

/**
 * The B-trees of the index. Numbers (`u32`) are dense inside one snapshot and little-endian in values.
 * `ids` and the texts are binary keys; the others are unsigned integers.
 */
export interface Store {
  /** P…, R…, A… id → u32 number of the person, property, address. An id that was merged away gives the survivor's number. */
  readonly ids: Database<Buffer, Buffer>
  /** e-mail address → (u32 person, u32 score)… */
  readonly emails: Database<Buffer, Buffer>
  /** word number → u32 people who have the word in any name, ascending */
  readonly words: Database<Buffer, number>
  /** phonetic key → u32 word numbers */
  readonly sounds: Database<Buffer, Buffer>
  /** hash of a word with letters left out, upper 16 bits → (u32 word number, u32 hash)…, by hash */
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

// It makes little difference: of a million people, in pages of 4, 8 and 16 KiB, the file has 124, 123 and 122 MB; a value of
// `ids` is read in 1.1, 1.3 and 1.3 µs, one of `words` in 0.4, one of `deletions` in 0.8, 0.7 and 0.6.
const PAGE_SIZE = 8192

/** Opens the index that a snapshot folder's `lookup/` holds, for any number of readers in any number of processes. */
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
    const store = openTrees(root)
    readInOneTransaction(store)
    return store
  } catch (error) {
    // A service tries a broken snapshot again and again.
    void root.close()
    throw error
  }
}

// lmdb ends the transaction that reads share by a timer, in every turn of the loop in which something was read: half a
// microsecond a request. A file that never changes can be read in one transaction as long as it is open.
function readInOneTransaction({ root, ...trees }: Store): void {
  const transaction = root.useReadTransaction()
  const options = { transaction }
  for (const tree of Object.values(trees) as Database<Buffer, Buffer | number>[]) {
    // Its types don't know the second parameter.
    const read: ReadIn = tree.getBinaryFast.bind(tree)
    tree.getBinaryFast = (key) => read(key, options)
  }
  const close = root.close.bind(root)
  root.close = () => {
    transaction.done()
    return close()
  }
}

type ReadIn = (key: Buffer | number, options: { transaction: Transaction }) => Buffer | undefined

/** Makes a new index for a publisher, who writes each tree in key order and syncs the file when all is in it. */
export function createStore(lookupFolder: string): Store {
  prepareLmdbFile(join(lookupFolder, INDEX_FILE))
  return openTrees(
    open<Buffer, Buffer>({
      path: join(lookupFolder, INDEX_FILE),
      noSubdir: true,
      pageSize: PAGE_SIZE,
      // Address space, not disk or memory: what an index may grow to.
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
    // What its types don't tell: a file that is only read may lack it.
    const tree: Database<Buffer, Buffer> | undefined = root.openDB({ name, encoding: 'binary', keyEncoding })
    if (tree === undefined) throw new AppError('bad_snapshot', `${INDEX_FILE} has no tree '${name}'`)
    return [name, tree]
  })
  return { ...Object.fromEntries(trees), root } as Store
}

/**
 * `bytes` as unsigned integers, in place; only valid until the next read of any store.
 * (What `getBinaryFast` gives is one large buffer with its `length` set; only that property tells where the value ends.)
 */
export function numbersOf(bytes: Buffer): Uint32Array {
  const length = bytes.length >>> 2
  if (bytes.byteOffset % 4 === 0) return new Uint32Array(bytes.buffer, bytes.byteOffset, length)
  const copy = new Uint8Array(length * 4)
  bytes.copy(copy, 0, 0, length * 4)
  return new Uint32Array(copy.buffer)
}

/** Nobody's numbers. */
export const NOBODY = new Uint32Array(0)

/** A posting as numbers of its own, which outlast the next read; nobody's when there is none. */
export function posting(bytes: Buffer | undefined): Uint32Array {
  return bytes === undefined ? NOBODY : numbersOf(bytes).slice()
}
