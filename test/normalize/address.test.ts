import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeAddress } from '../../src/normalize/address.ts'
import type { AddressInput } from '../../src/normalize/address.ts'
import { anyLetter } from '../support/any-text.ts'

const AUSTIN = { city: 'Austin', state: 'TX', zip: '78701' }

test.each<[AddressInput, string]>([
  [{ line_1: '123 N MAIN STREET APT 4', ...AUSTIN }, '123 N Main St Apt 4, Austin, TX 78701'],
  [{ line_1: '123 n main st apt 4, austin, tx 78701-1234' }, '123 N Main St Apt 4, Austin, TX 78701'],
  [{ line_1: '123 N MAIN ST APT 4 AUSTIN TX 787011234' }, '123 N Main St Apt 4, Austin, TX 78701'],
  [{ line_1: '123 N Main St', line_2: 'Apt 4', ...AUSTIN }, '123 N Main St Apt 4, Austin, TX 78701'],
  [{ line_1: 'C/O JANE ROE', line_2: '123 N MAIN ST', ...AUSTIN }, '123 N Main St, Austin, TX 78701'],
  [{ line_1: '% ROE PROPERTIES 123 N MAIN ST', ...AUSTIN }, '123 N Main St, Austin, TX 78701'],
  [{ line_1: 'ROE FAMILY TRUST', line_2: '123 N MAIN ST', ...AUSTIN }, '123 N Main St, Austin, TX 78701'],
  [{ line_1: '123 N Main St', city: 'AUSTIN, TEXAS 78701' }, '123 N Main St, Austin, TX 78701'],
  [{ line_1: '100 5TH AVE N ST PETERSBURG FL' }, '100 5th Ave N, St Petersburg, FL'],
  [{ line_1: 'po box 12', ...AUSTIN }, 'PO Box 12, Austin, TX 78701'],
  [{ line_1: '12 us hwy 290 w', ...AUSTIN }, '12 US Hwy 290 W, Austin, TX 78701'],
  [{ line_1: "9 O'BRIEN WAY", ...AUSTIN }, "9 O'Brien Way, Austin, TX 78701"],
  [{ line_1: '9 MCDONALD RD UNIT 4B', ...AUSTIN }, '9 McDonald Rd Unit 4B, Austin, TX 78701'],
  [{ line_1: '12 ELM CT 06103' }, '12 Elm Ct, CT 06103'],
  [{ line_1: '12 ELM ST', city: 'HARTFORD', state: 'CT', zip: '6103' }, '12 Elm St, Hartford, CT 06103'],
  [{ line_1: '12 ELM ST BOSTON MA 2108' }, '12 Elm St, Boston, MA 02108'],
  [{ line_1: '12 Elm St', zip: '00000', city: 'Austin', state: 'Tex.' }, '12 Elm St, Austin, TX'],
])('address %j is shown as %s', (input, shown) => {
  expect(normalizeAddress(input).full_address).toBe(shown)
})

const keyOf = (line_1: string): string | null => normalizeAddress({ line_1, ...AUSTIN }).address_key

test.each([
  ['123 Main Street', '123 MAIN ST.'],
  ['123 First St', '123 1st St'],
  ['123 Twenty-First St', '123 21st St'],
  ['123 Main St Apt 4', '123 Main St # 4'],
  ['123 Main St Unit 4-B', '123 Main St Apt 4B'],
  ['123 Main St Ste 04', '123 Main St Suite 4'],
  ['123 Saint Johns Ave', '123 St Johns Ave'],
  ['123 US Highway 290 E', '123 US Hwy 290 E'],
  ['123 County Road 12', '123 CR 12'],
  ['123 State Road 7', '123 State Hwy 7'],
  ['123 Interstate 35', '123 I-35'],
  ["123 O'Brien Way", '123 OBrien Way'],
  ['123 Main St Second Floor', '123 Main St Fl 2'],
  ['123 Main St Lot 7', '123 Main St Trlr 7'],
  ['P.O. Box 012', 'PO Box 12'],
  ['Oak St & Elm St', 'Elm St and Oak St'],
  ['Rural Route 2 Box 18', 'RR2 Box 18'],
])('%j and %j are one address', (left, right) => {
  expect(keyOf(left)).not.toBeNull()
  expect(keyOf(left)).toBe(keyOf(right))
})

test.each([
  ['123 Main St', '125 Main St'],
  ['123 N Main St', '123 S Main St'],
  ['123 Main St', '123 Main Ave'],
  ['123 Main St Apt 4', '123 Main St Apt 5'],
  ['123 Main St Apt 2', '123 Main St Fl 2'],
  ['123 Main St Bldg A Apt 4', '123 Main St Bldg B Apt 4'],
  ['PO Box 12', 'PO Box 13'],
])('%j and %j are two addresses', (left, right) => {
  expect(keyOf(left)).not.toBe(keyOf(right))
})

test('two flats are one building on one street', () => {
  const left = normalizeAddress({ line_1: '123 N Main St Apt 4', ...AUSTIN })
  const right = normalizeAddress({ line_1: '123 N Main St Apt 5', ...AUSTIN })
  expect(left.building_key).toBe(right.building_key)
  expect(left.street_key).toBe(normalizeAddress({ line_1: 'North Main Street', ...AUSTIN }).street_key)
})

test('without a place, a number or a street there is no address', () => {
  expect(normalizeAddress({ line_1: '123 Main St' }).address_key).toBeNull()
  expect(normalizeAddress({ line_1: '123 Main St', city: 'Austin' }).address_key).toBeNull()
  expect(normalizeAddress({ line_1: 'Main St', ...AUSTIN }).address_key).toBeNull()
  expect(normalizeAddress({ line_1: 'Main St', ...AUSTIN }).street_key).not.toBeNull()
  expect(normalizeAddress({ ...AUSTIN }).address_key).toBeNull()
  expect(normalizeAddress({}).full_address).toBeNull()
})

test('a country and a ZIP code without a street are read, and are no error', () => {
  expect(normalizeAddress({ line_1: 'United States 78701' })).toMatchObject({ zip: '78701', line1: null })
})

const word = (...words: string[]): fc.Arbitrary<string> => fc.constantFrom(...words)
const streetLine = fc
  .tuple(
    fc.integer({ min: 1, max: 99_999 }).map(String),
    word('', 'N', 'S', 'East', 'Northwest'),
    word(
      'Main',
      'Oak Hill',
      '21st',
      'Second',
      'Martin Luther King Jr',
      'Old Mill',
      'Saint Clair',
      'Lake Shore',
      "O'Hara",
      'McKinley',
    ),
    word('St', 'Avenue', 'Rd', 'Boulevard', 'Ct', 'Parkway'),
    word('', 'N', 'SW'),
    word('', 'Apt 4', '# 12B', 'Suite 200', 'Fl 3', 'Lot 7', 'Rear', 'Bldg C Apt 9', 'Unit 5-A'),
  )
  .map((parts) => parts.filter((part) => part !== '').join(' '))

test('normalising a normalised address changes nothing', () => {
  fc.assert(
    fc.property(streetLine, (line_1) => {
      const once = normalizeAddress({ line_1, ...AUSTIN })
      const again = normalizeAddress({ line_1: once.line1, ...AUSTIN })
      const oneField = normalizeAddress({ line_1: once.full_address })
      expect(once.address_key).not.toBeNull()
      expect(again).toEqual(once)
      expect(oneField.address_key).toBe(once.address_key)
    }),
  )
})

// Each list spells one part of an address.
const NUMBERS = [['123'], ['0123', '123'], ['12 1/2', '12-1/2', '12½'], ['123-125', '123 - 125']]
const DIRECTIONS = [[''], ['N', 'North', 'N.', 'NO'], ['SW', 'Southwest', 'S.W.', 'S W', 'South West']]
const STREETS = [
  ['Main St', 'MAIN STREET', 'main st.', 'Main Str'],
  ['First Ave', '1st Avenue', '1ST AV', 'First Aven'],
  ['Twenty-Second Rd', '22nd Road', 'Twenty Second Rd.'],
  ['Saint Clair Blvd', 'St Clair Boulevard', 'ST. CLAIR BLVD.'],
  ["O'Hara Ct", 'OHara Court'],
  ['Winston-Salem Dr', 'Winston Salem Drive'],
  ['Mount Hope Pkwy', 'Mt Hope Parkway', 'MT. HOPE PKY'],
  ['US Highway 290', 'US Hwy 290', 'U.S. Hwy. 290', 'US-290', 'US 290', 'Highway 290'],
  ['County Road 12', 'CR 12', 'Co Rd 12', 'C R 12', 'County Rd. 12'],
  ['Farm to Market Road 1960', 'FM 1960', 'F M 1960', 'FM1960', 'Farm to Market 1960'],
  [
    'State Highway 71',
    'State Hwy 71',
    'SH 71',
    'St Hwy 71',
    'State Rd 71',
    'SR-71',
    'Hwy 71',
    'TX 71',
    'TX-71',
  ],
  ['Dr Martin Luther King Jr Blvd', 'Martin Luther King Blvd', 'M L King Blvd', 'MLK Jr Boulevard'],
  ['North Fwy', 'N Freeway', 'N Fwy'],
  ['McCallum Dr', 'Mc Callum Drive'],
  ['Ranch Road 620', 'RM 620', 'RR 620'],
  ['Interstate 35', 'I-35', 'IH 35', 'I 35', 'IH-35'],
]
const UNITS = [
  [''],
  ['Apt 4', 'Apartment 4', 'APT. #4', '# 4', 'Unit 4', '#4', 'Apt 04', 'No. 4', 'Ste 4'],
  ['Unit 12-B', 'Apt 12B', '# 12 B', 'UNIT 12 B'],
  ['Bldg 4 Apt 12', 'Building 4, Apartment 12', 'Apt 12 Bldg 4', 'Bldg. 4 #12', 'BLDG 04 UNIT 12'],
  ['2nd Floor', 'Fl 2', 'Second Floor', '2 FL', '2FL', 'FLR 2'],
  ['Fl 3 Ste 310', 'Suite 310, 3rd Floor', '3RD FL STE 310'],
  ['Lot 7', 'Trlr 7', 'Space 7', 'SPC 7', 'Trailer 7'],
  ['PH 2', 'Penthouse 2', '#PH2', 'PH-2'],
  ['Rear', 'REAR', '(rear)'],
]

// Two spellings of one thing.
const spelled = (of: string[][]): fc.Arbitrary<[string, string]> =>
  fc.constantFrom(...of).chain((ways) => fc.tuple(fc.constantFrom(...ways), fc.constantFrom(...ways)))

test('an address has one key however its parts are spelled', () => {
  fc.assert(
    fc.property(
      spelled(NUMBERS),
      spelled(DIRECTIONS),
      spelled(STREETS),
      spelled(UNITS),
      fc.constantFrom('Austin, TX 78701', 'Austin TX 78701-1234', 'AUSTIN, TEXAS, 78701, USA'),
      (number, direction, street, unit, place) => {
        const line = (at: 0 | 1): string => [number, direction, street, unit].map((ways) => ways[at]).filter((part) => part !== '').join(' ') // prettier-ignore
        const key = keyOf(line(0))
        expect(key).not.toBeNull()
        expect(keyOf(line(1))).toBe(key)
        expect(normalizeAddress({ line_1: `${line(1)}, ${place}` }).address_key).toBe(key)
      },
    ),
    { numRuns: 2000 },
  )
})

test('case, spaces and punctuation do not tell addresses apart', () => {
  fc.assert(
    fc.property(
      streetLine,
      fc.boolean(),
      word(' ', '  ', '\t '),
      word('', '.', ','),
      (line_1, upper, space, mark) => {
        const written = (upper ? line_1.toUpperCase() : line_1.toLowerCase()).replaceAll(' ', space) + mark
        expect(keyOf(`${space}${written}${space}`)).toBe(keyOf(line_1))
      },
    ),
  )
})

test('whatever is typed, normalising gives an answer', () => {
  const text = fc.option(fc.string({ unit: anyLetter }))
  fc.assert(
    fc.property(fc.record({ line_1: text, line_2: text, city: text, state: text, zip: text }), (input) => {
      expect(normalizeAddress(input)).toHaveProperty('address_key')
    }),
    { numRuns: 1000 },
  )
})

test.each([
  { line_1: '12 Oak St', zip: '00000' },
  { line_1: '12 Oak St', zip: '99999-9999' },
  { line_1: '12 Oak St 00000' },
  { line_1: '12 Oak St, TX 00000-0000' },
])('%j has no ZIP code, and so no key', (input) => {
  const { zip, address_key, street_key } = normalizeAddress(input)
  expect([zip, address_key, street_key]).toEqual([null, null, null])
})

test.each(['0 Oak St', '000 Oak St', '0000 OAK ST APT 4'])(
  '%s has a street, and no house on it',
  (line_1) => {
    const { address_key, building_key, street_key } = normalizeAddress({ line_1, zip: '78701' })
    expect([address_key, building_key, street_key]).toEqual([null, null, '|OAK|ST||78701'])
  },
)
