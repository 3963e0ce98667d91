import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/state/sqlite.ts'
import { openState } from '../../src/state/open.ts'
import { KeyRing } from '../../src/state/key-ring.ts'
import type { State } from '../../src/state/open.ts'
import { IN_POSTGRES } from '../support/state-place.ts'
import { accessEvent, withState } from './support.ts'

test('a key is pk_ and 32 base62 characters, and no two are alike', async () => {
  await withState(async (state) => {
    const secrets: string[] = []
    for (let n = 0; n < 200; n += 1) secrets.push((await state.keys.create({ name: `key ${n}` })).secret)
    for (const secret of secrets) expect(secret).toMatch(/^pk_[0-9A-Za-z]{32}$/)
    expect(new Set(secrets).size).toBe(200)
  })
})

test.skipIf(IN_POSTGRES)('the state file holds the SHA-256 of a key and nowhere the key itself', async () => {
  await withState(async (state, { path }) => {
    const { secret, key } = await state.keys.create({ name: 'partner' })
    await state.close()
    const bytes = Buffer.concat([
      await readFile(path),
      await readFile(`${path}-wal`).catch(() => Buffer.alloc(0)),
    ])
    expect(bytes.includes(secret)).toBe(false)
    expect(bytes.includes(secret.slice(3))).toBe(false)
    const db = await openSqlite(path)
    const row = await db.get('select hash from keys where api_key_id = ?', key.api_key_id)
    await db.close()
    expect(Buffer.from(row?.['hash'] as Uint8Array)).toEqual(createHash('sha256').update(secret).digest())
  })
})

test('a key is found by what its owner sends, with its plan, cap, limits and invitations', async () => {
  await withState(async (state, { now }) => {
    const { secret } = await state.keys.create({
      name: ' Partner One ',
      plan: 'gold',
      monthly_cap: 1_000,
      rate_per_second: 5,
      burst: 9,
      invitations: ['webhooks', 'events'],
      kind: 'test',
    })
    expect(await state.keys.find(secret)).toMatchObject({
      name: 'Partner One',
      plan: 'gold',
      monthly_cap: 1_000,
      rate_per_second: 5,
      burst: 9,
      invitations: ['webhooks', 'events'],
      kind: 'test',
      is_test: true,
      is_billed: false,
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
    await state.keys.create({ name: 'somebody' })
    expect(await state.keys.find(secret)).toBeNull()
  })
})

test('a revoked key belongs to nobody; revoking again keeps the first time', async () => {
  await withState(async (state, clock) => {
    const { secret, key } = await state.keys.create({ name: 'somebody' })
    const first = (await state.keys.revoke(key.api_key_id)).revoked_at
    clock.pass(60_000)
    expect(await state.keys.find(secret)).toBeNull()
    expect((await state.keys.revoke(key.api_key_id)).revoked_at).toBe(first)
  })
})

test('an unknown key id is an error that says where ids are listed', async () => {
  await withState(async (state) => {
    await expect(state.keys.revoke('key_none')).rejects.toThrow(/no key key_none.*keys list/)
  })
})

test('a key without a name is refused', async () => {
  await withState(async (state) => {
    await expect(state.keys.create({ name: '  ' })).rejects.toThrow('a key needs a name')
  })
})

test('a key revoked by another process is refused within five seconds', async () => {
  await withState(async (state, clock) => {
    const { secret, key } = await state.keys.create({ name: 'somebody' })
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    expect(await ring.find(secret, clock.at())).not.toBeNull()
    const other = await openState(clock.path)
    await other.keys.revoke(key.api_key_id)
    await other.close()
    clock.pass(4_900)
    expect(await ring.find(secret, clock.at())).toBeNull()
  })
})

test('a key made by another process works at once', async () => {
  await withState(async (state, clock) => {
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    const other = await openState(clock.path)
    const { secret } = await other.keys.create({ name: 'new' })
    await other.close()
    expect((await ring.find(secret, clock.at()))?.key.name).toBe('new')
  })
})

test('looking a key up again does not refill its bucket', async () => {
  await withState(async (state, clock) => {
    const { secret } = await state.keys.create({ name: 'slow', rate_per_second: 0.1, burst: 1 })
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    expect((await ring.find(secret, clock.at()))?.bucket.take(clock.at())).toBe(0)
    clock.pass(3_000)
    expect((await ring.find(secret, clock.at()))?.bucket.take(clock.at())).toBeCloseTo(7)
  })
})

test('a key without limits of its own has the limits of the server', async () => {
  await withState(async (state, clock) => {
    const { secret } = await state.keys.create({ name: 'plain' })
    const ring = new KeyRing(state.keys, { perSecond: 7, burst: 11 })
    expect((await ring.find(secret, clock.at()))?.bucket).toMatchObject({ perSecond: 7, burst: 11 })
  })
})

test('keys are listed oldest first, revoked ones too', async () => {
  await withState(async (state, clock) => {
    const first = await state.keys.create({ name: 'first' })
    clock.pass(1_000)
    await state.keys.create({ name: 'second' })
    await state.keys.revoke(first.key.api_key_id)
    expect((await state.keys.list()).map(({ name, revoked_at }) => [name, revoked_at !== null])).toEqual([
      ['first', true],
      ['second', false],
    ])
  })
})

test.skipIf(IN_POSTGRES)('the state file is made with its folders', async () => {
  await withState(async (_, { path }) => {
    const deeper = join(path, '..', 'a', 'b', 'state.sqlite')
    await (await openState(deeper)).close()
    expect((await readFile(deeper)).subarray(0, 15).toString()).toBe('SQLite format 3')
  })
})

test('an account has several keys; its terms are theirs, and a change is visible at the next look', async () => {
  await withState(async (state, clock) => {
    const first = await state.keys.create({ name: 'first', monthly_cap: 10, invitations: ['events'] })
    const { account_id } = first.key
    const second = await state.keys.create({ name: 'second', account_id })
    expect(await state.accounts.list()).toHaveLength(1)
    expect(await state.keys.find(second.secret)).toMatchObject({
      account_id,
      monthly_cap: 10,
      invitations: ['events'],
    })
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    await ring.find(first.secret, clock.at())
    await state.accounts.update(account_id, { monthly_cap: 20, invitations: [] })
    clock.pass(2_000)
    expect((await ring.find(first.secret, clock.at()))?.key).toMatchObject({
      monthly_cap: 20,
      invitations: [],
    })
    await expect(state.keys.create({ name: 'third', account_id: 'acct_none' })).rejects.toThrow(/no account acct_none.*accounts list/) // prettier-ignore
  })
})

test('a replaced key works to the last millisecond of its grace, and the new one from the start', async () => {
  await withState(async (state, clock) => {
    const before = await state.keys.create({ name: 'partner', rate_per_second: 5, scopes: ['person:read'], allowed_addresses: ['203.0.113.0/24'], purpose: 'insurance' }) // prettier-ignore
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    const { secret, key } = await state.keys.rotate(before.key.api_key_id, 3_600_000)
    expect(key).toMatchObject({
      account_id: before.key.account_id,
      rotated_from: before.key.api_key_id,
      name: 'partner',
      rate_per_second: 5,
      scopes: ['person:read'],
      allowed_addresses: ['203.0.113.0/24'],
      purpose: 'insurance',
      expires_at: null,
    })
    clock.pass(3_599_999)
    expect(await ring.find(before.secret, clock.at())).not.toBeNull()
    expect(await ring.find(secret, clock.at())).not.toBeNull()
    clock.pass(1)
    expect(await ring.find(before.secret, clock.at())).toBeNull()
    expect(await ring.find(secret, clock.at())).not.toBeNull()
  })
})

test('a key without grace is refused at once by whoever looks it up anew', async () => {
  await withState(async (state) => {
    const { secret, key } = await state.keys.create({ name: 'leaked' })
    await state.keys.rotate(key.api_key_id, 0)
    expect(await state.keys.find(secret)).toBeNull()
  })
})

test('a grace never lengthens the life of a key, and the new key ends when the contract did', async () => {
  await withState(async (state, clock) => {
    const expires_at = new Date(clock.at() + 60_000)
    const { key } = await state.keys.create({ name: 'partner', expires_at })
    const { key: next, replaced } = await state.keys.rotate(key.api_key_id, 3_600_000)
    expect(replaced.expires_at).toBe(expires_at.toISOString())
    expect(next.expires_at).toBe(expires_at.toISOString())
  })
})

test.each([
  ['revoked', (state: State, id: string) => state.keys.revoke(id), /was revoked on/],
  ['replaced', (state: State, id: string) => state.keys.rotate(id, 60_000), /was already replaced by key_/],
  ['expired', async (state: State, id: string, pass: (ms: number) => void) => {
    await state.keys.update(id, { expires_at: new Date('2026-08-14T12:00:01Z') })
    pass(1_000)
  }, /expired on 2026-08-14T12:00:01/],
] as const)('a key that is %s can not be replaced', async (_, end, reason) => {
  await withState(async (state, { pass }) => {
    const { key } = await state.keys.create({ name: 'partner' })
    await end(state, key.api_key_id, pass)
    await expect(state.keys.rotate(key.api_key_id, 0)).rejects.toThrow(reason)
    expect((await state.keys.list()).filter(({ name }) => name === 'third')).toEqual([])
  })
}) // prettier-ignore

test('a key expires at its moment also where a server has just looked it up', async () => {
  await withState(async (state, clock) => {
    const { secret } = await state.keys.create({ name: 'trial', expires_at: new Date(clock.at() + 1_000) })
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    clock.pass(999)
    expect(await ring.find(secret, clock.at())).not.toBeNull()
    clock.pass(1)
    expect(await ring.find(secret, clock.at())).toBeNull()
  })
})

test('the last use of a key is its newest access event', async () => {
  await withState(async (state, clock) => {
    const { key } = await state.keys.create({ name: 'partner' })
    expect(await state.keys.lastUsedAt(key.api_key_id)).toBeNull()
    for (const at of [clock.at(), clock.at() - 60_000])
      state.events.record(accessEvent({ api_key_id: key.api_key_id, event_ts: at }))
    await state.events.flush()
    expect(await state.keys.lastUsedAt(key.api_key_id)).toEqual(clock.now())
  })
})

test.each([
  ['an address', '203.0.113.7', '203.0.113.7/32', '203.0.113.7', '203.0.113.8'],
  ['an IPv4 network, written as IPv6 by the socket', '203.0.113.0/24', '203.0.113.0/24', '::ffff:203.0.113.9', '203.0.114.1'],
  ['an IPv6 network', '2001:db8::/32', '2001:db8::/32', '2001:db8:1::1', '2001:db9::1'],
] as const)('a key may be limited to %s', async (_, given, stored, inside, outside) => {
  await withState(async (state, { at }) => {
    const { secret, key } = await state.keys.create({ name: 'partner', allowed_addresses: [given] })
    expect(key.allowed_addresses).toEqual([stored])
    const { allowed } = (await new KeyRing(state.keys, { perSecond: 50, burst: 100 }).find(secret, at()))!
    expect([allowed!.includes(inside), allowed!.includes(outside), allowed!.includes('nonsense')]).toEqual([true, false, false]) // prettier-ignore
  })
}) // prettier-ignore

test.each(['', '203.0.113.0/33', '203.0.113.0/', '203.0.113', '203.0.113.0/24/1', 'example.com', '2001:db8::/129', 'fe80::1%eth0', '1.2.3.4/-1'])(
  "'%s' is no network",
  async (network) => {
    await withState(async (state) => {
      await expect(state.keys.create({ name: 'partner', allowed_addresses: [network] })).rejects.toThrow(/is not an IP address or network: write/) // prettier-ignore
      expect([await state.keys.list(), await state.accounts.list()]).toEqual([[], []])
    })
  },
) // prettier-ignore

test.each([
  ['no scopes', { scopes: [] }, /at least one scope/],
  ['no addresses', { allowed_addresses: [] }, /at least one address/],
  ['an expiry that is past', { expires_at: new Date('2026-08-14T12:00:00Z') }, /is in the past/],
  ['a name with an escape', { name: 'a\u001b[2Jb' }, /must not contain control characters/],
  ['a name that turns the direction of text', { name: 'a\u202eb' }, /must not contain control characters/],
  ['a long name', { name: 'a'.repeat(201) }, /at most 200 characters/],
] as const)('a key with %s is refused', async (_, wanted, reason) => {
  await withState(async (state) => {
    await expect(state.keys.create({ name: 'partner', ...wanted })).rejects.toThrow(reason)
    expect(await state.accounts.list()).toEqual([])
  })
})

test('a ring tells only of keys that took something, once, and a key is not looked up again within two seconds', async () => {
  await withState(async (state, { at, pass }) => {
    const used = await state.keys.create({ name: 'used' })
    const idle = await state.keys.create({ name: 'idle' })
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    const caller = (await ring.find(used.secret, at()))!
    await ring.find(idle.secret, at())
    caller.bucket.take(at())
    expect(ring.newRequestCounts()).toEqual({ [used.key.api_key_id]: 1 })
    expect(ring.newRequestCounts()).toEqual({})
    pass(1_999)
    expect(await ring.find(used.secret, at())).toBe(caller)
    pass(1)
    expect(await ring.find(used.secret, at())).not.toBe(caller)
  })
})

test('what another process has answered counts, for the key that it was answered for', async () => {
  await withState(async (state, { at }) => {
    const limits = { rate_per_second: 1, burst: 5 }
    const busy = await state.keys.create({ name: 'busy', ...limits })
    const idle = await state.keys.create({ name: 'idle', ...limits })
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    const callers = [await ring.find(busy.secret, at()), await ring.find(idle.secret, at())]
    const buckets = callers.map((caller) => caller!.bucket)
    ring.subtract({ [busy.key.api_key_id]: 5 })
    expect(buckets.map((bucket) => bucket.take(at()) === 0)).toEqual([false, true])
  })
})

test('a key with another limit gets another bucket within two seconds; the burst follows the rate when none is set', async () => {
  await withState(async (state, { at, pass }) => {
    const { secret, key } = await state.keys.create({ name: 'partner', rate_per_second: 200 })
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    const limits = async () => {
      const { perSecond, burst } = (await ring.find(secret, at()))!.bucket
      return [perSecond, burst]
    }
    expect(await limits()).toEqual([200, 200])
    for (const [changes, expected] of [
      [{ burst: 300 }, [200, 300]],
      [{ rate_per_second: 20 }, [20, 300]],
      [{ burst: null }, [20, 100]],
      [{ rate_per_second: null }, [50, 100]],
    ] as const) {
      await state.keys.update(key.api_key_id, changes)
      pass(2_000)
      expect(await limits()).toEqual(expected)
    }
  })
})

test('servers divide the rate of a key at once, and keep what its buckets have used up', async () => {
  await withState(async (state, { at, pass }) => {
    const { secret } = await state.keys.create({ name: 'partner', rate_per_second: 8, burst: 8 })
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    const { bucket } = (await ring.find(secret, at()))!
    const taken = (): number => {
      let count = 0
      while (bucket.take(at()) === 0) count += 1
      return count
    }
    for (let n = 0; n < 4; n += 1) bucket.take(at())
    ring.share(4)
    // Half of the burst is used up, and a quarter of the other half is this server's.
    expect(taken()).toBe(1)
    pass(1_000)
    expect(taken()).toBe(2)
    pass(2_000)
    expect((await ring.find(secret, at()))!.bucket).toBe(bucket)
    expect([bucket.perSecond, bucket.burst]).toEqual([2, 2])
    ring.share(100)
    expect(bucket.burst).toBe(1)
    ring.share(1)
    expect([bucket.perSecond, bucket.burst]).toEqual([8, 8])
  })
})

test('a clock that steps back makes a key be looked up again', async () => {
  await withState(async (state, { at, pass }) => {
    const { secret } = await state.keys.create({ name: 'partner' })
    const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
    const first = await ring.find(secret, at())
    expect(await ring.find(secret, at())).toBe(first)
    pass(-1)
    expect(await ring.find(secret, at())).not.toBe(first)
  })
})

test.skipIf(IN_POSTGRES)(
  '10,000 keys are remembered; beyond that the one that was least recently looked at is forgotten',
  async () => {
    await withState(async (state, { at, pass }) => {
      const secrets: string[] = []
      await state.db.transaction(async () => {
        for (let n = 0; n < 10_001; n += 1)
          secrets.push((await state.keys.create({ name: `key ${n}` })).secret)
      })
      const ring = new KeyRing(state.keys, { perSecond: 50, burst: 100 })
      for (const secret of secrets.slice(0, 10_000)) await ring.find(secret, at())
      expect(ring.has(secrets[0]!)).toBe(true)
      // Reading the first key again makes the second one the oldest.
      pass(2_000)
      await ring.find(secrets[0]!, at())
      await ring.find(secrets[10_000]!, at())
      expect([0, 1, 2, 10_000].map((n) => ring.has(secrets[n]!))).toEqual([true, false, true, true])
    })
  },
)

test('a change of a key changes what it names; null takes a limit away', async () => {
  await withState(async (state, { at }) => {
    const { key } = await state.keys.create({ name: 'partner' })
    const id = key.api_key_id
    const expires_at = new Date(at() + 60_000)
    const limited = { rate_per_second: 5, burst: 6, scopes: ['person:read' as const], allowed_addresses: ['203.0.113.0/24'] } // prettier-ignore
    const changed = await state.keys.update(id, { ...limited, expires_at })
    expect(changed).toEqual({ ...key, ...limited, expires_at: expires_at.toISOString() })
    expect(await state.keys.update(id, { name: 'renamed' })).toEqual({ ...changed, name: 'renamed' })
    expect(await state.keys.update(id, { rate_per_second: null, burst: null, scopes: null, allowed_addresses: null, expires_at: null })).toEqual({ ...key, name: 'renamed' }) // prettier-ignore
    await expect(state.keys.update(id, { expires_at: new Date(at()) })).rejects.toThrow(/is in the past/)
    expect((await state.keys.update(id, { expires_at: new Date(at() + 1) })).expires_at).not.toBeNull()
  })
})

test('keys can be listed by account', async () => {
  await withState(async (state) => {
    const first = (await state.keys.create({ name: 'first' })).key
    const second = (await state.keys.create({ name: 'second' })).key
    expect(await state.keys.list(first.account_id)).toEqual([first])
    expect(await state.keys.list()).toEqual([first, second])
    expect([first.api_key_id, first.is_test, first.is_billed, first.purpose]).toEqual([
      expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
      false,
      true,
      'none',
    ])
  })
})
