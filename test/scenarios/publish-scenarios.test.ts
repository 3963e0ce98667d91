import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publishScenarios } from '../../src/scenarios/publish-scenarios.ts'
import { scenarioRows } from '../../src/scenarios/world.ts'
import { withFolder } from '../support/folder.ts'

const signal = new AbortController().signal

test('the invented people are published once, whichever processes do so at the same time', async () => {
  await withFolder(async (folder) => {
    const both = await Promise.all([publishScenarios(folder, signal), publishScenarios(folder, signal)])
    expect(both).toContain(true)
    const version = (await readFile(join(folder, 'current'), 'utf8')).trim()
    expect((await readdir(folder)).sort()).toEqual([version, 'current'])
    expect(await publishScenarios(folder, signal)).toBe(false)
  })
})

test('every phone is a 555 number, and every e-mail address and profile is an example', () => {
  const rows = scenarioRows()
  for (const table of ['phones', 'person_phones', 'business_phones', 'phone_names'] as const)
    for (const { phone } of rows[table] ?? []) expect(phone).toMatch(/^151255501\d\d$/)
  for (const { email } of rows.person_emails ?? []) expect(email).toMatch(/@example\.com$/)
})
