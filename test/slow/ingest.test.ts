import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contentAfterKills, contentOf, landWorld, night } from '../ingest/kills.ts'
import { withFolder } from '../support/folder.ts'

test('nights killed at sixty moments leave what an undisturbed night leaves', async () => {
  await withFolder(async (folder) => {
    const landing = join(folder, 'landing')
    await landWorld(landing, 60_000)
    const undisturbed = join(folder, 'undisturbed.duckdb')
    const { workedMs } = await night(undisturbed, landing, null)
    const expected = await contentOf(undisturbed)
    let killed = 0
    for (let round = 0; round < 10; round++) {
      const shares = Array.from({ length: 6 }, (_, index) => ((index * 7 + round * 3) % 61) / 61)
      const after = await contentAfterKills(folder, landing, workedMs, shares)
      killed += after.killed
      for (const table of Object.keys(expected)) expect(after.content[table], table).toEqual(expected[table])
    }
    expect(killed).toBeGreaterThan(30)
  })
}, 3_600_000)
