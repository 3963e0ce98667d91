import type { CommandIo } from './io.ts'

/** Publishes the snapshot of invented people for test keys, unless it exists. Running servers open it by themselves. */
export async function publishTestData(io: CommandIo): Promise<void> {
  // Imported on demand, because other actions of `platbook keys` do not need DuckDB.
  const { publishScenarios } = await import('../scenarios/publish-scenarios.ts')
  const { testSnapshots } = io.config.paths
  if (await publishScenarios(testSnapshots, io.signal)) {
    io.err(`published the invented people for test keys in ${testSnapshots}`)
  }
}
