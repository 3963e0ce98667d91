import { describe, expect, test } from 'vitest'
import { INVENTED } from '../support/published.ts'
import { type Found, peopleSearch } from './people-search.ts'

const { api, search, idsOf, only, refusal } = peopleSearch()
const { jane, walter, maria, linh } = INVENTED

describe('GET /v2/person/', () => {
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
    // Among the filler people, a higher id means a more complete record.
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
