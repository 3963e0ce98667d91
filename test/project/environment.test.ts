import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { loadConfig, Variables } from '../../src/config.ts'

const example = await readFile(new URL('../../.env.example', import.meta.url), 'utf8')
const settings = [...example.matchAll(/^#([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name = '', value = '']) => ({
  name,
  value,
}))

test('.env.example has every variable of src/config.ts once', () => {
  expect(settings.map(({ name }) => name).toSorted()).toEqual(Object.keys(Variables.shape).toSorted())
})

test('.env.example shows the default of each variable', () => {
  const shown = settings.filter(({ value }) => value !== '')
  expect(loadConfig(Object.fromEntries(shown.map(({ name, value }) => [name, value])))).toEqual(
    loadConfig({}),
  )
  const withoutValue = settings.filter(({ value }) => value === '').map(({ name }) => name)
  const defaults: Record<string, unknown> = { ...loadConfig({}) }
  expect(withoutValue.filter((name) => ![undefined, '[]'].includes(JSON.stringify(defaults[name])))).toEqual(
    [],
  )
})

const isSetting = (line: string): boolean => /^#[A-Z]/.test(line)

test('.env.example describes each variable, or the group of variables, in the line above', () => {
  const lines = example.split('\n')
  const bare = lines.filter((line, at) => {
    const above = lines[at - 1] ?? ''
    return isSetting(line) && !isSetting(above) && !above.startsWith('# ')
  })
  expect(bare).toEqual([])
})
