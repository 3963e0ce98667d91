import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, readFileSync, renameSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError, messageOf } from '../errors.ts'
import { syncFile, syncFolder } from '../sync-files.ts'
import { changedBy, checkKey, objectUrl, type Store, type StoredObject } from './store.ts'

/** SQLite waits this long for a process that replaces a tagged object. It holds the lock for three system calls. */
const LOCK_WITHIN_MS = 10_000
const LOCK_FILE = '.lock'

/** Opens a store in a folder. The first object creates the folder. Files whose names start with a dot are not objects. */
export function openFolder(folder: string, signal: AbortSignal): Store {
  const store: Store = {
    url: folder,
    list: (prefix) => objectsIn(store, prefix),
    async *read(key) {
      checkKey(store, key)
      try {
        yield* createReadStream(join(folder, key), { signal }) as AsyncIterable<Uint8Array>
      } catch (cause) {
        throw failure(store, key, 'read', cause)
      }
    },
    async putFile(key, path) {
      await withTemporary(store, key, async (temporary) => {
        await copyFile(path, temporary)
        await syncFile(temporary)
        await rename(temporary, join(folder, key))
      })
    },
    async readTagged(key, tag) {
      checkKey(store, key)
      try {
        const text = await readFile(join(folder, key), 'utf8')
        return tagOf(text) === tag ? 'same' : { text, tag: tagOf(text) }
      } catch (cause) {
        if (isMissing(cause)) return null
        throw failure(store, key, 'read', cause)
      }
    },
    async putTagged(key, text, tag) {
      await withTemporary(store, key, async (temporary) => {
        await writeFile(temporary, text, { flush: true })
        const target = join(folder, key)
        const isReplaced = underLock(folder, () => {
          if (tagOfFile(target) !== tag) return false
          renameSync(temporary, target)
          return true
        })
        if (!isReplaced) throw changedBy(store, key)
      })
      return tagOf(text)
    },
    async remove(key) {
      checkKey(store, key)
      await rm(join(folder, key), { force: true }).catch((cause: unknown) => {
        throw failure(store, key, 'removed', cause)
      })
    },
    close: () => undefined,
  }
  return store
}

/** Runs `write` with the name of a new file beside the object, and removes that file when `write` fails. */
async function withTemporary(
  store: Store,
  key: string,
  write: (temporary: string) => Promise<void>,
): Promise<void> {
  checkKey(store, key)
  const target = join(store.url, key)
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}`)
  try {
    await mkdir(dirname(target), { recursive: true })
    await write(temporary)
    await syncFolder(dirname(target))
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw cause instanceof AppError ? cause : failure(store, key, 'written', cause)
  }
}

/**
 * Runs `body` while no other process runs one for this folder. The lock is a transaction of SQLite, which the operating system ends
 * when a process is killed. `body` is synchronous, because a waiting process blocks its thread.
 */
function underLock<T>(folder: string, body: () => T): T {
  const lock = new DatabaseSync(join(folder, LOCK_FILE), { timeout: LOCK_WITHIN_MS })
  try {
    lock.exec('begin exclusive')
    return body()
  } finally {
    lock.close()
  }
}

async function* objectsIn(store: Store, prefix: string): AsyncGenerator<StoredObject> {
  checkKey(store, `${prefix}-`)
  const folders = [prefix.slice(0, prefix.lastIndexOf('/') + 1)]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = await readdir(join(store.url, at), { withFileTypes: true }).catch((cause: unknown) => {
      if (isMissing(cause)) return []
      throw failure(store, at ?? '', 'listed', cause)
    })
    for (const entry of entries) {
      const key = `${at}${entry.name}`
      if (entry.name.startsWith('.') || !key.startsWith(prefix)) continue
      if (entry.isDirectory()) folders.push(`${key}/`)
      const found = entry.isFile() ? await sizeOf(join(store.url, key)) : null
      if (found !== null) yield { key, bytes: found }
    }
  }
}

/** Returns the size of a file; null when it was removed meanwhile. */
async function sizeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.size ?? null
}

function tagOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function tagOfFile(path: string): string | null {
  try {
    return tagOf(readFileSync(path, 'utf8'))
  } catch (cause) {
    if (isMissing(cause)) return null
    throw cause
  }
}

function isMissing(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException).code === 'ENOENT'
}

function failure(store: Store, key: string, done: string, cause: unknown): AppError {
  const place = objectUrl(store, key)
  if ((cause as Error).name === 'AbortError')
    return new AppError('stopped', `${place} cannot be ${done}: it was stopped`, { cause })
  if (isMissing(cause) && done === 'read')
    return new AppError('not_in_store', `${place} does not exist`, { cause })
  const { code } = cause as NodeJS.ErrnoException
  const next =
    code === 'ENOSPC' ? 'free space on its disk' : 'check that the folder exists and its permissions'
  return new AppError('store_failed', `${place} cannot be ${done} (${messageOf(cause)}): ${next}`, { cause })
}
