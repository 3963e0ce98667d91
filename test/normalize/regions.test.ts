import { expect, test } from 'vitest'
import { loadRegions } from '../../src/normalize/regions.ts'

const regions = loadRegions()

test('states and territories are those of the Census, each with a slug of its own', () => {
  expect(regions.states).toHaveLength(56)
  expect(new Set(regions.states.map(({ slug }) => slug)).size).toBe(56)
  expect(regions.states).toContainEqual({ slug: 'new_york', state_code: 'NY', name: 'New York' })
  expect(regions.states.map(({ state_code }) => state_code)).not.toContain('TT')
})

test('every county has a slug that no other county of its state has', () => {
  let count = 0
  for (const { state_code } of regions.states) {
    const counties = regions.counties(state_code) ?? []
    expect([state_code, counties.length]).not.toEqual([state_code, 0])
    expect(new Set(counties.map(({ slug }) => slug)).size).toBe(counties.length)
    count += counties.length
  }
  expect(count).toBe(3234)
  expect(regions.counties('FL')).toContainEqual({
    slug: 'miami_dade',
    name: 'Miami-Dade',
    fips_code: '12086',
  })
  expect(regions.counties('NM')).toContainEqual({ slug: 'dona_ana', name: 'Doña Ana', fips_code: '35013' })
})

test('a county is found by FIPS code', () => {
  expect(regions.stateOf('48453')).toBe('TX')
  expect(regions.stateOf('48454')).toBeNull()
})

test.each([
  ['state:tx', { state_code: 'TX', fips_code: null }],
  ['STATE:TX', { state_code: 'TX', fips_code: null }],
  ['county:tx.travis', { state_code: 'TX', fips_code: '48453' }],
  ['County:FL.Miami-Dade', { state_code: 'FL', fips_code: '12086' }],
  ['county:48453', { state_code: 'TX', fips_code: '48453' }],
])('%s is a region', (text, region) => {
  expect(regions.read(text)).toEqual({ kind: 'region', region })
})

test.each([
  '',
  'tx',
  'state',
  'state:',
  'state:texas',
  'county:travis',
  'city:tx.austin',
  'state:tx:ny',
  'county:4845',
])('%j is no region text', (text) => {
  expect(regions.read(text)).toEqual({ kind: 'malformed' })
})

test('a region that nothing is called tells the state that it names', () => {
  expect(regions.read('county:tx.nowhere')).toEqual({ kind: 'unknown', state_code: 'TX' })
  expect(regions.read('county:99999')).toEqual({ kind: 'unknown', state_code: null })
  expect(regions.read('county:zz.nowhere')).toEqual({ kind: 'unknown', state_code: null })
  expect(regions.read('state:tt')).toEqual({ kind: 'unknown', state_code: null })
})
