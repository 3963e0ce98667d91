import { defineConfig } from 'vitest/config'

// Minutes and gigabytes: not part of `npm test`. `npx vitest run --config test/slow/vitest.config.ts`
export default defineConfig({
  test: {
    dir: 'test/slow',
    include: ['**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    globalSetup: 'test/support/run-folder.ts',
    hookTimeout: 60_000,
  },
})
