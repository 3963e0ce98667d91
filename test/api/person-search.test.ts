import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { PersonSearchAnswer } from '../../src/api/answers/person.ts'
import { STATE_CODES } from '../../src/api/state-codes.ts'
import { INVENTED } from '../support/published.ts'
import { sharedApi } from './support.ts'

const api = sharedApi()
type Found = z.output<typeof PersonSearchAnswer>['results'][number]

async function search(query: Record<string, string>): Promise<z.output<typeof PersonSearchAnswer>> {
  const reply = await api.get(`/v2/person/?${new URLSearchParams(query).toString()}`)
  expect([query, reply.statusCode]).toEqual([query, 200])
  return PersonSearchAnswer.parse(reply.json())
}

async function idsOf(query: Record<string, string>): Promise<(string | null)[]> {
  return (await search(query)).results.map(({ id }) => id)
}

async function only(query: Record<string, string>): Promise<Found> {
  const { results } = await search(query)
  expect([query, results.length]).toEqual([query, 1])
  return results[0]!
}

async function refusal(query: string): Promise<{ long_message: string; meta: unknown }> {
  const reply = await api.get(`/v2/person/?${query}`)
  expect([query, reply.statusCode]).toEqual([query, 400])
  return reply.json<{ error: { long_message: string; meta: unknown } }>().error
}

const { jane, john, johnInMiami, walter, maria, linh, catherine, jonathan } = INVENTED

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

  test('every parameter that is given must hold', async () => {
    const all = { name: 'Jane Smith', phone: '5125550101', email: 'jane.smith@example.com', city: 'Austin', zipcode: '78701', state_code: 'TX', min_age: '40', max_age: '50', strict_match: 'true' } // prettier-ignore
    expect(await idsOf(all)).toEqual([jane])
    for (const other of [{ phone: '5125550142' }, { email: 'x@example.com' }, { zipcode: '78704' }, { state_code: 'FL' }, { name: 'John Smith' }, { max_age: '45' }]) {
      expect([other, await idsOf({ ...all, ...other })]).toEqual([other, []])
    } // prettier-ignore
  })

  test('min_age and max_age are whole numbers from 18 to 65', async () => {
    for (const age of ['18', '65']) await search({ name: 'Jane', min_age: age })
    for (const age of ['17', '66', '30.5', 'x', '']) {
      expect((await refusal(`name=Jane&min_age=${age}`)).meta).toMatchObject({ field: 'min_age' })
      expect((await refusal(`name=Jane&max_age=${age}`)).meta).toMatchObject({ field: 'max_age' })
    }
  })

  test('people whose age is known and outside the range are left out, people of unknown age stay', async () => {
    // Jane is 46; Linh has no date of birth; Maria only a year, 1970; Walter is dead.
    expect(await idsOf({ name: 'Jane Smith', min_age: '46', max_age: '46' })).toEqual([jane])
    expect(await idsOf({ name: 'Jane Smith', min_age: '47', strict_match: 'true' })).toEqual([])
    expect(await idsOf({ name: 'Linh Tran', min_age: '60' })).toEqual([linh])
    expect(await idsOf({ name: 'Maria Cruz', min_age: '56', max_age: '56' })).toEqual([maria])
    expect(await idsOf({ name: 'Maria Cruz', max_age: '55', strict_match: 'true' })).toEqual([])
    expect(await idsOf({ name: 'Walter Graves', max_age: '20' })).toEqual([walter])
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

  test('results are sorted by match_score, highest first', async () => {
    const { results } = await search({ zipcode: '78745' })
    const scores = results.map(({ match_score }) => match_score ?? 0)
    expect(scores).toEqual(scores.toSorted((left, right) => right - left))
    for (const score of scores) expect(score >= 1 && score <= 99).toBe(true)
  })

  test('equal scores are ordered by completeness, then id, and pages repeat and leave out nobody', async () => {
    const whole: Found[] = []
    for (let page = 1; page <= 6; page += 1) whole.push(...(await search({ zipcode: '78745', page: String(page), page_size: '8' })).results) // prettier-ignore
    const { metadata } = await search({ zipcode: '78745' })
    expect(whole).toHaveLength(metadata.result_count)
    expect(new Set(whole.map(({ id }) => id)).size).toBe(metadata.result_count)
    // Of the fillers a higher id is more complete.
    for (const [index, one] of whole.entries()) {
      const next = whole[index + 1]
      if (next !== undefined && next.match_score === one.match_score) expect(one.id! > next.id!).toBe(true)
    }
  })

  test('page is 1 to 10 and 1 when not given, page_size 1 to 15 and 15 when not given', async () => {
    expect((await search({ zipcode: '78745' })).metadata).toMatchObject({ page: 1, page_size: 15 })
    expect((await search({ zipcode: '78745' })).results).toHaveLength(15)
    expect((await search({ zipcode: '78745', page: '10', page_size: '1' })).results).toHaveLength(1)
    for (const query of ['page=0', 'page=11', 'page=1.5', 'page_size=0', 'page_size=16', 'page=']) {
      expect((await refusal(`zipcode=78745&${query}`)).meta).toMatchObject({ field: query.split('=')[0] })
    }
  })

  test('result_count is the total on all pages; there are more when it is greater than page x page_size', async () => {
    const { results, metadata } = await search({ zipcode: '78745', page: '5', page_size: '10' })
    expect(metadata).toEqual({ result_count: 43, page: 5, page_size: 10 })
    expect(results).toHaveLength(3)
    expect((await search({ zipcode: '78745', page: '6', page_size: '10' })).results).toEqual([])
  })

  test('no match is 200 with an empty list and a count of 0', async () => {
    expect(await search({ name: 'Nobody Atall' })).toEqual({
      results: [],
      metadata: { result_count: 0, page: 1, page_size: 15 },
    })
  })

  test('lists are capped at 4 phones, 3 e-mails, 5 past addresses, 5 properties; the metadata says what was left out', async () => {
    const found = await only({ name: 'Jane Smith' })
    expect(found.result_metadata).toEqual({
      details_url: `/v2/person/${jane}`,
      phones: { displayed: 4, additional: 2 },
      emails: { displayed: 3, additional: 2 },
      historic_addresses: { displayed: 5, additional: 2 },
      owned_properties: { displayed: 2, additional: 0 },
    })
    expect([found.phones, found.emails, found.historic_addresses, found.owned_properties].map((list) => list.length)).toEqual([4, 3, 5, 2]) // prettier-ignore
  })

  test('lists are sorted by score, highest first', async () => {
    const { phones, emails } = await only({ name: 'Jane Smith' })
    for (const list of [phones, emails]) {
      const scores = list.map(({ score }) => score)
      expect(scores).toEqual(scores.toSorted((left, right) => right - left))
    }
  })

  test('a searched phone is pinned to the first place and survives the cap', async () => {
    const found = await only({ phone: '5125550105' })
    expect(found.phones.map(({ number }) => number)).toEqual(['(512) 555-0105', '(512) 555-0101', '(512) 555-0100', '(512) 555-0102']) // prettier-ignore
    expect(found.result_metadata.phones).toEqual({ displayed: 4, additional: 2 })
  })

  test('a searched e-mail address is pinned to the first place and survives the cap', async () => {
    const { emails } = await only({ email: 'jas@example.com' })
    expect(emails.map(({ email }) => email)).toEqual(['jas@example.com', 'jane.smith@example.com', 'jsmith@example.com']) // prettier-ignore
  })

  test('phones are in national format, of a known type, with a score', async () => {
    const { phones } = await only({ name: 'Jane Smith' })
    expect(phones[0]).toEqual({ number: '(512) 555-0101', type: 'mobile', score: 96 })
  })

  test('matched_by names what the search asked for, in a fixed order', async () => {
    const query = { name: 'Jane Smith', phone: '5125550101', email: 'jane.smith@example.com', city: 'Austin', min_age: '20' } // prettier-ignore
    expect((await only(query)).matched_by).toEqual(['name', 'phone', 'email', 'address', 'age'])
    expect((await only({ city: 'Miami Beach', first_name: 'Linh', min_age: '20' })).matched_by).toEqual(['name', 'address']) // prettier-ignore
  })

  test('match_score is 60 % how well the input matches and 40 % how complete the record is', async () => {
    // Completeness 95 and 75: 60 + 40 × 0.95, and for the alias 0.95 × 60 + 40 × 0.95.
    expect((await only({ name: 'Jane Ann Smith' })).match_score).toBe(98)
    expect((await only({ name: 'Jane Doe' })).match_score).toBe(95)
    expect((await only({ name: 'John Robert Smith' })).match_score).toBe(90)
  })

  test('a deceased person is returned with is_dead and without an age', async () => {
    expect(await only({ name: 'Walter Graves' })).toMatchObject({
      id: walter,
      is_dead: true,
      age: null,
      date_of_birth: '1931-02-03',
    })
  })

  test('an age is computed from the date of birth, by the year alone where only that is known, else null', async () => {
    expect(await only({ name: 'Jane Ann Smith' })).toMatchObject({ age: 46, date_of_birth: '1980-05-17' })
    expect(await only({ name: 'Maria Cruz' })).toMatchObject({ age: 56, date_of_birth: '1970-00-00' })
    expect(await only({ name: 'Linh Tran' })).toMatchObject({ age: null, date_of_birth: null })
  })

  test('an owner of the phone whom nothing resolves is a result without id, details or caps', async () => {
    expect(await only({ phone: INVENTED.namedPhone })).toEqual({
      id: null,
      name: 'Yolanda',
      aliases: [],
      is_dead: false,
      age: null,
      date_of_birth: null,
      linkedin_url: null,
      company_name: null,
      job_title: null,
      match_score: 50,
      matched_by: ['phone'],
      phones: [{ number: '(305) 555-0171', type: 'mobile', score: 40 }],
      emails: [],
      current_addresses: [],
      historic_addresses: [],
      owned_properties: [],
      relatives: [],
      result_metadata: {
        details_url: null,
        phones: { displayed: 1, additional: 0 },
        emails: { displayed: 0, additional: 0 },
        historic_addresses: { displayed: 0, additional: 0 },
        owned_properties: { displayed: 0, additional: 0 },
      },
    })
    expect((await search({ phone: INVENTED.namedPhone, name: 'yolanda' })).metadata.result_count).toBe(1)
    expect((await search({ phone: INVENTED.namedPhone, name: 'Hector' })).metadata.result_count).toBe(0)
    expect((await search({ phone: INVENTED.namedPhone, state_code: 'FL' })).metadata.result_count).toBe(0)
  })

  test.each(['state_code=TX', 'min_age=30', 'radius=5', 'strict_match=true', 'middle_name=Ann', ''])(
    'too little input, %j: 400 that names the parameters of which one is needed',
    async (query) => {
      const { long_message, meta } = await refusal(query)
      expect(long_message).toContain('phone, email, name, first_name, last_name, street, city, zipcode')
      expect(meta).toBeNull()
    },
  )

  test('a parameter that takes one value and is given twice: 400', async () => {
    expect((await refusal('name=Jane&name=John')).meta).toEqual({
      field: 'name',
      validation_error: 'must be given only once',
    })
  })

  test('unknown parameters are ignored', async () => {
    expect(await idsOf({ name: 'Jane Smith', first: 'x', api_version: '3' })).toEqual([jane])
  })

  test('the path answers with and without the slash at its end', async () => {
    const one = await api.get('/v2/person?name=Jane+Smith')
    expect(one.statusCode).toBe(200)
    expect(one.body).toBe((await api.get('/v2/person/?name=Jane+Smith')).body)
  })
})
