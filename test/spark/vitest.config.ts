import { defineConfig } from 'vitest/config'

// A real Spark on loopback: Java 17 and Python 3 must be installed. Not part of `npm test`. `npm run test:spark`
export default defineConfig({
  test: {
    dir: 'test/spark',
    include: ['**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    globalSetup: 'test/support/run-folder.ts',
    testTimeout: 180_000,
    hookTimeout: 600_000,
  },
})
