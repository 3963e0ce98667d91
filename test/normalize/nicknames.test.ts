import { expect, test } from 'vitest'
import { nicknameClass, nicknamesOf } from '../../src/normalize/nicknames.ts'

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
