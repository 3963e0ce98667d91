import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/state/sqlite.ts'
import { answer } from '../webhooks/receiver.ts'
import { subscribers } from './subscriber.ts'

const shared = subscribers()
const { withSubscriber } = shared

describe('POST /v1/webhooks/{webhook_id}/test', () => {
  test('says what came back, and what was sent', async () => {
    await withSubscriber(async ({ send, create, receiver }) => {
      const { id } = await create({ event_type: 'deed.foreclosure' })
      receiver.received.length = 0
      const reply = await send('POST', `/v1/webhooks/${id}/test`, {})
      expect(reply.statusCode).toBe(200)
      const { payload, ...rest } = reply.json<{ payload: { event_id: string } }>()
      expect(rest).toEqual({
        success: true,
        delivery: {
          status_code: 200,
          response_time_ms: expect.any(Number) as number,
          timestamp: shared.api.now().toISOString(),
        },
      })
      expect(payload).toEqual({
        event_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        event_type: 'deed.foreclosure',
        links: [{ version: '1', url: `https://platbook.example.com/v1/events/${payload.event_id}` }],
      })
      expect(receiver.received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([payload])
      const db = await openSqlite(`${shared.api.folder}/state.sqlite`)
      const logged = await db.all(
        'select event_id, status_code from delivery_attempts where subscription_id = ?',
        id,
      )
      await db.close()
      expect(logged.map((row) => ({ ...row }))).toEqual([{ event_id: payload.event_id, status_code: 200 }])
    })
  })

  test('that fails says so, with the status or with 0 for no answer, and is not tried again', async () => {
    await withSubscriber(async ({ send, create, receiver }) => {
      const { id } = await create()
      receiver.received.length = 0
      receiver.script = answer(503)
      const refused = await send('POST', `/v1/webhooks/${id}/test`, {})
      expect(refused.json()).toMatchObject({ success: false, delivery: { status_code: 503 } })
      receiver.script = (response) => void response.socket?.resetAndDestroy()
      const broken = await send('POST', `/v1/webhooks/${id}/test`)
      expect(broken.json()).toMatchObject({ success: false, delivery: { status_code: 0 } })
      expect(receiver.received).toHaveLength(2)
      expect((await send('GET', `/v1/webhooks/${id}`)).json()).toMatchObject({ result: { status: 'active' } })
    })
  })

  test('that is answered with 410 makes it inactive', async () => {
    await withSubscriber(async ({ send, create, receiver }) => {
      const { id } = await create()
      receiver.script = answer(410)
      await send('POST', `/v1/webhooks/${id}/test`, {})
      expect((await send('GET', `/v1/webhooks/${id}`)).json()).toMatchObject({
        result: { status: 'inactive' },
      })
    })
  })

  test.each(['[]', '"text"', '7'])('with the body %s is 422', async (payload) => {
    await withSubscriber(async ({ key, create }) => {
      const { id } = await create()
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const url = `/v1/webhooks/${id}/test`
      expect((await shared.api.app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(422)
    })
  })
})
