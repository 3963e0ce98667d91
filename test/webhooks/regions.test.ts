import { expect, test } from 'vitest'
import { loadRegions } from '../../src/normalize/regions.ts'
import { jurisdictionOf } from '../../src/webhooks/regions.ts'

const regions = loadRegions()

test('a test event takes place in the county that was subscribed to, or in the first county of the state', () => {
  expect(jurisdictionOf(regions, '48453')).toEqual({ county: 'Travis', state: 'TX', fips_code: '48453' })
  expect(jurisdictionOf(regions, 'TX')).toEqual({ county: 'Anderson', state: 'TX', fips_code: '48001' })
})
