import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { inject } from 'vitest'

const asked = new Map<string, Promise<string>>()

/**
 * The folder `name` of this test run, filled by `fill` for the first test file that asks; the others wait for it. Read only:
 * who changes something copies it.
 */
export function prepared(name: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const known = asked.get(name) ?? fillOnce(join(inject('runFolder'), name), fill)
  asked.set(name, known)
  return known
}

async function fillOnce(folder: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const lock = await locked(`${folder}.lock`)
  try {
    if (lock.prepare('pragma user_version').get()?.['user_version'] === FILLED) return folder
    // A test that has run out of time leaves half of it.
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder)
    await fill(folder)
    lock.exec(`pragma user_version = ${FILLED}; commit`)
    return folder
  } finally {
    lock.close()
  }
}

// SQLite's own way of waiting holds up the thread, and the test runner takes a thread that is silent for a minute for dead.
async function locked(path: string): Promise<DatabaseSync> {
  const lock = new DatabaseSync(path, { timeout: 0 })
  for (;;) {
    try {
      lock.exec('begin exclusive')
      return lock
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error
      await setTimeout(50)
    }
  }
}

const SQLITE_BUSY = 5
const FILLED = 1
