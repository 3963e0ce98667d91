import { describe, expect, test } from 'vitest'
import { STATE_CODES } from '../../src/api/state-codes.ts'
import { INVENTED } from '../support/published.ts'
import { peopleSearch } from './people-search.ts'

const { search, idsOf, refusal } = peopleSearch()
const { jane, johnInMiami, catherine, jonathan } = INVENTED

describe('GET /v2/person/', () => {
  test.each([
    ['the whole line', '123 N Main St Apt 4'],
    ['without the unit', '123 N Main St'],
    ['words for suffix and direction', '123 North Main Street'],
    ['the street alone', 'Main St'],
    ['number and name without suffix', '123 Main'],
  ])('street takes %s', async (_, street) => {
    expect(await idsOf({ street, city: 'Austin', first_name: 'Jane' })).toEqual([jane])
  })

  test('street with a unit finds that unit only', async () => {
    const query = { city: 'Austin', strict_match: 'true' }
    expect(await idsOf({ street: '123 N Main St Apt 5', ...query })).toEqual(['P0000000009'])
    expect(await idsOf({ street: '123 N Main St Apt 6', ...query })).toEqual([])
  })

  test('city is the full name of a city', async () => {
    expect(await idsOf({ name: 'Smith', city: 'miami beach' })).toEqual([johnInMiami])
    expect(await idsOf({ name: 'Smith', city: 'Miami', strict_match: 'true' })).toEqual([])
  })

  test('state_code takes every code of the enum, in any case, and no other', async () => {
    for (const code of STATE_CODES) await search({ name: 'Nobody', state_code: code, strict_match: 'true' })
    expect(await idsOf({ name: 'John Smith', state_code: 'fl' })).toEqual([johnInMiami])
    expect((await refusal('name=Jane&state_code=ZZ')).long_message).toContain('query -> state_code')
  })

  test('zipcode is exactly 5 digits', async () => {
    expect(await idsOf({ zipcode: '78701', last_name: 'Smythe' })).toEqual([jonathan])
    for (const zipcode of ['1234', '787011', '7870A', '78701-1234']) {
      expect((await refusal(`zipcode=${zipcode}`)).meta).toMatchObject({ field: 'zipcode' })
    }
  })

  test('without include_historical_locations only current addresses are searched, with it those of the past, too', async () => {
    const elm = { street: 'Elm St', city: 'Round Rock', strict_match: 'true' }
    expect(await idsOf(elm)).toEqual([])
    expect(await idsOf({ ...elm, include_historical_locations: 'false' })).toEqual([])
    expect(await idsOf({ ...elm, include_historical_locations: 'true' })).toEqual([jane])
  })

  test('all location parameters must hold for one and the same address', async () => {
    const asked = {
      street: '401 Elm St',
      city: 'Austin',
      include_historical_locations: 'true',
      strict_match: 'true',
    }
    expect(await idsOf(asked)).toEqual([])
    expect(await idsOf({ ...asked, city: 'Round Rock' })).toEqual([jane])
  })

  test('radius is 0.1 to 100 miles', async () => {
    for (const radius of ['0.1', '1e1', '100']) await search({ name: 'Jane', city: 'Austin', radius })
    for (const radius of ['0.09', '100.1', '-1', 'x', '1e400']) {
      expect((await refusal(`name=Jane&city=Austin&radius=${radius}`)).long_message).toContain(
        'query -> radius',
      )
    }
  })

  test('radius counts from the street, else the ZIP, else the city', async () => {
    // Oak Ave lies 2.3 miles from Main St, Cedar Ln about 4.9.
    const near = { name: 'Catherine Obrien', strict_match: 'true' }
    expect(await idsOf({ ...near, street: '125 N Main St', city: 'Austin', radius: '2' })).toEqual([])
    expect(await idsOf({ ...near, street: '125 N Main St', city: 'Austin', radius: '3' })).toEqual([
      catherine,
    ])
    expect(await idsOf({ ...near, zipcode: '78701', radius: '2' })).toEqual([])
    expect(await idsOf({ ...near, zipcode: '78701', radius: '3' })).toEqual([catherine])
    expect(await idsOf({ ...near, city: 'Austin', radius: '10' })).toEqual([catherine])
  })

  test('radius without a centre matches the address plainly', async () => {
    expect(await idsOf({ name: 'Jane Smith', state_code: 'TX', radius: '5' })).toEqual([jane])
    expect(await idsOf({ name: 'Jane Smith', city: 'Nowhere', radius: '5', strict_match: 'true' })).toEqual(
      [],
    )
  })
})
