import { expect } from 'vitest'
import { heldOpen } from '../support/held-open.ts'
import { type Receiver, withReceiver } from '../webhooks/receiver.ts'
import { type Api, withApi } from './support.ts'

export interface Resource {
  readonly id: string
  readonly signing_secret: string
  readonly status: string
  readonly updated_at: string
}

export interface Subscriber {
  readonly receiver: Receiver
  /** A key of an invited account. */
  readonly key: string
  readonly send: (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ) => ReturnType<Api['send']>
  /** Creates a webhook, by default for all deeds of Texas at the receiver. */
  readonly create: (wanted?: object) => Promise<Resource>
}

export const WANTED = { event_type: 'deed.*', region: 'state:tx' }

/**
 * One service for all tests of a file: each subscriber is an account of its own. Its clock begins now, because the package of
 * Standard Webhooks refuses notifications of another time.
 */
export function subscribers(): {
  readonly api: Api
  readonly withSubscriber: (body: (subscriber: Subscriber) => Promise<void>) => Promise<void>
} {
  const opened = heldOpen<Api>((body) =>
    withApi(body, {
      start: new Date().toISOString(),
      env: { WEBHOOK_TEST_HOSTS: '127.0.0.1', PLATBOOK_URL: 'https://platbook.example.com/' },
      internet: { answerWithinMs: 3_000, resolve: async () => [{ address: '10.0.0.1', family: 4 }] },
    }),
  )
  return {
    get api() {
      return opened()
    },
    withSubscriber: (body) =>
      withReceiver(async (receiver) => {
        const api = opened()
        const key = await api.newKey({ invitations: ['webhooks', 'events'], rate_per_second: 1_000_000 })
        const send: Subscriber['send'] = (method, path, content) => api.send(method, path, content, key)
        const create = async (wanted: object = {}): Promise<Resource> => {
          const reply = await send('POST', '/v1/webhooks/', { url: receiver.url, ...WANTED, ...wanted })
          expect(reply.body).toContain('signing_secret')
          return reply.json<{ result: Resource }>().result
        }
        await body({ receiver, key, send, create })
      }),
  }
}
