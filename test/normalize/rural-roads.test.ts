import { describe, expect, test } from 'vitest'
import { normalizeAddress } from '../../src/normalize/address.ts'
import { addressNotation } from './labelled-lines.ts'

// text => number|pre|name|suffix|post|building, unit|box|cross street|city|state|zip
describe.each<[string, [string, string][]]>([
  [
    'county roads keep their letters',
    [
      ['123 COUNTY ROAD ZZZ', '123||COUNTY ROAD ZZZ'],
      ['123 COUNTY ROAD PDZ', '123||COUNTY ROAD PDZ'],
      ['123 COUNTY ROAD APT 4', '123||COUNTY|RD||APT 4'],
      ['123 COUNTY RD AAA', '123||COUNTY RD AAA'],
      ['N123 COUNTY ROAD BBB', 'N123||COUNTY ROAD BBB'],
      ['123 CTH ZZZ', '123||CTH ZZZ'],
      ['123 COUNTY TRUNK HWY A', '123||COUNTY TRUNK HWY A'],
      ['123 COUNTY TRUNK HIGHWAY AA', '123||COUNTY TRUNK HIGHWAY AA'],
      ['123 COUNTY TRUNK A', '123||COUNTY TRUNK A'],
      ['123 CO TRK HWY A', '123||CO TRK HWY A'],
      ['W123 CTY RD A', 'W123||CTY RD A'],
      ['W123 CTY TRK JK', 'W123||CTY TRK JK'],
      ['123 CTY HWY J APT 2', '123||CTY HWY J|||APT 2'],
      ['123 STATE TRUNK HWY 29', '123||STATE TRUNK HWY 29'],
      ['Route # A', '||ROUTE # A'],
      ['123 Route # A', '123||ROUTE # A'],
      ['123 ROUTE # 5', '123||ROUTE # 5'],
      ['123 COUNTY ROAD # 12', '123||COUNTY ROAD # 12'],
      ['123 GRAVENSTEIN HWY # 5', '123||GRAVENSTEIN|HWY||# 5'],
    ],
  ],
  [
    'grid numbers of Ohio are house numbers',
    [
      ['T703 COUNTY ROAD 5', 'T703||COUNTY ROAD 5'],
      ['T703 State Route 66, Archbold, OH 43502', 'T703||STATE ROUTE 66||||||ARCHBOLD|OH|43502'],
      ['T-703 COUNTY ROAD 5', 'T-703||COUNTY ROAD 5'],
      ['H123 Maple Rd', 'H123||MAPLE|RD'],
      ['I95 SERVICE RD', '||I95 SERVICE|RD'],
    ],
  ],
  [
    'floors keep their ordinals',
    [
      ['100 Main St Fl 3rd', '100||MAIN|ST||FL 3'],
      ['100 Main St Fl 3rd, New York NY 10001', '100||MAIN|ST||FL 3|||NEW YORK|NY|10001'],
      ['100 Main St Flr 2nd Apt 4', '100||MAIN|ST||FL 2, APT 4'],
      ['100 Main St Floor Third', '100||MAIN|ST||FL 3'],
      ['100 Main St 3rd Fl', '100||MAIN|ST||FL 3'],
    ],
  ],
  [
    'a city keeps its direction and its township',
    [
      ['100 MAIN ST, N. MIAMI, FL 33161', '100||MAIN|ST|||||N MIAMI|FL|33161'],
      ['100 MAIN ST, N MIAMI FL 33161', '100||MAIN|ST|||||N MIAMI|FL|33161'],
      ['100 NE 125TH ST N. MIAMI FL 33161', '100|NE|125TH|ST|||||N MIAMI|FL|33161'],
      ['100 MAIN ST, N, MIAMI, FL 33161', '100||MAIN|ST|N||||MIAMI|FL|33161'],
      ['123 ROUTE 590 PALMYRA TWP PA 18428', '123||ROUTE 590||||||PALMYRA TWP|PA|18428'],
      ['123 ROUTE 590 PALMYRA TWP', '123||ROUTE 590||||||PALMYRA TWP'],
      ['ROUTE 590 PALMYRA TWP', '||ROUTE 590||||||PALMYRA TWP'],
      ['123 OAK ST CLINTON TOWNSHIP', '123||OAK|ST|||||CLINTON TOWNSHIP'],
      ['123 TWP RD 55', '123||TWP RD 55'],
    ],
  ],
  [
    'highway contract routes have their box',
    [
      ['HC R 32 BOX 12', '||HC 32|||BOX 12'],
      ['HC R 32 Box # 12', '||HC 32|||BOX 12'],
      ['H C 32 BOX 12', '||HC 32|||BOX 12'],
      ['HC RTE 32 BOX 12', '||HC 32|||BOX 12'],
      ['HIGHWAY CONTRACT RT 32 BOX 12', '||HC 32|||BOX 12'],
    ],
  ],
  [
    'a mile marker is the number of a place without a house number',
    [
      ['MM 88.5 OVERSEAS HWY', 'MM 88.5||OVERSEAS|HWY'],
      ['OVERSEAS HWY MM 88.5', 'MM 88.5||OVERSEAS|HWY'],
      ['OVERSEAS HWY, MILE MARKER 88.5', 'MM 88.5||OVERSEAS|HWY'],
      ['MILEPOST 12 ALASKA HWY', 'MM 12||ALASKA|HWY'],
      ['MILE 12 GLENN HWY', 'MM 12||GLENN|HWY'],
      ['HWY 1 MM 88', 'MM 88||HWY 1'],
      ['12345 US HWY 1 MM 88', '12345||US HWY 1'],
      ['12 MILE RD', '12||MILE|RD'],
    ],
  ],
  [
    'a note that nothing is known is no street',
    [
      ['N/A MAIN ST', '||MAIN|ST'],
      ['N/A 123 MAIN ST', '123||MAIN|ST'],
      ['123 MAIN ST N/A', '123||MAIN|ST'],
      ['N/A', ''],
    ],
  ],
  [
    'the name of a complex behind the street is no street',
    [
      ['100 N MAIN ST HIDDEN OAKS APTS', '100|N|MAIN|ST'],
      ['100 MAIN ST RIVERSIDE PLAZA', '100||MAIN|ST'],
      ['100 OAK AVE GARDEN COURT APTS', '100||OAK|AVE'],
      ['12 MAPLE LN SUNNY ACRES TRAILER PARK', '12||MAPLE|LN'],
      ['12 PINE RD LAKE VILLAGE', '12||PINE|RD'],
      ['12 PINE RD LAKE VILLAGE APT 4', '12||PINE|RD||APT 4'],
      ['12 PINE RD HARBOR POINT CONDOMINIUM UNIT 4', '12||PINE|RD||UNIT 4'],
      ['1601 Elmwood Road Route 776', '1601||ELMWOOD|RD'],
      ['4102 E ST HWY 29', '4102|E|ST HWY 29'],
      ['100 MAIN ST STATE ROUTE 9 APT 4', '100||MAIN|ST||APT 4'],
      ['100 OLD MILL RD COUNTY ROAD 12', '100||OLD MILL|RD'],
      ['100 OLD MILL RD, US HWY 12', '100||OLD MILL|RD'],
      ['HARBOR VIEW N 507 2600 N OAK DR', '2600|N|OAK|DR'],
      ['DEPT 96 0430, 3545 NW 58TH', '3545|NW|58TH|||DEPT 96 0430'],
      ['PO BOX 12 DEPT 472 806009', '|||||DEPT 472 806009|12'],
      ['12 PINE RD THE COVE AT HARBOR POINT', '12||PINE|RD'],
    ],
  ],
])('%s', (_, rows) => {
  test.each(rows)('%s', (text, expected) => {
    expect(addressNotation(normalizeAddress({ line_1: text }))).toBe(expected)
  })
})

function keyOf(line_1: string): string | null {
  return normalizeAddress({ line_1, zip: '54501' }).address_key
}

test('two county roads are two streets, and one road in two spellings is one', () => {
  expect(keyOf('123 COUNTY ROAD ZZZ')).not.toBe(keyOf('123 COUNTY ROAD AAA'))
  expect(keyOf('123 COUNTY ROAD ZZY')).not.toBe(keyOf('123 COUNTY ROAD ZZX'))
  const spellings = ['COUNTY ROAD A', 'COUNTY TRUNK HWY A', 'CTH A', 'CTY RD A', 'CO TRK HWY A', 'COUNTY TRUNK A', 'CR A', 'CTY HWY A'] // prettier-ignore
  expect(new Set(spellings.map((road) => keyOf(`123 ${road}`)))).toEqual(new Set(['123||CR A|||54501']))
  expect(keyOf('123 STATE TRUNK HWY 29')).toBe(keyOf('123 STH 29'))
  expect(keyOf('123 ROUTE # A')).toBe(keyOf('123 ROUTE A'))
  expect(keyOf('OVERSEAS HWY MM 88.5')).toBe(keyOf('MM 88.5 OVERSEAS HWY'))
})
