import { defineConfig, mergeConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import base from '../vitest.config.ts'

const ORDER = (process.env['PLATBOOK_TEST_ORDER'] ?? '').split(',')

function placeOf({ moduleId }: TestSpecification): number {
  return ORDER.findIndex((path) => moduleId.endsWith(path))
}

/** Runs test files in the order of `PLATBOOK_TEST_ORDER`. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((left, right) => placeOf(left) - placeOf(right))
  }
}

export default mergeConfig(
  base,
  defineConfig({ test: { maxWorkers: 1, bail: 1, sequence: { sequencer: InOrder } } }),
)
