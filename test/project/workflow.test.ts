import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const workflow = await readFile(new URL('../../.github/workflows/ci.yml', import.meta.url), 'utf8')

test('the workflow runs .ci/run on Linux x64, Linux arm64 and macOS', () => {
  const runners = [...workflow.matchAll(/runner: ([\w.-]+)/g)].map(([, runner]) => runner)
  expect(runners).toEqual(['ubuntu-24.04', 'ubuntu-24.04-arm', 'macos-15'])
  expect(workflow).toMatch(/- run: \.ci\/run$/m)
})

test('the workflow pins each action to a commit, uses no secret and may only read', () => {
  const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => action)
  expect(actions.length).toBeGreaterThan(0)
  for (const action of actions) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/)
  expect(workflow).not.toMatch(/secrets\.\w|: write/)
  expect(workflow).toMatch(/^permissions:\n {2}contents: read$/m)
})
