import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFolder } from '../support/folder.ts'
import { contentAfterKills, contentOf, landWorld, night } from './kills.ts'

test('nights that are killed, wherever it was, leave what an undisturbed night leaves', async () => {
  await withFolder(async (folder) => {
    const landing = join(folder, 'landing')
    await landWorld(landing, 10_000)
    const undisturbed = join(folder, 'undisturbed.duckdb')
    const { workedMs } = await night(undisturbed, landing, null)
    const expected = await contentOf(undisturbed)
    expect(expected['staging.parcels']?.length).toBe(20_000 - 22)
    expect(expected['ledger.quarantine']?.length).toBeGreaterThan(10)
    const shares = [0.05, 0.2, 0.35, 0.5, 0.65, 0.8]
    const { content, killed } = await contentAfterKills(folder, landing, workedMs, shares)
    expect(killed).toBeGreaterThan(0)
    for (const table of Object.keys(expected)) expect(content[table], table).toEqual(expected[table])
    expect((await readdir(folder)).filter((name) => name.endsWith('.ingest'))).toEqual([])
  })
}, 180_000)
