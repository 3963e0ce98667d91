import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect } from 'vitest'
import { startsProcesses } from './test-groups.ts'

// The test runner runs this file before each test file. Test files share processes, so the original functions are put back afterwards.
const TESTS = fileURLToPath(new URL('..', import.meta.url))
const file = relative(TESTS, expect.getState().testPath ?? '')

if (!startsProcesses(file)) {
  const { spawn, fork, exec, execFile, spawnSync, execSync, execFileSync } = childProcess
  const original = { spawn, fork, exec, execFile, spawnSync, execSync, execFileSync }
  const refuse = (): never => {
    throw new Error(
      `test/${file} starts a process: add it to STARTS_PROCESSES in test/support/test-groups.ts`,
    )
  }
  for (const name of Object.keys(original)) Object.assign(childProcess, { [name]: refuse })
  syncBuiltinESMExports()
  afterAll(() => {
    Object.assign(childProcess, original)
    syncBuiltinESMExports()
  })
}
