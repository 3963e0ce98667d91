import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { houseKey, streetKey, unitKey, wingKey } from '../../src/lookup/format/address-keys.ts'
import { normalizeAddress, readAddress } from '../../src/normalize/address.ts'

const WORDS = ['12', '0012', '45-12', '123 1/2', 'N', 'South', 'Saint', 'St', 'Mary', 'First', '1st', 'Main', "O'Brien", 'Elm', 'Ave', 'Street', 'Lake', 'Farm to Market Road', 'FM', '620', 'US', 'Hwy', 'Martin Luther King', 'Fwy', 'Apt', '#', '4', '04', 'Bldg', 'Twr', 'B', 'Fl', '3', 'Lot', 'PO Box', 'RR', '&', 'ñandú', ',', 'Austin', 'TX'] // prettier-ignore
const Line = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...WORDS) }, fc.string({ maxLength: 6 })), {
    minLength: 1,
    maxLength: 9,
  })
  .map((words) => words.join(' '))

// The name alone has no suffix, by which 'N FWY' would be 'NORTH FWY'.
const EXPRESSWAYS = new Set(['FWY', 'LOOP', 'EXPY', 'HWY', 'TPKE', 'PKWY'])

test('the parts of an address are searched by the identity that the whole of it has', () => {
  fc.assert(
    fc.property(Line, (line_1) => {
      const { house_number, street_name, street_suffix, building, unit_type, unit_number, ...keys } =
        normalizeAddress({ line_1, zip: '78701' })
      if (house_number === null || street_name === null || EXPRESSWAYS.has(street_suffix ?? '')) return
      // A house number of zeros is none.
      if (houseKey(house_number) === '0') return
      const [house, , street] = keys.building_key!.split('|')
      expect([houseKey(house_number), streetKey(street_name)]).toEqual([house, street])
      const wing = wingKey(building ?? '')
      const unit = unitKey(unit_type ?? '', unit_number ?? '')
      const inner = wing === '' ? unit : `${wing} ${unit}`
      expect(keys.address_key).toBe(inner === '' ? keys.building_key : `${keys.building_key}|${inner}`)
    }),
    { numRuns: 5_000 },
  )
})

test('what a lookup reads of an address is what the night reads of it', () => {
  fc.assert(
    fc.property(
      Line,
      fc.option(fc.constantFrom('Austin', 'Fort Worth', 'AUSTIN TX 78701')),
      (line_1, city) => {
        const { line, ...place } = readAddress({ line_1, city })
        expect(normalizeAddress({ line_1, city })).toMatchObject({ ...line, ...place })
      },
    ),
    { numRuns: 2_000 },
  )
})
