import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { createSecret, messageId, signedHeaders, signingKey } from '../../src/webhooks/signing.ts'

const BODY = JSON.stringify({ event_id: 'e1', event_type: 'deed.transfer', links: [] })

test('a notification verifies with the package of Standard Webhooks, and not when anything is changed', () => {
  const secret = createSecret()
  const headers = signedHeaders('msg_1', new Date(), BODY, [signingKey(secret)])
  const webhook = new Webhook(secret)
  expect(webhook.verify(BODY, headers)).toEqual(JSON.parse(BODY))
  expect(() => webhook.verify(`${BODY} `, headers)).toThrow()
  expect(() => webhook.verify(BODY, { ...headers, 'webhook-id': 'msg_2' })).toThrow()
  expect(() => new Webhook(createSecret()).verify(BODY, headers)).toThrow()
})

test('the signature is the one of the published example', () => {
  const headers = signedHeaders(
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    new Date(1_614_265_330_000),
    '{"test": 2432232314}',
    [signingKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
  )
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('the timestamp is the second that has begun, so that no receiver takes it for one of the future', () => {
  const headers = signedHeaders('msg_1', new Date(1_614_265_330_999), BODY, [signingKey(createSecret())])
  expect(headers['webhook-timestamp']).toBe('1614265330')
})

test('with two secrets each of them verifies', () => {
  const [old, fresh] = [createSecret(), createSecret()]
  const headers = signedHeaders('msg_1', new Date(), BODY, [fresh, old].map(signingKey))
  expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
  for (const secret of [old, fresh]) expect(() => new Webhook(secret).verify(BODY, headers)).not.toThrow()
})

test('a secret is whsec_ and 32 random bytes in base64', () => {
  const [one, two] = [createSecret(), createSecret()]
  expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(one).not.toBe(two)
})

test('the webhook-id depends on the subscription and the event, and on nothing else', () => {
  expect(messageId('wh_1', 'e1')).toMatch(/^msg_[0-9a-f]{32}$/)
  expect(messageId('wh_1', 'e1')).toBe(messageId('wh_1', 'e1'))
  expect(messageId('wh_1', 'e2')).not.toBe(messageId('wh_1', 'e1'))
  expect(messageId('wh_2', 'e1')).not.toBe(messageId('wh_1', 'e1'))
})
