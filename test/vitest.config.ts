import { defineConfig } from 'vitest/config'

// Two workers: the machine that every change is measured on has two cores, and DuckDB brings threads of its own.
export default defineConfig({
  test: {
    dir: 'test',
    include: ['**/*.test.ts'],
    exclude: ['slow/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
