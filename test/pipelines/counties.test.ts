import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSources } from '../../src/ingest/sources.ts'

const root = join(import.meta.dirname, '../..')
const [header, ...lines] = (await readFile(join(root, 'data/reference/counties.csv'), 'utf8'))
  .trimEnd()
  .split('\n')
const counties = lines
  .map((line) => line.split(','))
  .map(([fips = '', name = '', state = '']) => ({ fips, name, state }))

function nameOf(fips: string): string | undefined {
  return counties.find((county) => county.fips === fips)?.name
}

test('counties: the counties of 2020 and of the territories, each once, in order', () => {
  expect(header).toBe('fips,name,state')
  expect(counties).toHaveLength(3234)
  expect(counties.map(({ fips }) => fips)).toEqual([...new Set(counties.map(({ fips }) => fips))].sort())
  expect(
    counties.every(
      ({ fips, name, state }) => /^\d{5}$/.test(fips) && name !== '' && /^[A-Z]{2}$/.test(state),
    ),
  ).toBe(true)
  expect(new Set(counties.map(({ state }) => state)).size).toBe(56)
})

test('counties: a name is unique in its state', () => {
  const names = counties.map(({ name, state }) => `${state} ${name}`)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('counties: the ones that sources name are there, in a state of theirs', async () => {
  const byFips = new Map(counties.map((county) => [county.fips, county]))
  for (const source of await loadSources([join(root, 'pipelines/sources')])) {
    const named = [...source.counties, ...Object.values(source.codes['fips'] ?? {}).map(String)]
    for (const fips of named) expect(source.states, `${source.id} ${fips}`).toContain(byFips.get(fips)?.state)
  }
})

test('counties: names are the Census’s', () => {
  expect([
    nameOf('12086'),
    nameOf('12109'),
    nameOf('48453'),
    nameOf('36061'),
    nameOf('35013'),
    nameOf('24510'),
  ]).toEqual(['Miami-Dade', 'St. Johns', 'Travis', 'New York', 'Doña Ana', 'Baltimore city'])
})
