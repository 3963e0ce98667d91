import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { LOCK_PATH, LockFile, missingOptional } from '../support/complete-lock.ts'

const lock = LockFile.parse(JSON.parse(await readFile(LOCK_PATH, 'utf8')))

test('the lock file names every optional package of every platform', () => {
  expect(missingOptional(lock)).toEqual([])
})

test('the lock file names no registry', () => {
  expect(Object.values(lock.packages).filter((entry) => entry.resolved !== undefined)).toEqual([])
})
