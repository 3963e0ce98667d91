import { test } from 'vitest'
import { surviveKills } from '../enrich/kills.ts'

test(
  'two lists whose runs are killed forty times each come to the very same',
  { timeout: 1_800_000 },
  async () => {
    for (const seed of [11, 12]) await surviveKills({ kills: 40, rows: 200_000, seed })
  },
)
