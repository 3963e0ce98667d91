import { defineConfig } from 'vitest/config'
import { postgresIsMissing } from './support/postgres.ts'
import { KEEPS_STATE } from './support/test-groups.ts'
import config from './vitest.config.ts'

const missing = postgresIsMissing()
if (missing !== null) console.log(`the tests of the state in PostgreSQL are skipped: ${missing}`)

/** `npm run test:postgres`: the tests of everything that keeps state, with the state in PostgreSQL in place of SQLite. */
export default defineConfig({
  test: {
    ...config.test,
    include: missing === null ? KEEPS_STATE : [],
    passWithNoTests: true,
    globalSetup: ['test/support/run-folder.ts', 'test/support/postgres-server.ts'],
  },
})
