import { expect, test } from 'vitest'
import { inventedSnapshots, withApi } from '../../api/support.ts'
import { INVENTED } from '../published.ts'
import { createClient } from './client.ts'

test('the client made of the OpenAPI file asks over HTTP, and its types tell answers from errors', async () => {
  const snapshots = await inventedSnapshots()
  await withApi(
    async ({ app, key }) => {
      const client = createClient({ baseUrl: await app.listen({ port: 0, host: '127.0.0.1' }), key })

      const person = await client.getPerson({ id: INVENTED.jane })
      if (person.status !== 200) throw new Error(`answered with ${person.status}`)
      expect(person.body.result.name).toBe('Jane Ann Smith')

      const found = await client.searchPeople({ name: 'Jane Smith', state_code: 'TX', page_size: 1 })
      if (found.status !== 200) throw new Error(`answered with ${found.status}`)
      expect(found.body.metadata).toEqual({ result_count: 1, page: 1, page_size: 1 })

      const phone = await client.getPhone({ phone: '(512) 555-0101' })
      expect(phone.headers.get('content-location')).toBe('/v2/phone/15125550101')

      const refused = await client.getPerson({ id: 'P1' })
      if (refused.status !== 400) throw new Error(`answered with ${refused.status}`)
      expect(refused.body.error.meta).toMatchObject({ field: 'id' })

      const uninvited = await client.createWebhook(
        {},
        { url: 'https://receiver.example.com/', event_type: 'deed.*', region: 'state:tx' },
      )
      expect(uninvited.status).toBe(403)
    },
    { snapshots },
  )
})
