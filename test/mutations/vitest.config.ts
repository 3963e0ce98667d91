import { defineConfig, mergeConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import base from '../vitest.config.ts'

const ORDER = (process.env['PLATBOOK_TEST_ORDER'] ?? '').split(',')

/** Runs test files in the order of `PLATBOOK_TEST_ORDER`. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number =>
      ORDER.findIndex((path) => moduleId.endsWith(path))
    return [...files].sort((left, right) => place(left) - place(right))
  }
}

export default mergeConfig(
  base,
  defineConfig({ test: { maxWorkers: 1, bail: 1, sequence: { sequencer: InOrder } } }),
)
