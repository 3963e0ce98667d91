import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { LOCK_PATH, LockFile, missingOptional, undescribed } from '../support/complete-lock.ts'

const lock = LockFile.parse(JSON.parse(await readFile(LOCK_PATH, 'utf8')))

test('the lock file names every optional package of every platform', () => {
  expect(missingOptional(lock)).toEqual([])
})

test('the lock file names no registry', () => {
  expect(Object.values(lock.packages).filter((entry) => entry.resolved !== undefined)).toEqual([])
})

// Without `bin` npm makes no node_modules/.bin/node; without `libc` it puts a Node for glibc first on Alpine.
test('each platform package says which libc it needs, and each Node which file is the command', () => {
  expect(undescribed(lock)).toEqual([])
})

test('every package but those of foreign platforms has an integrity', () => {
  const unchecked = Object.entries(lock.packages).filter(
    ([path, entry]) => path !== '' && entry.integrity === undefined && entry['os'] === undefined,
  )
  expect(unchecked).toEqual([])
})
