import { mergeConfig } from 'vitest/config'
import { STARTS_PROCESSES } from './support/test-groups.ts'
import config from './vitest.config.ts'

/** `npm test`: the tests that start no process, in at most five minutes on two cores. */
export default mergeConfig(config, { test: { exclude: STARTS_PROCESSES } })
