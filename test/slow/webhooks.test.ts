import { test } from 'vitest'
import { surviveKills } from '../webhooks/kills.ts'

test('two hundred kills at random moments of delivery lose no event', { timeout: 1_800_000 }, async () => {
  await surviveKills({ kills: 200, perKill: 60, seed: 7 })
})
