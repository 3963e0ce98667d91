import { expect, test } from 'vitest'
import { run } from '../../../src/cli/commands/enrichments.ts'
import { systemClock } from '../../../src/clock.ts'
import { loadConfig } from '../../../src/config.ts'
import { silentLog } from '../../../src/log.ts'
import { openState } from '../../../src/state/open.ts'
import { withFolder } from '../../support/folder.ts'

const REQUEST = { list: 'list.csv', mapping: [], fields: ['age'], require: [], min_score: 50, max_billable: 3, today: '2026-06-01', is_test: false } // prettier-ignore

test('lists show what callers sent, and cancel gives their rows back to the monthly cap', async () => {
  await withFolder(async (folder) => {
    const config = loadConfig({ PLATBOOK_DATA: folder })
    const state = await openState(config.paths.state, { now: systemClock, log: silentLog })
    const { key } = await state.keys.create({ name: 'test', monthly_cap: 3 })
    const at = Date.now()
    const capped = { account_id: key.account_id, monthly_cap: 3 }
    for (let row = 0; row < 3; row++) await state.allowances.take(capped, at)
    await state.db.run(
      `insert into enrichments (enrichment_id, account_id, api_key_id, status, created_at, leased_until, request, row_count, byte_count) values ('enr_1', ?, ?, 'queued', ?, 0, ?, 3, 70)`,
      key.account_id,
      key.api_key_id,
      at,
      JSON.stringify(REQUEST),
    )
    const out: string[] = []
    const io = { config, out: (line: string) => void out.push(line), err: () => {}, isTerminal: false, now: systemClock, signal: new AbortController().signal } // prettier-ignore
    await run(['list', '--json'], io)
    expect(JSON.parse(out.pop()!)).toMatchObject([
      { enrichment_id: 'enr_1', status: 'queued', rows: 3, bytes: 70 },
    ])
    expect(await state.allowances.take(capped, at)).toBe(false)
    await run(['cancel', 'enr_1'], io)
    expect(out.pop()).toBe(
      'cancelled enr_1; the server stops working on it within a second, and nothing is billed',
    )
    expect(await state.allowances.take(capped, at)).toBe(true)
    await expect(run(['cancel', 'enr_1'], io)).rejects.toThrow(
      'the enrichment enr_1 is cancelled: only a queued or running job',
    )
    await expect(run(['cancel', 'enr_2'], io)).rejects.toThrow('there is no enrichment enr_2')
    await run(['list'], io)
    expect(out.pop()).toBe('no job is queued or running; --all also lists jobs that have ended')
    await run(['list', '--all'], io)
    expect(out.join('\n')).toMatch(/enr_1 .*cancelled/)
    await state.close()
  })
})
