import { expect, test } from 'vitest'
import { Recent } from '../../src/recent.ts'

test('what is asked for again and again is made once, however much else is asked for; what is not is forgotten', () => {
  const recent = new Recent<string>(10)
  const made: string[] = []
  const ask = (key: string): string =>
    recent.get(key, () => {
      made.push(key)
      return key.toUpperCase()
    })
  for (let n = 0; n < 100; n++) {
    expect(ask('often')).toBe('OFTEN')
    expect(ask(`once ${n}`)).toBe(`ONCE ${n}`)
  }
  ask('once 99')
  ask('once 0')
  expect(made.filter((key) => key === 'often')).toHaveLength(1)
  expect(made.filter((key) => key === 'once 99')).toHaveLength(1)
  expect(made.filter((key) => key === 'once 0')).toHaveLength(2)
})

test('a value of null is kept too, also in the old generation', () => {
  const recent = new Recent<string | null>(2)
  let made = 0
  const ask = (key: string): string | null => recent.get(key, () => ((made += 1), null))
  expect([ask('a'), ask('b'), ask('a')]).toEqual([null, null, null])
  expect(made).toBe(2)
})
