import { defineConfig } from 'vitest/config'
import { COMPILE_CACHE } from './support/compile-cache.ts'
import { ProcessesFirst } from './support/processes-first.ts'

// Packages are compiled once, not for each of the test files, and types are stripped once, not in every thread that they
// start: the cache is the one that `platbook` processes share.
process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE

// Two workers: the machine that every change is measured on has two cores, and DuckDB brings threads of its own. Not isolated:
// a process for each of the files would load DuckDB, Fastify and zod anew, half a second every time. Our own modules are still
// evaluated anew for each file.
export default defineConfig({
  test: {
    dir: 'test',
    include: ['**/*.test.ts'],
    exclude: ['slow/**', 'spark/**'],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    sequence: { sequencer: ProcessesFirst },
    globalSetup: 'test/support/run-folder.ts',
    setupFiles: ['test/support/umask.ts', 'test/support/no-processes.ts'],
    // `npm run coverage`. Processes that tests start are not counted.
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'pipelines/**/*.ts'],
      reporter: ['text-summary', 'html'],
    },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
