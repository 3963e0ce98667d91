import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Sealer } from '../../src/webhooks/sealing.ts'

const SECRET = 'whsec_c2VjcmV0'
const newKey = (): string => randomBytes(32).toString('base64')

test('without a key a secret is kept as it is; with one nothing of it can be read', () => {
  expect(new Sealer([]).seal(SECRET, 'wh_1').includes(SECRET)).toBe(true)
  const sealed = new Sealer([newKey()]).seal(SECRET, 'wh_1')
  expect(sealed.includes('whsec')).toBe(false)
  expect(sealed.includes(Buffer.from(SECRET).subarray(6))).toBe(false)
})

test('a sealed secret opens with its key only, for its subscription only, and unchanged only', () => {
  const key = newKey()
  const sealed = new Sealer([key]).seal(SECRET, 'wh_1')
  expect(new Sealer([key]).open(sealed, 'wh_1')).toBe(SECRET)
  expect(() => new Sealer([newKey()]).open(sealed, 'wh_1')).toThrow(/WEBHOOK_SECRETS_KEY/)
  expect(() => new Sealer([]).open(sealed, 'wh_1')).toThrow(/WEBHOOK_SECRETS_KEY/)
  expect(() => new Sealer([key]).open(sealed, 'wh_2')).toThrow(/WEBHOOK_SECRETS_KEY/)
  const broken = Buffer.from(sealed)
  broken[20] = (broken[20] ?? 0) ^ 1
  expect(() => new Sealer([key]).open(broken, 'wh_1')).toThrow(/WEBHOOK_SECRETS_KEY/)
})

test('what an earlier version has kept still opens', () => {
  const key = Buffer.alloc(32, 7).toString('base64')
  const open = Buffer.concat([Buffer.of(0), Buffer.from(SECRET)])
  expect(new Sealer([]).open(open, 'wh_1')).toBe(SECRET)
  const sealed = Buffer.from('AfE7UgiXWjY7vmu+In+FjCi3tkF31538SultYHqEPohcDHP4+pKInkPeCw==', 'base64')
  expect(new Sealer([key]).open(sealed, 'wh_1')).toBe(SECRET)
  expect(new Sealer([key]).isStale(sealed, 'wh_1')).toBe(false)
})

test('the same secret is sealed differently each time', () => {
  const sealer = new Sealer([newKey()])
  expect(sealer.seal(SECRET, 'wh_1').equals(sealer.seal(SECRET, 'wh_1'))).toBe(false)
})

test('what was kept openly, or with an older key, opens and is known to be stale', () => {
  const [older, newer] = [newKey(), newKey()]
  const open = new Sealer([]).seal(SECRET, 'wh_1')
  const sealed = new Sealer([older]).seal(SECRET, 'wh_1')
  const sealer = new Sealer([newer, older])
  for (const kept of [open, sealed]) {
    expect(sealer.open(kept, 'wh_1')).toBe(SECRET)
    expect(sealer.isStale(kept, 'wh_1')).toBe(true)
  }
  expect(sealer.isStale(sealer.seal(SECRET, 'wh_1'), 'wh_1')).toBe(false)
  expect(new Sealer([]).isStale(open, 'wh_1')).toBe(false)
})
