import { expect, test } from 'vitest'
import { withState } from './support.ts'

test('an account has the terms that were given, and the usual ones for the others', async () => {
  await withState(async ({ accounts }, { now }) => {
    const plain = await accounts.create({ name: ' Partner ' })
    expect(plain).toEqual({
      account_id: expect.stringMatching(/^acct_[0-9A-Za-z]{16}$/),
      name: 'Partner',
      plan: 'standard',
      monthly_cap: null,
      invitations: [],
      kind: 'live',
      created_at: now().toISOString(),
    })
    const special = await accounts.create({ name: 'b', plan: 'gold', monthly_cap: 5, invitations: ['events'], kind: 'demo' }) // prettier-ignore
    expect(special).toMatchObject({ plan: 'gold', monthly_cap: 5, invitations: ['events'], kind: 'demo' })
    expect(await accounts.list()).toEqual([plain, special])
  })
})

test('a change of an account changes the terms that it names and no others', async () => {
  await withState(async ({ accounts }) => {
    const before = await accounts.create({ name: 'a', plan: 'gold', monthly_cap: 5, invitations: ['events'] })
    const other = await accounts.create({ name: 'other' })
    const { account_id } = before
    expect(await accounts.update(account_id, {})).toEqual(before)
    expect(await accounts.update(account_id, { name: 'b' })).toEqual({ ...before, name: 'b' })
    expect(await accounts.update(account_id, { plan: 'silver' })).toMatchObject({ name: 'b', plan: 'silver' })
    expect(await accounts.update(account_id, { monthly_cap: null })).toMatchObject({ monthly_cap: null, plan: 'silver' }) // prettier-ignore
    expect(await accounts.update(account_id, { invitations: [] })).toMatchObject({
      invitations: [],
      name: 'b',
    })
    expect(await accounts.get(other.account_id)).toEqual(other)
    await expect(accounts.get('acct_none')).rejects.toThrow(/no account acct_none.*accounts list/)
  })
})

test.each(['', ' ', 'a'.repeat(201), 'a\u001bb'])('the name %j is refused', async (name) => {
  await withState(async ({ accounts }) => {
    await expect(accounts.create({ name })).rejects.toThrow(
      /needs a name|at most 200 characters|control characters/,
    )
    expect((await accounts.create({ name: 'a'.repeat(200) })).name).toHaveLength(200)
  })
})
