import { expect, test } from 'vitest'
import { withState } from './support.ts'

const FILE = { source_id: 'fl_broward', sha256: 'a'.repeat(64), file_name: 'deeds.csv' }

test('a decision about a file is kept with its time; a later one takes its place', async () => {
  await withState(async ({ sourceDecisions }, { pass }) => {
    await sourceDecisions.record([
      { ...FILE, member: null, decision: 'reject' },
      { ...FILE, member: 'part.csv', decision: 'accept' },
    ])
    pass(1_000)
    await sourceDecisions.record([{ ...FILE, member: null, decision: 'accept_always' }])
    expect(await sourceDecisions.all()).toEqual([
      { ...FILE, member: 'part.csv', decision: 'accept', decided_at: '2026-08-14T12:00:00.000Z' },
      { ...FILE, member: null, decision: 'accept_always', decided_at: '2026-08-14T12:00:01.000Z' },
    ])
  })
})

test('a discard of quarantined lines is kept with who, when and why', async () => {
  await withState(async ({ quarantineDiscards }) => {
    const discard = { ...FILE, kind: 'deeds', member: null, why: 'test rows of the clerk', discarded_by: 'operator' } // prettier-ignore
    await quarantineDiscards.record([
      { ...discard, line_numbers: [4, 9] },
      { ...discard, member: 'part.csv', line_numbers: [7] },
    ])
    expect(await quarantineDiscards.all()).toEqual([
      { ...discard, discard_id: 1, line_numbers: [4, 9], row_count: 2, discarded_at: '2026-08-14T12:00:00.000Z' },
      { ...discard, discard_id: 2, member: 'part.csv', line_numbers: [7], row_count: 1, discarded_at: '2026-08-14T12:00:00.000Z' },
    ]) // prettier-ignore
  })
})

test('decisions that cannot be written together leave nothing behind', async () => {
  await withState(async ({ sourceDecisions, quarantineDiscards }) => {
    const bad = { ...FILE, member: null, decision: 'reject', file_name: null as unknown as string } as const
    await expect(sourceDecisions.record([{ ...FILE, member: null, decision: 'accept' }, bad])).rejects.toThrow(/not.null/i) // prettier-ignore
    expect(await sourceDecisions.all()).toEqual([])
    const discard = { ...FILE, kind: 'deeds', member: null, line_numbers: [1], why: 'w', discarded_by: 'o' }
    await expect(quarantineDiscards.record([discard, { ...discard, why: null as unknown as string }])).rejects.toThrow(/not.null/i) // prettier-ignore
    expect(await quarantineDiscards.all()).toEqual([])
  })
})
