import { expect } from 'vitest'
import type { z } from 'zod'
import { PersonSearchResponse } from '../../src/api/responses/person.ts'
import { sharedApi } from './support.ts'

type Answer = z.output<typeof PersonSearchResponse>
export type Found = Answer['results'][number]

export interface PeopleSearch {
  readonly api: ReturnType<typeof sharedApi>
  readonly search: (query: Record<string, string>) => Promise<Answer>
  readonly idsOf: (query: Record<string, string>) => Promise<(string | null)[]>
  /** Returns the only found person. */
  readonly only: (query: Record<string, string>) => Promise<Found>
  /** Returns the error of a search that is refused with 400. */
  readonly refusal: (query: string) => Promise<{ long_message: string; meta: unknown }>
}

/** Opens `GET /v2/person/` on the made-up world for the tests of a file. */
export function peopleSearch(): PeopleSearch {
  const api = sharedApi()
  const search: PeopleSearch['search'] = async (query) => {
    const reply = await api.get(`/v2/person/?${new URLSearchParams(query).toString()}`)
    expect([query, reply.statusCode]).toEqual([query, 200])
    return PersonSearchResponse.parse(reply.json())
  }
  return {
    api,
    search,
    idsOf: async (query) => (await search(query)).results.map(({ id }) => id),
    async only(query) {
      const { results } = await search(query)
      expect([query, results.length]).toEqual([query, 1])
      return results[0]!
    },
    async refusal(query) {
      const reply = await api.get(`/v2/person/?${query}`)
      expect([query, reply.statusCode]).toEqual([query, 400])
      return reply.json<{ error: { long_message: string; meta: unknown } }>().error
    },
  }
}
