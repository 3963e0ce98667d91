import { describe, expect, test } from 'vitest'
import { INVENTED } from '../support/published.ts'
import { peopleSearch } from './people-search.ts'

const { search, idsOf, refusal } = peopleSearch()
const { jane, john, johnInMiami, catherine, jonathan } = INVENTED

describe('GET /v2/person/', () => {
  test.each([
    '5125550101',
    '15125550101',
    '+15125550101',
    '+1 512 555 0101',
    '(512) 555-0101',
    '1 (512) 555-0101',
    '512-555-0101',
    '512.555.0101',
    '512 555 0101',
  ])('phone may be written %s', async (phone) => {
    expect(await idsOf({ phone })).toEqual([jane])
  })

  test.each([
    '512555010',
    '55125550101',
    '25125550101',
    '512-555-01O1',
    '0125550101',
    '+44 20 7946 0958',
    '5120550101',
  ])('phone %s is no such number: 400', async (phone) => {
    expect((await refusal(new URLSearchParams({ phone }).toString())).meta).toMatchObject({ field: 'phone' })
  })

  test.each(['jane', 'jane@example', 'jane smith@example.com', 'a@b@example.com', '@example.com'])(
    'email %s does not look like local@domain.tld: 400',
    async (email) => {
      expect((await refusal(new URLSearchParams({ email }).toString())).meta).toMatchObject({
        field: 'email',
      })
    },
  )

  test('email finds its person, in any case', async () => {
    expect(await idsOf({ email: 'Jane.Smith@EXAMPLE.com' })).toEqual([jane])
  })

  test.each(['first_name', 'middle_name', 'last_name'])(
    'name cannot be combined with %s: 400',
    async (part) => {
      const { long_message, meta } = await refusal(`name=Jane+Smith&${part}=Jane`)
      expect(long_message).toContain(part)
      expect(meta).toEqual({ field: 'name', validation_error: `cannot be combined with ${part}` })
    },
  )

  test.each([
    ['a full name', 'Jane Ann Smith'],
    ['first and last name', 'Jane Smith'],
    ['any order of the words', 'Smith Jane'],
    ['a first name alone', 'Jane'],
    ['beginnings of words', 'Jan Smi'],
    ['any case, accents and punctuation', 'jáne  SMITH,'],
    ['a suffix that is left aside', 'Jane Smith Jr.'],
    ['another name of the person', 'Jane Doe'],
  ])('name takes %s', async (_, name) => {
    expect(await idsOf({ name, city: 'Austin' })).toEqual([jane])
  })

  test('first_name, middle_name and last_name are compared with the parts that they name', async () => {
    expect(await idsOf({ first_name: 'jane', middle_name: 'ANN', last_name: 'Smith' })).toEqual([jane])
    expect(await idsOf({ first_name: 'Smith', last_name: 'Jane', strict_match: 'true' })).toEqual([])
    expect(await idsOf({ last_name: 'Smith', strict_match: 'true' })).toEqual(
      expect.arrayContaining([jane, john, johnInMiami]),
    )
  })

  test.each([
    ['a sound', 'Katherine Obrien', catherine],
    ['a nickname', 'Cathy Obrien', catherine],
    ['an initial', 'C Obrien', catherine],
    ['a typo of one letter in a short word', 'Jame Smith', jane],
    ['a typo of two letters in a long word', 'Jonatahm Smythe', jonathan],
  ])('include_fuzzy_matching finds %s on the first pass', async (_, name, id) => {
    expect(await idsOf({ name, include_fuzzy_matching: 'true' })).toContain(id)
  })

  test('include_fuzzy_matching is off unless it is asked for: whoever is found exactly is all', async () => {
    const exact = await idsOf({ name: 'John Smith' })
    const fuzzy = await idsOf({ name: 'John Smith', include_fuzzy_matching: 'true' })
    expect(exact).toEqual(expect.arrayContaining([john, johnInMiami]))
    expect(exact).toHaveLength(2)
    expect(fuzzy).toContain(jonathan)
  })

  test('an exact match always ranks above a fuzzy one', async () => {
    const { results } = await search({ name: 'John Smith', include_fuzzy_matching: 'true' })
    expect(new Set(results.slice(0, 2).map(({ id }) => id))).toEqual(new Set([john, johnInMiami]))
    expect(Math.min(...results.slice(0, 2).map((one) => one.match_score ?? 0))).toBeGreaterThanOrEqual(50)
    expect(Math.max(...results.slice(2).map((one) => one.match_score ?? 0))).toBeLessThan(50)
  })

  test('when the exact search finds nobody, names are matched fuzzily on the same request', async () => {
    expect(await idsOf({ name: 'Katherine Obrien' })).toEqual([catherine])
    expect(await idsOf({ first_name: 'Kathy', last_name: 'OBrian' })).toEqual([catherine])
  })

  test('when nobody is found fuzzily either, the place is widened to 5, then 25 miles', async () => {
    // Jane's neighbours in 78704 are 2.3 miles away, Round Rock 16.
    expect(await idsOf({ name: 'Catherine Obrien', zipcode: '78701' })).toEqual([catherine])
    expect(await idsOf({ name: 'Catherine Obrien', city: 'Round Rock' })).toEqual([catherine])
    expect(await idsOf({ name: 'John Smith', city: 'Round Rock' })).toEqual([john])
    expect(await idsOf({ name: 'Linh Tran', city: 'Austin' })).toEqual([])
  })

  test('strict_match suppresses both fallbacks', async () => {
    expect(await idsOf({ name: 'Katherine Obrien', strict_match: 'true' })).toEqual([])
    expect(await idsOf({ name: 'Catherine Obrien', zipcode: '78701', strict_match: 'true' })).toEqual([])
  })

  test('strict_match and include_fuzzy_matching cannot both be true: 400', async () => {
    const { meta } = await refusal('name=Jane&strict_match=true&include_fuzzy_matching=true')
    expect(meta).toMatchObject({ field: 'strict_match' })
  })

  test.each([
    { strict_match: 'true' },
    { include_fuzzy_matching: 'true' },
    { strict_match: 'true', include_fuzzy_matching: 'false' },
    { strict_match: 'false', include_fuzzy_matching: 'true' },
    { strict_match: 'false', include_fuzzy_matching: 'false' },
  ])('%j is accepted', async (flags) => {
    expect(await idsOf({ name: 'Jane Smith', ...flags })).toContain(jane)
  })
})
