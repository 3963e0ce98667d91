import { createHash } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../errors.ts'

/** An object of a store and its size. */
export interface StoredObject {
  readonly key: string
  readonly bytes: number
}

/** The content of a small object. `tag` changes with every write. */
export interface Tagged {
  readonly text: string
  readonly tag: string
}

/**
 * Objects below one place: a folder or a prefix of an S3 bucket. Keys are paths such as `a/b.parquet`, relative to that place. A reader
 * sees an object whole or not at all. Errors name the object and the next step, but no credentials.
 */
export interface Store {
  /** The place as the operator wrote it. Messages begin with it. */
  readonly url: string
  /** Returns the objects whose keys start with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<StoredObject>
  /**
   * Reads the bytes of an object in order.
   * @throws `not_in_store`
   */
  read(key: string): AsyncIterable<Uint8Array>
  /** Writes an object from a file, or replaces it. Memory use does not depend on the size. */
  putFile(key: string, path: string): Promise<void>
  /** Reads a small object with its tag. Returns null if it does not exist, and `same` if `tag` is still its tag. */
  readTagged(key: string, tag?: string): Promise<Tagged | 'same' | null>
  /**
   * Writes a small object if its tag is still `tag`; null means that the object must not exist. Returns the new tag. Two writers
   * with the same tag must write different texts, because a repeated request is recognized by its text.
   * @throws `changed_in_store` when another writer was first
   */
  putTagged(key: string, text: string, tag: string | null): Promise<string>
  /** Removes an object. It is no error if the object does not exist. */
  remove(key: string): Promise<void>
  close(): void
}

const KEY = /^[\w=-][\w.=-]*(?:\/[\w=-][\w.=-]*)*$/

/** Whether `key` is a relative path without `..` and without names that start with a dot, which folders reserve for unfinished files. */
export function isKey(key: string): boolean {
  return KEY.test(key) && key.length <= 512
}

/** @throws `bad_input` when `key` is no key */
export function checkKey(store: Pick<Store, 'url'>, key: string): void {
  if (isKey(key)) return
  throw new AppError(
    'bad_input',
    `'${key.slice(0, 200)}' cannot be the name of an object in ${store.url}: use letters, digits, '-', '_', '.', '=' and '/'`,
  )
}

/**
 * Copies an object to a file, which it creates or replaces, and flushes the file to the disk. Returns size and SHA-256 of the file.
 * @throws `not_in_store`; `bad_input` when the object is larger than `mostBytes`
 */
export async function download(
  store: Store,
  key: string,
  path: string,
  { mostBytes, mode = 0o666 }: { mostBytes: number; mode?: number },
): Promise<{ bytes: number; sha256: string }> {
  await mkdir(dirname(path), { recursive: true })
  await using file = await open(path, 'w', mode)
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of store.read(key)) {
    bytes += chunk.length
    if (bytes > mostBytes)
      throw new AppError(
        'bad_input',
        `${objectUrl(store, key)} is larger than the ${mostBytes} bytes that are expected: it is damaged, so use another one`,
      )
    hash.update(chunk)
    await file.writeFile(chunk)
  }
  await file.sync()
  return { bytes, sha256: hash.digest('hex') }
}

/** Returns the error of `putTagged` when another writer was first. */
export function changedBy(store: Pick<Store, 'url'>, key: string, cause?: unknown): AppError {
  return new AppError(
    'changed_in_store',
    `${objectUrl(store, key)} was changed by another process since it was read: nothing was written. Find out which other process writes there`,
    { cause },
  )
}

/** Returns the place of an object as messages show it. */
export function objectUrl({ url }: Pick<Store, 'url'>, key: string): string {
  return `${url}/${key}`
}

/** Returns the start of a URL for messages, without the part before `@`, in which people write credentials. */
export function withoutCredentials(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//').slice(0, 200)
}
