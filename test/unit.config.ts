import { mergeConfig } from 'vitest/config'
import { NOT_UNIT } from './support/test-groups.ts'
import config from './vitest.config.ts'

/** `npm run test:unit`: the tests that start no process and make no nightly run, in at most 40 seconds on two cores. */
export default mergeConfig(config, { test: { exclude: NOT_UNIT } })
