import { describe, expect, test } from 'vitest'
import { PersonResponse } from '../../src/api/responses/person.ts'
import { PhoneResponse } from '../../src/api/responses/phone.ts'
import { withFolder } from '../support/folder.ts'
import { INVENTED, inventedWorld } from '../support/invented-world.ts'
import { inventedSnapshots, publishInvented, sharedApi, withApi } from './support.ts'

const api = sharedApi()

async function lookUp(phone: string) {
  const reply = await api.get(`/v2/phone/${phone}`)
  expect([phone, reply.statusCode]).toEqual([phone, 200])
  return PhoneResponse.parse(reply.json())
}

describe('GET /v2/phone/{phone}', () => {
  test('answers with the number’s facts, its people and its businesses', async () => {
    const { phone, people, businesses } = await lookUp(INVENTED.sharedPhone)
    expect(phone).toEqual({
      e164: '+15125550100',
      national_format: '(512) 555-0100',
      line_type: 'landline',
      carrier: 'Invented Telephone Co',
      primary_owner: 'person',
      returned_people: 2,
      people_limit: 10,
      people_truncated: false,
      returned_businesses: 0,
    })
    expect(new Set(people.map(({ id }) => id))).toEqual(new Set([INVENTED.jane, INVENTED.john]))
    expect(businesses).toEqual([])
  })

  test('people come as in a search: capped lists, the number first, matched by phone, best score first', async () => {
    const { people } = await lookUp(INVENTED.sharedPhone)
    const jane = people.find(({ id }) => id === INVENTED.jane)
    expect(jane).toMatchObject({ age: 46, matched_by: ['phone'] })
    expect(jane?.phones.map(({ number }) => number)).toEqual(['(512) 555-0100', '(512) 555-0101', '(512) 555-0102', '(512) 555-0103']) // prettier-ignore
    expect(jane?.result_metadata.phones).toEqual({ displayed: 4, additional: 2 })
    const scores = people.map(({ match_score }) => match_score ?? 0)
    expect(scores).toEqual(scores.toSorted((left, right) => right - left))
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
    const reply = await api.get(`/v2/phone/${phone}`)
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-location']).toBe('/v2/phone/12065550142')
  })

  test('numbers of every country of the North American plan are accepted', async () => {
    // Toronto, Kingston (Jamaica), San Juan.
    for (const phone of ['4165550142', '8765550142', '7875550142']) await lookUp(phone)
  })

  test.each(['206555014', '442079460958', '1206555014x', '0065550142', '2060550142', 'P0000000001', '%00'])(
    'a segment that is no North American number, %s: 400, before any lookup',
    async (phone) => {
      // Without a snapshot a lookup would be 503.
      await withApi(async ({ get }) => {
        const reply = await get(`/v2/phone/${phone}`)
        expect(reply.statusCode).toBe(400)
        expect(reply.json<{ error: { meta: unknown } }>().error.meta).toMatchObject({ field: 'phone' })
      })
    },
  )

  test('query parameters, whichever: 400', async () => {
    for (const query of ['name=Jane', 'phone=1', 'x=']) {
      const reply = await api.get(`/v2/phone/${INVENTED.janesPhone}?${query}`)
      expect([query, reply.statusCode]).toEqual([query, 400])
    }
  })

  test('a number that nobody has is 200 all the same', async () => {
    const { phone, people, businesses } = await lookUp(INVENTED.unknownPhone)
    expect(phone).toMatchObject({ primary_owner: 'unknown', returned_people: 0, people_truncated: false })
    expect([people, businesses]).toEqual([[], []])
  })

  test('a toll-free number has no carrier', async () => {
    expect((await lookUp('8005550142')).phone).toMatchObject({ line_type: 'tollfree', carrier: null })
  })

  test('a crowded number shows ten people and says that there are more', async () => {
    const { phone, people } = await lookUp(INVENTED.crowdedPhone)
    expect(people).toHaveLength(10)
    expect(phone).toMatchObject({ returned_people: 10, people_limit: 10, people_truncated: true })
  })

  test('a business comes with its addresses', async () => {
    const { phone, businesses } = await lookUp(INVENTED.businessPhone)
    expect(phone).toMatchObject({ primary_owner: 'business', returned_businesses: 1 })
    expect(businesses).toEqual([
      {
        name: 'Ocean Clinic Inc',
        addresses: [
          {
            full_address: '77 Collins Ave, Miami Beach, FL 33139',
            line1: '77 Collins Ave',
            city: 'Miami Beach',
            state: 'FL',
            zip: '33139',
            plus4: '',
            latlong: { lat: 25.77, lng: -80.132 },
            is_historical: false,
          },
        ],
        approximate_locations: [],
      },
    ])
  })

  test('an owner whom nothing resolves stands behind the people, without id and details', async () => {
    const { phone, people } = await lookUp(INVENTED.namedPhone)
    expect(phone).toMatchObject({ returned_people: 1, returned_businesses: 1 })
    expect(people).toMatchObject([{ id: null, name: 'Yolanda', result_metadata: { details_url: null } }])
  })
})

const PLACES = [
  ['A0000000091', { city: 'Miami Beach', state: 'FL', zip: '33139', plus4: '1234' }, 'zip4', false],
  ['A0000000092', { city: 'Miami Beach', state: 'FL', zip: '33139', plus4: null }, 'zip', false],
  ['A0000000093', { city: 'Miami Beach', state: 'FL', zip: null, plus4: null }, 'city', true],
] as const

describe('GET /v2/phone/{phone}', () => {
  test('a business’s places without a street line are approximate locations, and none is in both lists', async () => {
    const world = inventedWorld()
    for (const [address_id, place, , is_historical] of PLACES) {
      world.addresses!.push({ address_id, full_address: 'Miami Beach, FL', ...place })
      world.business_addresses!.push({ business_id: 'B0000000002', address_id, is_historical })
    }
    await withFolder(async (snapshots) => {
      await publishInvented(snapshots, world)
      await withApi(
        async ({ get }) => {
          const { businesses } = (await get(`/v2/phone/${INVENTED.businessPhone}`)).json<{
            businesses: object[]
          }>()
          expect(businesses).toMatchObject([
            {
              addresses: [{ line1: '77 Collins Ave', zip: '33139', plus4: '', is_historical: false }],
              approximate_locations: PLACES.map(
                ([, { city, state, zip, plus4 }, precision, is_historical]) => ({
                  city,
                  state,
                  zip: zip ?? '',
                  plus4: plus4 ?? '',
                  country: 'US',
                  latlong: null,
                  is_historical,
                  precision,
                }),
              ),
            },
          ])
        },
        { snapshots },
      )
    })
  })
})

describe('GET /v2/person/{id}', () => {
  test('ages people by the day of the request, not of the publication', async () => {
    const snapshots = await inventedSnapshots()
    await withApi(
      async ({ get, pass }) => {
        const age = async () =>
          PersonResponse.parse((await get(`/v2/person/${INVENTED.jane}`)).json()).result.age
        expect(await age()).toBe(45)
        pass(1)
        expect(await age()).toBe(46)
      },
      { snapshots, start: '2026-05-16T23:59:59.999Z' },
    )
  })
})

describe('GET /ready', () => {
  test('names the snapshot that is served', async () => {
    const reply = await api.get('/ready', {})
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ status: 'ready', snapshot: expect.any(String) as string, withheld: null })
  })
})
