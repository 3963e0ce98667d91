import { describe, expect, test } from 'vitest'
import { PersonResponse, PersonSearchResponseV1, PersonV1 } from '../../src/api/responses/person.ts'
import { INVENTED } from '../support/published.ts'
import { sharedApi } from './support.ts'

const api = sharedApi()
const { jane, maria, linh, walter, catherine } = INVENTED

interface Refusal {
  readonly error: { readonly long_message: string; readonly meta: unknown }
}

async function refused(path: string, status: number): Promise<Refusal['error']> {
  const reply = await api.get(path)
  expect([path, reply.statusCode]).toEqual([path, status])
  return reply.json<Refusal>().error
}

const details = async (id: string) => PersonResponse.parse((await api.get(`/v2/person/${id}`)).json()).result

describe('GET /v2/person/{id}', () => {
  test('answers with the record wrapped in result, without what search results have', async () => {
    const result = await details(jane)
    expect(Object.keys(result)).toEqual([
      'id', 'name', 'aliases', 'is_dead', 'age', 'date_of_birth', 'linkedin_url', 'company_name', 'job_title', 'phones', 'emails',
      'current_addresses', 'historic_addresses', 'owned_properties', 'relatives',
    ]) // prettier-ignore
    expect(result).toMatchObject({
      id: jane,
      name: 'Jane Ann Smith',
      aliases: ['Jane Doe'],
      is_dead: false,
      age: 46,
      date_of_birth: '1980-05-17',
      linkedin_url: 'linkedin.com/in/invented-jane-smith',
      company_name: 'Invented Widgets',
      job_title: 'Engineer',
      owned_properties: [
        { id: INVENTED.flat, address: '123 N Main St Apt 4, Austin, TX 78701' },
        { id: INVENTED.house, address: '125 N Main St, Austin, TX 78701' },
      ],
      relatives: [{ id: INVENTED.john, name: 'John Q Smith' }],
    })
  })

  test('lists stand in full, best first', async () => {
    const { phones, emails, historic_addresses } = await details(jane)
    expect([phones.length, emails.length, historic_addresses.length]).toEqual([6, 5, 7])
    for (const list of [phones, emails]) {
      const scores = list.map(({ score }) => score)
      expect(scores).toEqual(scores.toSorted((left, right) => right - left))
    }
  })

  test('an address has id, full address, line, city, state and ZIP', async () => {
    expect((await details(jane)).current_addresses).toEqual([
      {
        address_id: INVENTED.flatAddress,
        full_address: '123 N Main St Apt 4, Austin, TX 78701',
        city: 'Austin',
        state: 'TX',
        line1: '123 N Main St Apt 4',
        zip: '78701',
      },
    ])
  })

  test('the age of a known year is approximate; of an unknown date, and of the dead, null', async () => {
    expect((await details(maria)).age).toBe(56)
    expect((await details(linh)).age).toBeNull()
    expect(await details(walter)).toMatchObject({ is_dead: true, age: null })
  })

  test('an id that was merged away answers with the surviving record', async () => {
    expect((await details(INVENTED.mergedIntoJane)).id).toBe(jane)
  })

  test('an id that does not exist: 404', async () => {
    expect((await refused('/v2/person/Pzzzzzzzzzz', 404)).meta).toBeNull()
  })

  test.each(['P123', 'P12345678901', 'R0000000001', 'p0000000001', 'P000000000-', '%20'])(
    'a malformed id, %s: 400 that names the required format',
    async (id) => {
      const { long_message, meta } = await refused(`/v2/person/${id}`, 400)
      expect(long_message).toContain('path -> id')
      expect(long_message).toContain('P followed by exactly 10 alphanumeric characters')
      expect(meta).toMatchObject({ field: 'id' })
    },
  )
})

const search = async (query: string) =>
  PersonSearchResponseV1.parse((await api.get(`/v1/person/?${query}`)).json())

describe('GET /v1/person/', () => {
  test('answers with a bare array of records in the first shape', async () => {
    const [found, ...others] = await search('name=Jane+Smith&city=Austin')
    expect(others).toEqual([])
    expect(found).toMatchObject({
      id: jane,
      emails: ['jane.smith@example.com', 'jsmith@example.com', 'jane.doe@example.com', 'jane80@example.com', 'jas@example.com'], // prettier-ignore
      current_addresses: [
        {
          id: INVENTED.flatAddress,
          address: '123 N Main St Apt 4, Austin, TX 78701',
          latlong: { lat: 30.2701, lng: -97.7431 },
          score: 98,
        },
      ],
    })
    expect(found?.historic_addresses.map(({ score }) => score)).toEqual([59, 58, 57, 56, 55, 54, 53])
    for (const absent of ['age', 'match_score', 'matched_by', 'result_metadata']) {
      expect(found).not.toHaveProperty(absent)
    }
  })

  test('no match is an empty array', async () => {
    expect(await search('name=Nobody+Atall')).toEqual([])
  })

  test('has up to 15 records', async () => {
    expect(await search('zipcode=78745')).toHaveLength(15)
  })

  test('email, include_fuzzy_matching, page and page_size do not exist: they are ignored', async () => {
    expect(await search('zipcode=78745&page=2&page_size=3')).toEqual(await search('zipcode=78745'))
    expect(await search('name=Jane+Smith&include_fuzzy_matching=maybe')).toHaveLength(1)
    expect((await refused('/v1/person/?email=jane.smith@example.com', 400)).long_message).not.toContain(
      'email',
    )
  })

  test('the other parameters and their rules are those of the second version', async () => {
    expect(await search('phone=(512)+555-0105')).toMatchObject([{ id: jane, phones: [{ number: '(512) 555-0105' }, {}, {}, {}, {}, {}] }]) // prettier-ignore
    expect(await search('street=Elm+St&include_historical_locations=true')).toMatchObject([{ id: jane }])
    expect(await search('name=Catherine+Obrien&zipcode=78701&radius=3')).toMatchObject([{ id: catherine }])
    expect(await search('name=Katherine+Obrien')).toMatchObject([{ id: catherine }])
    expect(await search('name=Katherine+Obrien&strict_match=true')).toEqual([])
    for (const query of [
      'min_age=17&name=x',
      'radius=101&name=x',
      'name=x&last_name=y',
      'zipcode=1',
      'state_code=TX',
    ]) {
      await refused(`/v1/person/?${query}`, 400)
    }
  })

  test('an owner of the phone whom nothing resolves is a record without id', async () => {
    expect(await search(`phone=${INVENTED.namedPhone}`)).toMatchObject([
      { id: null, name: 'Yolanda', phones: [{ number: '(305) 555-0171' }], emails: [] },
    ])
  })

  test('the path answers with and without the slash at its end', async () => {
    expect((await api.get('/v1/person?name=Jane')).body).toBe((await api.get('/v1/person/?name=Jane')).body)
  })
})

describe('GET /v1/person/{id}', () => {
  test('answers with the record in the first shape, not wrapped', async () => {
    const record = PersonV1.parse((await api.get(`/v1/person/${jane}`)).json())
    expect(Object.keys(record)).toEqual([
      'id', 'name', 'aliases', 'is_dead', 'date_of_birth', 'linkedin_url', 'company_name', 'job_title', 'phones', 'emails',
      'current_addresses', 'historic_addresses', 'owned_properties', 'relatives',
    ]) // prettier-ignore
    expect([record.phones.length, record.emails.length, record.historic_addresses.length]).toEqual([6, 5, 7])
  })

  test('an id that was merged away answers with the surviving record', async () => {
    expect(PersonV1.parse((await api.get(`/v1/person/${INVENTED.mergedIntoJane}/`)).json()).id).toBe(jane)
  })

  test('an id that does not exist: 404; a malformed one: 400', async () => {
    await refused('/v1/person/Pzzzzzzzzzz', 404)
    await refused('/v1/person/P1', 400)
  })
})
