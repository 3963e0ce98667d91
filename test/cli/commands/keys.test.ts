import { expect, test } from 'vitest'
import * as accounts from '../../../src/cli/commands/accounts.ts'
import * as keys from '../../../src/cli/commands/keys.ts'
import type { CommandIo } from '../../../src/cli/io.ts'
import { loadConfig } from '../../../src/config.ts'
import { currentSnapshot } from '../../../src/lookup/format/current.ts'
import { openState } from '../../../src/state/open.ts'
import { accessEvent } from '../../state/support.ts'
import { withFolder } from '../../support/folder.ts'

const NOW = new Date('2026-08-14T12:00:00Z')

interface Desk {
  readonly io: CommandIo
  readonly err: string[]
  /** The lines that a command prints, and what it prints with --json. */
  readonly keys: (...argv: string[]) => Promise<string>
  readonly keysJson: <T = Record<string, unknown>>(...argv: string[]) => Promise<T>
  readonly accounts: (...argv: string[]) => Promise<string>
}

async function withDesk(body: (desk: Desk) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const out: string[] = []
    const err: string[] = []
    const io: CommandIo = {
      config: loadConfig({ PLATBOOK_DATA: folder, LOG_LEVEL: 'silent' }),
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
      isTerminal: false,
      now: () => NOW,
      signal: new AbortController().signal,
    }
    const printed = async (ended: Promise<number>): Promise<string> => {
      expect(await ended).toBe(0)
      return out.splice(0).join('\n')
    }
    await body({
      io,
      err,
      keys: (...argv) => printed(keys.run(argv, io)),
      keysJson: async (...argv) => JSON.parse(await printed(keys.run([...argv, '--json'], io))) as never,
      accounts: (...argv) => printed(accounts.run(argv, io)),
    })
  })
}

test('a leaked key is replaced with a grace, and the account keeps what it has', async () => {
  await withDesk(async ({ io, err, keys: runKeys, keysJson }) => {
    const made = await keysJson('create', '--name', 'Partner', '--cap', '1000', '--invite', 'webhooks')
    const secret = await runKeys('rotate', String(made['api_key_id']), '--grace', '90m')
    expect(secret).toMatch(/^pk_[0-9A-Za-z]{32}$/)
    expect(err.at(-2)).toMatch(
      /^key key_\w{16} replaces key_\w{16}, which stops working at 2026-08-14T13:30:00.000Z$/,
    )
    const [old, next] = await keysJson<Record<string, unknown>[]>(
      'list',
      '--account',
      String(made['account_id']),
    )
    expect(old).toMatchObject({ expires_at: '2026-08-14T13:30:00.000Z', account_id: made['account_id'] })
    expect(next).toMatchObject({
      expires_at: null,
      monthly_cap: 1000,
      invitations: ['webhooks'],
      rotated_from: made['api_key_id'],
    })
    const table = await runKeys('list')
    expect(table).toContain('live until 2026-08-14T13:30Z')
    expect(table).not.toContain(secret)
    await expect(keys.run(['rotate', String(made['api_key_id'])], io)).rejects.toThrow(
      /was already replaced by key_/,
    )
  })
})

test('a key is limited when it is made, changed later, and listed with its last use', async () => {
  await withDesk(async ({ io, keys: runKeys, keysJson }) => {
    const key = await keysJson(
      'create',
      '--name',
      'Desk',
      '--expires',
      '30d',
      '--scopes',
      'person:read,usage:read',
      '--addresses',
      '203.0.113.0/24,2001:db8::1',
      '--purpose',
      'fraud_prevention',
    )
    expect(key).toMatchObject({
      expires_at: '2026-09-13T12:00:00.000Z',
      scopes: ['person:read', 'usage:read'],
      allowed_addresses: ['203.0.113.0/24', '2001:db8::1/128'],
      purpose: 'fraud_prevention',
    })
    const id = String(key['api_key_id'])
    expect(await runKeys('list')).toMatch(
      /person:read,usage:read +203\.0\.113\.0\/24,2001:db8::1\/128 +fraud_prevention +2026-08-14 +never +live until 2026-09-13T12:00Z/,
    )
    expect(
      await runKeys(
        'update',
        id,
        '--scopes',
        'all',
        '--addresses',
        'all',
        '--expires',
        'none',
        '--rate',
        '7',
      ),
    ).toBe(`${id} is changed; running servers apply the change within 2 seconds`)
    const state = await openState(io.config.paths.state)
    state.events.record(accessEvent({ api_key_id: id, event_ts: Date.parse('2026-08-14T11:58:59Z') }))
    await state.close()
    expect(await runKeys('list')).toMatch(
      / 7 +- +all +all +fraud_prevention +2026-08-14 +2026-08-14T11:58 +live$/,
    )
  })
})

test('a test key brings the invented people that it is answered from, once', async () => {
  await withDesk(async ({ io, err, keysJson, accounts: runAccounts }) => {
    expect(await keysJson('create', '--name', 'Trial', '--test')).toMatchObject({
      kind: 'test',
      is_test: true,
      is_billed: false,
    })
    expect(err).toEqual([
      expect.stringMatching(/^published the invented people for test keys in .*test-snapshots$/),
    ])
    expect(await currentSnapshot(io.config.paths.testSnapshots)).not.toBeNull()
    await runAccounts('create', '--name', 'Another', '--test')
    expect(err).toHaveLength(1)
  })
})

test('an account has several keys and changes its terms', async () => {
  await withDesk(async ({ accounts: runAccounts, keysJson, keys: runKeys }) => {
    const account = JSON.parse(
      await runAccounts('create', '--name', 'Partner', '--plan', 'gold', '--json'),
    ) as { account_id: string }
    for (const name of ['web', 'batch'])
      await runKeys('create', '--name', name, '--account', account.account_id)
    expect(
      await runAccounts('update', account.account_id, '--cap', '500', '--invite', 'webhooks,events'),
    ).toMatch(/acct_\w{16} +Partner +live +gold +0 +500 +webhooks,events +2 +2026-08-14/)
    expect(await runAccounts('update', account.account_id, '--cap', 'none')).toMatch(/gold +0 +- /)
    expect(await keysJson('list', '--account', account.account_id)).toMatchObject([
      { name: 'web' },
      { name: 'batch' },
    ])
    expect(JSON.parse(await runAccounts('list', '--json'))).toMatchObject([
      { key_count: 2, billable_this_month: 0 },
    ])
  })
})

test.each([
  [
    ['create', '--name', 'x', '--account', 'acct_1', '--cap', '5'],
    /--cap belongs to an account, and acct_1 exists already/,
  ],
  [['create', '--name', 'x', '--account', 'acct_1'], /there is no account acct_1/],
  [['create', '--name', 'x', '--scopes', 'person:write'], /--scopes takes person:read, .*not 'person:write'/],
  [['create', '--name', 'x', '--addresses', 'example.com'], /'example.com' is not an IP address or network/],
  [
    ['create', '--name', 'x', '--purpose', 'curiosity'],
    /--purpose takes none, fraud_prevention, .*not 'curiosity'/,
  ],
  [['create', '--name', 'x', '--expires', 'soon'], /--expires takes 2027-01-31.*not 'soon'/],
  [['create', '--name', 'x', '--expires', '2026-08-14'], /the expiry 2026-08-14\S+ is in the past/],
  [['create', '--name', 'x', '--grace', '1h'], /'keys create' takes no --grace/],
  [['update', 'key_1', '--purpose', 'research'], /'keys update' takes no --purpose/],
  [['update', 'key_1'], /name at least one thing to change/],
  [['rotate', 'key_1', '--grace', '1'], /--grace takes a time such as 0h, 90m, 24h or 7d, not '1'/],
  [['rotate', 'key_1'], /there is no key key_1/],
  [['list', '--account', 'acct_1'], /there is no account acct_1/],
])('keys %j is refused', async (argv, reason) => {
  await withDesk(async ({ io }) => {
    await expect(keys.run(argv, io)).rejects.toThrow(reason)
  })
})

test.each([
  [[], /name an action/],
  [['destroy'], /no action 'accounts destroy'/],
  [['create'], /needs a --name/],
  [['update'], /name an account/],
  [['update', 'acct_1'], /name at least one thing to change/],
  [['update', 'acct_1', '--test'], /an account cannot change its kind/],
  [['update', 'acct_1', '--plan', 'gold'], /there is no account acct_1/],
])('accounts %j is refused', async (argv, reason) => {
  await withDesk(async ({ io }) => {
    await expect(accounts.run(argv, io)).rejects.toThrow(reason)
  })
})
