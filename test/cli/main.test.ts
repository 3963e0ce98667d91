import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runCommand } from '../support/command.ts'
import { withFolder } from '../support/folder.ts'

const SAMPLE = fileURLToPath(new URL('../../data/sample/day-1', import.meta.url))

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
  const { code, stderr } = await runCommand(['doctor'], { env: { PORT: 'ninety' } })
  expect(code).toBe(1)
  expect(stderr).toContain('PORT is set to "ninety": ')
})

test('a bad secret of the environment is named and not printed', async () => {
  const { code, stderr } = await runCommand(['doctor'], { env: { INTERNAL_TOKENS: 'hunter2' } })
  expect(code).toBe(1)
  expect(stderr).toContain(
    'INTERNAL_TOKENS is set to 7 characters, not shown here: a token has at least 24 characters',
  )
  expect(stderr).not.toContain('hunter2')
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

test('doctor names what is loaded and late, and not the files without records', async () => {
  await withFolder(async (data) => {
    const feed = join(data, 'landing', 'us-nanpa-central-office-codes')
    await mkdir(join(data, 'landing'))
    await cp(join(SAMPLE, 'us-nanpa-central-office-codes'), feed, { recursive: true })
    await writeFile(join(feed, 'allutlzd_20261105.txt'), '')
    const night = await runCommand(['ingest', '--data', data])
    expect(night).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('allutlzd_20261105.txt: the file is empty') as string,
    })
    const { code, stdout } = await runCommand(['doctor', '--data', data])
    expect(code).toBe(1)
    expect(stdout).toMatch(/us\/nanpa\.central-office-codes +2 files .* newest 2026-01-05, \d+ days late/)
    expect(stdout).toMatch(
      /us\/nanpa\.central-office-codes is \d+ days late: newest file of 2026-01-05, due every 31/,
    )
  })
}, 180_000)
