import { beforeAll, describe, expect, test } from 'vitest'
import { INVENTED } from '../support/published.ts'
import { type Api, inventedSnapshots, withApi } from './support.ts'
import { PersonAnswer, PersonSearchAnswer } from '../../src/api/answers/person.ts'
import { PhoneAnswer } from '../../src/api/answers/phone.ts'
import { PropertyAnswer, PropertySearchAnswer } from '../../src/api/answers/property.ts'

let snapshots: string
beforeAll(async () => {
  snapshots = await inventedSnapshots()
})

const withInvented = (body: (api: Api) => Promise<void>): Promise<void> => withApi(body, { snapshots })

describe('GET /v2/person/', () => {
  test('answers with people and the count of all pages', async () => {
    await withInvented(async ({ get }) => {
      const reply = await get('/v2/person/?name=Jane+Smith&state_code=TX')
      expect(reply.statusCode).toBe(200)
      const { results, metadata } = PersonSearchAnswer.parse(reply.json())
      expect(results.map(({ id }) => id)).toEqual([INVENTED.jane])
      expect(results[0]?.matched_by).toEqual(['name', 'address'])
      expect(results[0]?.result_metadata.details_url).toBe(`/v2/person/${INVENTED.jane}`)
      expect(metadata).toEqual({ result_count: 1, page: 1, page_size: 15 })
      expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.body)))
    })
  })

  test('without a match is 200 with an empty list and a count of 0', async () => {
    await withInvented(async ({ get }) => {
      const reply = await get('/v2/person/?name=Nobody+Atall&strict_match=true')
      expect(reply.statusCode).toBe(200)
      expect(reply.json()).toEqual({ results: [], metadata: { result_count: 0, page: 1, page_size: 15 } })
    })
  })

  test('pages hold what page and page_size say, everyone once', async () => {
    await withInvented(async ({ get }) => {
      const seen: (string | null)[] = []
      let total = 0
      for (let page = 1; page <= 10; page += 1) {
        const reply = PersonSearchAnswer.parse(
          (await get(`/v2/person/?city=Austin&page=${page}&page_size=7`)).json(),
        )
        expect(reply.metadata).toMatchObject({ page, page_size: 7 })
        total = reply.metadata.result_count
        seen.push(...reply.results.map(({ id }) => id))
      }
      expect(total).toBeGreaterThan(14)
      expect(seen).toHaveLength(total)
      expect(new Set(seen).size).toBe(total)
    })
  })

  test('a page behind the last is empty and still tells the count', async () => {
    await withInvented(async ({ get }) => {
      const { results, metadata } = (await get('/v2/person/?name=Jane+Smith&page=10')).json()
      expect(results).toEqual([])
      expect(metadata.result_count).toBe(1)
    })
  })

  test('is sorted by match_score, best first', async () => {
    await withInvented(async ({ get }) => {
      const { results } = PersonSearchAnswer.parse((await get('/v2/person/?last_name=Smith')).json())
      const scores = results.map(({ match_score }) => match_score ?? 0)
      expect(scores.length).toBeGreaterThan(1)
      expect(scores).toEqual(scores.toSorted((left, right) => right - left))
    })
  })

  test('hands phone, e-mail and every other parameter to the lookup', async () => {
    await withInvented(async ({ get }) => {
      for (const query of [
        'phone=%2B1%20(512)%20555-0101',
        'phone=+15125550101',
        'email=Jane.Smith@Example.com',
        'first_name=jane&last_name=SMITH',
        'street=123+North+Main+Street&zipcode=78701&first_name=Jane',
        'name=Jane+Smith&min_age=40&max_age=50',
        'street=Elm+St&city=Round+Rock&include_historical_locations=true&name=Jane+Smith',
        'name=Jane+Smith&city=Austin&radius=10',
      ]) {
        const { results } = PersonSearchAnswer.parse((await get(`/v2/person/?${query}`)).json())
        expect([query, results.map(({ id }) => id)]).toEqual([query, [INVENTED.jane]])
      }
    })
  })

  test('strict_match keeps it from falling back to fuzzy matching', async () => {
    await withInvented(async ({ get }) => {
      const found = async (query: string): Promise<number> =>
        PersonSearchAnswer.parse((await get(`/v2/person/?${query}`)).json()).metadata.result_count
      expect(await found('first_name=Katherine&last_name=Obrien&strict_match=true')).toBe(0)
      expect(await found('first_name=Katherine&last_name=Obrien&strict_match=false')).toBe(1)
      expect(await found('first_name=Katherine&last_name=Obrien')).toBe(1)
    })
  })

  test('answers with and without the slash at the end, and ignores parameters it does not know', async () => {
    await withInvented(async ({ get }) => {
      const one = await get('/v2/person/?name=Jane+Smith')
      const two = await get('/v2/person?name=Jane+Smith&zip=1&zip=2&unknown=')
      expect(two.statusCode).toBe(200)
      expect(two.body).toBe(one.body)
    })
  })
})

describe('GET /v2/person/{id}', () => {
  test('answers with everything known of the person, uncapped', async () => {
    await withInvented(async ({ get }) => {
      const reply = await get(`/v2/person/${INVENTED.jane}`)
      expect(reply.statusCode).toBe(200)
      const { result } = PersonAnswer.parse(reply.json())
      expect(result).toMatchObject({
        id: INVENTED.jane,
        name: 'Jane Ann Smith',
        date_of_birth: '1980-05-17',
        age: 46,
      })
      expect(result.phones).toHaveLength(6)
      expect(result.emails).toHaveLength(5)
      expect(result.historic_addresses).toHaveLength(7)
    })
  })

  test('ages people by the day of the request, not of the publication', async () => {
    await withApi(
      async ({ get, pass }) => {
        expect((await get(`/v2/person/${INVENTED.jane}`)).json().result.age).toBe(45)
        pass(1)
        expect((await get(`/v2/person/${INVENTED.jane}`)).json().result.age).toBe(46)
      },
      { snapshots, start: '2026-05-16T23:59:59.999Z' },
    )
  })

  test('of a person who was merged into another gives the one who is left', async () => {
    await withInvented(async ({ get }) => {
      const reply = await get(`/v2/person/${INVENTED.mergedIntoJane}`)
      expect(reply.statusCode).toBe(200)
      expect(reply.json().result.id).toBe(INVENTED.jane)
    })
  })

  test('of nobody is 404; ids differ in the case of their letters', async () => {
    await withInvented(async ({ get }) => {
      const reply = await get('/v2/person/Pzzzzzzzzzz')
      expect(reply.statusCode).toBe(404)
      expect(reply.json().error).toEqual({
        code: 404,
        message: 'Not Found',
        long_message: 'there is no person with the id Pzzzzzzzzzz',
        meta: null,
      })
    })
  })

  test('answers with and without the slash at the end, whatever parameters come with it', async () => {
    await withInvented(async ({ get }) => {
      const one = await get(`/v2/person/${INVENTED.jane}`)
      expect((await get(`/v2/person/${INVENTED.jane}/?a=1&a=2`)).body).toBe(one.body)
    })
  })
})

describe('GET /v2/property/', () => {
  test('answers with the property at the address', async () => {
    await withInvented(async ({ get }) => {
      const reply = await get(
        '/v2/property/?street=123+N+Main+St+Apt+4&city=Austin&state_code=TX&zipcode=78701',
      )
      expect(reply.statusCode).toBe(200)
      const { result } = PropertySearchAnswer.parse(reply.json())
      expect(result).toMatchObject({ property_id: INVENTED.flat, address_id: INVENTED.flatAddress })
      expect(result.property_metadata).toEqual({
        confidence_score: 100,
        match_type: 'exact',
        details_url: `/v2/property/${INVENTED.flat}`,
      })
      expect(result.ownership_info.person_owners.map(({ id }) => id)).toEqual([INVENTED.jane, INVENTED.john])
    })
  })

  test('without a match is 404 in the envelope', async () => {
    await withInvented(async ({ get }) => {
      const reply = await get('/v2/property/?street=1+Nowhere+Ln&zipcode=99999&strict_match=true')
      expect(reply.statusCode).toBe(404)
      expect(reply.json().error.long_message).toBe('no property matches the search parameters')
    })
  })

  test('answers with and without the slash at the end', async () => {
    await withInvented(async ({ get }) => {
      const query = 'street=125+N+Main+St&zipcode=78701'
      expect((await get(`/v2/property?${query}`)).body).toBe((await get(`/v2/property/?${query}`)).body)
    })
  })
})

describe('GET /v2/property/{property_id}', () => {
  test('answers with everything known of the property', async () => {
    await withInvented(async ({ get }) => {
      const reply = await get(`/v2/property/${INVENTED.flat}`)
      expect(reply.statusCode).toBe(200)
      const { result } = PropertyAnswer.parse(reply.json())
      expect(result).toMatchObject({
        property_id: INVENTED.flat,
        year_built: 1998,
        bedrooms: 2,
        bathrooms: 1.5,
      })
      expect(result.ownership_info.mortgages).toHaveLength(1)
    })
  })

  test('resolves an address id to its property', async () => {
    await withInvented(async ({ get }) => {
      const reply = await get(`/v2/property/${INVENTED.flatAddress}`)
      expect(reply.statusCode).toBe(200)
      expect(PropertyAnswer.parse(reply.json()).result.property_id).toBe(INVENTED.flat)
    })
  })

  test.each(['Rzzzzzzzzzz', 'Azzzzzzzzzz', 'A0000000005'])(
    '%s, which has no property, is 404',
    async (id) => {
      await withInvented(async ({ get }) => {
        const reply = await get(`/v2/property/${id}`)
        expect(reply.statusCode).toBe(404)
        expect(reply.json().error.long_message).toBe(`there are no property details for the id ${id}`)
      })
    },
  )
})

describe('GET /v2/phone/{phone}', () => {
  test('answers with the number, its people and its businesses', async () => {
    await withInvented(async ({ get }) => {
      const reply = await get(`/v2/phone/${INVENTED.sharedPhone}`)
      expect(reply.statusCode).toBe(200)
      const { phone, people } = PhoneAnswer.parse(reply.json())
      expect(phone).toMatchObject({
        e164: '+15125550100',
        national_format: '(512) 555-0100',
        returned_people: 2,
      })
      expect(new Set(people.map(({ id }) => id))).toEqual(new Set([INVENTED.jane, INVENTED.john]))
    })
  })

  test.each([
    '2065550142',
    '12065550142',
    '+12065550142',
    '%2B12065550142',
    '206-555-0142',
    '(206)%20555-0142',
    '206.555.0142',
    '1%20206%20555%200142',
    '2065550142/',
  ])('%s has its canonical form in Content-Location', async (phone) => {
    await withInvented(async ({ get }) => {
      const reply = await get(`/v2/phone/${phone}`)
      expect(reply.statusCode).toBe(200)
      expect(reply.headers['content-location']).toBe('/v2/phone/12065550142')
    })
  })

  test('of a number that nobody has is 200 all the same', async () => {
    await withInvented(async ({ get }) => {
      const { phone, people, businesses } = PhoneAnswer.parse(
        (await get(`/v2/phone/${INVENTED.unknownPhone}`)).json(),
      )
      expect(phone).toMatchObject({ primary_owner: 'unknown', returned_people: 0, people_truncated: false })
      expect([people, businesses]).toEqual([[], []])
    })
  })

  test('of a crowded number shows ten people and says that there are more', async () => {
    await withInvented(async ({ get }) => {
      const { phone } = PhoneAnswer.parse((await get(`/v2/phone/${INVENTED.crowdedPhone}`)).json())
      expect(phone).toMatchObject({ returned_people: 10, people_limit: 10, people_truncated: true })
    })
  })

  test('of a business shows it', async () => {
    await withInvented(async ({ get }) => {
      const { phone, businesses } = PhoneAnswer.parse(
        (await get(`/v2/phone/${INVENTED.businessPhone}`)).json(),
      )
      expect(phone).toMatchObject({ primary_owner: 'business', returned_businesses: 1 })
      expect(businesses.map(({ name }) => name)).toEqual(['Ocean Clinic Inc'])
    })
  })
})

test('ready names the snapshot that is served', async () => {
  await withInvented(async ({ get }) => {
    const reply = await get('/ready', {})
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ status: 'ready', snapshot: expect.any(String) as string })
  })
})
