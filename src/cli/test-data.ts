import type { CommandIo } from './io.ts'

/** Publishes the invented people that test keys are answered from, unless they are there. Running servers notice. */
export async function publishTestData(io: CommandIo): Promise<void> {
  // Loaded here only: other uses of `platbook keys` need no engine.
  const { publishScenarios } = await import('../scenarios/publish-scenarios.ts')
  const { testSnapshots } = io.config.paths
  if (await publishScenarios(testSnapshots, io.signal)) {
    io.err(`published the invented people for test keys in ${testSnapshots}`)
  }
}
