import { expect, test } from 'vitest'
import { runCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'

test('an unknown command ends with 2 and lists those there are', async () => {
  const { code, stderr } = await runCommand(['fly'])
  expect(code).toBe(2)
  expect(stderr).toContain("there is no command 'fly'")
  expect(stderr).toContain('nightly')
})

test('an unknown option ends with 2', async () => {
  const { code, stderr } = await runCommand(['nightly', '--fast'])
  expect(code).toBe(2)
  expect(stderr).toContain("'--fast'")
})

test('help says what every command is for', async () => {
  const { code, stdout } = await runCommand(['help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/doctor +\S/)
})

test('a bad environment is named by its variable', async () => {
  const { code, stderr } = await runCommand(['doctor'], { PORT: 'ninety' })
  expect(code).toBe(1)
  expect(stderr).toContain('PORT')
})

test('explain wants a person id', async () => {
  const { code, stderr } = await runCommand(['explain', 'somebody'])
  expect(code).toBe(2)
  expect(stderr).toContain('person id')
})

test('doctor on an empty data folder says what to do first', async () => {
  await withFolder(async (data) => {
    const { code, stdout } = await runCommand(['doctor', '--data', data])
    expect(code).toBe(1)
    expect(stdout).toContain('platbook nightly')
  })
})
