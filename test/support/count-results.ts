/** Prints `N passed, N failed` (and skipped ones) from vitest's JSON report; fails when there is none or nothing ran. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'

const Report = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numFailedTestSuites: z.int(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
})

const path = process.argv[2]
if (path === undefined) throw new Error('usage: count-results.ts REPORT.json')
const report = Report.parse(JSON.parse(await readFile(path, 'utf8')))

// A test file that could not even be loaded has no assertions to count, and must not pass for nothing.
const unloaded = report.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.length === 0,
).length
const failed = report.numFailedTests + unloaded
const skipped = report.numPendingTests > 0 ? `, ${report.numPendingTests} skipped` : ''
console.log(`${report.numPassedTests} passed, ${failed} failed${skipped}`)
if (report.numPassedTests === 0 || failed > 0) process.exitCode = 1
