import { publishScenarios } from '../../src/scenarios/publish-scenarios.ts'
import { prepared } from './prepared.ts'

/** The folder of snapshots that test keys are answered from, published once for the whole test run; read only. */
export function scenarioSnapshots(): Promise<string> {
  return prepared('scenarios', (folder) => publishScenarios(folder, new AbortController().signal))
}
