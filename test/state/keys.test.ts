import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/state/database.ts'
import { openState } from '../../src/state/open.ts'
import { KeyRing } from '../../src/state/key-ring.ts'
import { withState } from './support.ts'

test('a key is pk_ and 32 base62 characters, and no two are alike', async () => {
  await withState(async (state) => {
    const secrets = Array.from(
      { length: 200 },
      (_, index) => state.keys.create({ name: `key ${index}` }).secret,
    )
    for (const secret of secrets) expect(secret).toMatch(/^pk_[0-9A-Za-z]{32}$/)
    expect(new Set(secrets).size).toBe(200)
  })
})

test('the state file holds the SHA-256 of a key and nowhere the key itself', async () => {
  await withState(async (state, { path }) => {
    const { secret, key } = state.keys.create({ name: 'partner' })
    await state.close()
    const bytes = Buffer.concat([
      await readFile(path),
      await readFile(`${path}-wal`).catch(() => Buffer.alloc(0)),
    ])
    expect(bytes.includes(secret)).toBe(false)
    expect(bytes.includes(secret.slice(3))).toBe(false)
    const db = openDatabase(path)
    const row = db.prepare('select hash from keys where api_key_id = ?').get(key.api_key_id)
    db.close()
    expect(Buffer.from(row?.['hash'] as Uint8Array)).toEqual(createHash('sha256').update(secret).digest())
  })
})

test('a key is found by what its owner sends, with its plan, cap, limits and invitations', async () => {
  await withState(async (state, { now }) => {
    const { secret } = state.keys.create({
      name: ' Partner One ',
      plan: 'gold',
      monthly_cap: 1_000,
      rate_per_second: 5,
      burst: 9,
      invitations: ['webhooks', 'events'],
      is_test: true,
    })
    expect(state.keys.find(secret)).toMatchObject({
      name: 'Partner One',
      plan: 'gold',
      monthly_cap: 1_000,
      rate_per_second: 5,
      burst: 9,
      invitations: ['webhooks', 'events'],
      is_test: true,
      created_at: now().toISOString(),
      revoked_at: null,
    })
  })
})

test.each([
  ['an unknown key', 'pk_00000000000000000000000000000000'],
  ['an empty one', ''],
  ['one that is too short', 'pk_abc'],
  ['a hash instead of a key', 'a'.repeat(64)],
])('%s belongs to nobody', async (_, secret) => {
  await withState(async (state) => {
    state.keys.create({ name: 'somebody' })
    expect(state.keys.find(secret)).toBeNull()
  })
})

test('a revoked key belongs to nobody; revoking again keeps the first time', async () => {
  await withState(async (state, clock) => {
    const { secret, key } = state.keys.create({ name: 'somebody' })
    const first = state.keys.revoke(key.api_key_id).revoked_at
    clock.pass(60_000)
    expect(state.keys.find(secret)).toBeNull()
    expect(state.keys.revoke(key.api_key_id).revoked_at).toBe(first)
  })
})

test('an unknown key id is an error that says where ids are listed', async () => {
  await withState(async (state) => {
    expect(() => state.keys.revoke('key_none')).toThrow(/no key key_none.*keys list/)
  })
})

test('a key without a name is refused', async () => {
  await withState(async (state) => {
    expect(() => state.keys.create({ name: '  ' })).toThrow('a key needs a name')
  })
})

test('a key revoked by another process is refused within five seconds', async () => {
  await withState(async (state, clock) => {
    const { secret, key } = state.keys.create({ name: 'somebody' })
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    expect(ring.find(secret, clock.at())).not.toBeNull()
    const other = openState(clock.path)
    other.keys.revoke(key.api_key_id)
    await other.close()
    clock.pass(4_900)
    expect(ring.find(secret, clock.at())).toBeNull()
  })
})

test('a key made by another process works at once', async () => {
  await withState(async (state, clock) => {
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    const other = openState(clock.path)
    const { secret } = other.keys.create({ name: 'new' })
    await other.close()
    expect(ring.find(secret, clock.at())?.key.name).toBe('new')
  })
})

test('looking a key up again does not refill its bucket', async () => {
  await withState(async (state, clock) => {
    const { secret } = state.keys.create({ name: 'slow', rate_per_second: 0.1, burst: 1 })
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    expect(ring.find(secret, clock.at())?.bucket.take(clock.at())).toBe(0)
    clock.pass(3_000)
    expect(ring.find(secret, clock.at())?.bucket.take(clock.at())).toBeCloseTo(7)
  })
})

test('a key without limits of its own has the limits of the server', async () => {
  await withState(async (state, clock) => {
    const { secret } = state.keys.create({ name: 'plain' })
    const ring = new KeyRing(state.keys, { perSecond: 7, burst: 11 })
    expect(ring.find(secret, clock.at())?.bucket).toMatchObject({ perSecond: 7, burst: 11 })
  })
})

test('keys are listed oldest first, revoked ones too', async () => {
  await withState(async (state, clock) => {
    const first = state.keys.create({ name: 'first' })
    clock.pass(1_000)
    state.keys.create({ name: 'second' })
    state.keys.revoke(first.key.api_key_id)
    expect(state.keys.list().map(({ name, revoked_at }) => [name, revoked_at !== null])).toEqual([
      ['first', true],
      ['second', false],
    ])
  })
})

test('the state file is made with its folders', async () => {
  await withState(async (_, { path }) => {
    const deeper = join(path, '..', 'a', 'b', 'state.sqlite')
    await openState(deeper).close()
    expect((await readFile(deeper)).subarray(0, 15).toString()).toBe('SQLite format 3')
  })
})
