import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect } from 'vitest'
import { isUnitTest } from './unit-tests.ts'

// The test runner runs this file before each test file. Test files share processes, so the original functions are put back afterwards.
const TESTS = fileURLToPath(new URL('..', import.meta.url))
const file = relative(TESTS, expect.getState().testPath ?? '')

if (isUnitTest(file)) {
  const { spawn, fork, exec, execFile, spawnSync, execSync, execFileSync } = childProcess
  const original = { spawn, fork, exec, execFile, spawnSync, execSync, execFileSync }
  const refuse = (): never => {
    throw new Error(`test/${file} starts a process: add it to NOT_UNIT in test/support/unit-tests.ts`)
  }
  for (const name of Object.keys(original)) Object.assign(childProcess, { [name]: refuse })
  syncBuiltinESMExports()
  afterAll(() => {
    Object.assign(childProcess, original)
    syncBuiltinESMExports()
  })
}
