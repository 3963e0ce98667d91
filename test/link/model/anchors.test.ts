import { expect, test } from 'vitest'
import { ADDRESS, AT, ATTRIBUTE, BIRTH, EMAIL, FIRST, LAST, PHONE } from '../../../src/link/compare/levels.ts'
import { anchorsIn } from '../../../src/link/model/anchors.ts'
import { patternsOf } from './patterns-of.ts'

const ATTRIBUTES = [
  { kind: 'voter', isIdentifier: true },
  { kind: 'trade', isIdentifier: false },
]
const NAMES = { first_name: FIRST.exact, last_name: LAST.exact }
const BORN = { birth_date: BIRTH.exact }

/** The known levels of the anchors in these patterns, by comparison. */
function anchors(...levels: Readonly<Record<string, number>>[]): { levels: object; count: number }[] {
  const names = [...Object.keys(AT).slice(0, AT.attributes), 'voter', 'trade']
  const patterns = patternsOf(levels.map((one, n) => [one, 10 + n] as const), ATTRIBUTES) // prettier-ignore
  return anchorsIn(patterns, ATTRIBUTES).map(({ levels: found, count }) => ({
    levels: Object.fromEntries([...found].flatMap((level, c) => (level === 0 ? [] : [[names[c], level]]))),
    count,
  }))
}

test.each([
  ['birth_date', BIRTH.exact],
  ['address', ADDRESS.unit],
  ['phone', PHONE.same],
  ['email', EMAIL.same],
  ['voter', ATTRIBUTE.same],
])('a pair with both names and one %s is an anchor, which that comparison leaves unknown', (name, level) => {
  const other = { place: 5, trade: ATTRIBUTE.different }
  expect(anchors({ ...NAMES, ...other, [name]: level })).toEqual([
    { levels: { ...NAMES, ...other }, count: 10 },
  ])
})

test('an anchor with two such values keeps both levels', () => {
  const levels = { ...NAMES, ...BORN, phone: PHONE.same }
  expect(anchors(levels)).toEqual([{ levels, count: 10 }])
})

test.each([
  ['has no further value in common', NAMES],
  ['agrees nearly', { ...NAMES, birth_date: BIRTH.one_digit, phone: PHONE.near, address: ADDRESS.building, email: EMAIL.name, voter: ATTRIBUTE.near }],
  ['agrees in a trait', { ...NAMES, trade: ATTRIBUTE.same }],
  ['has another first name', { ...NAMES, ...BORN, first_name: FIRST.different }],
  ['has only an initial in common', { ...NAMES, ...BORN, first_name: FIRST.initial }],
  ['has another last name', { ...NAMES, ...BORN, last_name: LAST.different }],
  ['has no last name', { first_name: FIRST.exact, ...BORN }],
])('a pair that %s is no anchor', (_, levels) => {
  expect(anchors(levels)).toEqual([])
}) // prettier-ignore

test('similar names and swapped names count as equal names', () => {
  const similar = { first_name: FIRST.similar, last_name: LAST.similar }
  const swapped = { first_name: FIRST.swapped }
  expect(anchors({ ...similar, ...BORN }, { ...swapped, ...BORN })).toEqual(
    expect.arrayContaining([
      { levels: similar, count: 10 },
      { levels: swapped, count: 11 },
    ]),
  )
})
