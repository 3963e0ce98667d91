import { expect, test } from 'vitest'
import { nicknameClass, nicknameFit, nicknamesOf } from '../../src/normalize/nicknames.ts'

test.each([
  ['BILL', 'WILLIAM'],
  ['BOBBY', 'ROBERT'],
  ['PEGGY', 'MARGARET'],
  ['LIZ', 'ELIZABETH'],
  ['TED', 'THEODORE'],
  ['JIM', 'JAMES'],
  ['WILLIAM', 'WILLIAM'],
  ['ERIN', 'ERIN'],
  ['LEE', 'LEE'],
  ['ZHIGANG', 'ZHIGANG'],
])('%s stands with %s', (name, formal) => {
  expect(nicknameClass(name)).toBe(formal)
})

test('other names of the same person, both ways', () => {
  expect(nicknamesOf('WILLIAM')).toContain('BILL')
  expect(nicknamesOf('BILL')).toContain('WILLIAM')
  expect(nicknamesOf('BILL')).not.toContain('BILL')
  expect(nicknamesOf('CATHERINE')).toContain('KATE')
  expect(nicknamesOf('ZHIGANG')).toEqual([])
  // Both may be called SANDY, and yet one is a man.
  expect(nicknamesOf('ALEXANDER')).not.toContain('SANDRA')
})

test('how well two names of one person go together', () => {
  expect(nicknameFit('BILL', 'WILLIAM')).toBeGreaterThan(0.9)
  expect(nicknameFit('WILLIAM', 'BILL')).toBe(nicknameFit('BILL', 'WILLIAM'))
  // Listed under AARON, and a woman's name.
  expect(nicknameFit('ERIN', 'AARON')).toBe(0)
  // Mostly a man's, and yet the beginning of hers.
  expect(nicknameFit('SAM', 'SAMANTHA')).toBeGreaterThan(0)
  expect(nicknameFit('SAM', 'SAMANTHA')).toBeLessThan(nicknameFit('SAM', 'SAMUEL'))
  // Both stand for WILHELMINA.
  expect(nicknameFit('MINNIE', 'WILLIE')).toBeLessThan(nicknameFit('MINNIE', 'WILHELMINA') / 2)
})
