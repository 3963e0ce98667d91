import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * What runs real processes and whole nights is run first: the last file of a run has the machine for itself, and one of a
 * minute would leave a core idle for as long.
 */
export class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return /\/test\/(?:cli|pipelines)\//.test(moduleId)
}
