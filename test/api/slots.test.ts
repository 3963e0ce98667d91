import { expect, test } from 'vitest'
import { Slots } from '../../src/api/slots.ts'

test('an account has so many places, all accounts together so many; a place is given back once', () => {
  const slots = new Slots('uploads', { account: 2, total: 3 })
  const first = slots.take('a')
  slots.take('a')
  expect(() => slots.take('a')).toThrow(
    '2 uploads of the account are under way, and 2 may be: wait for one of them',
  )
  slots.take('b')
  expect(() => slots.take('c')).toThrow('3 uploads are under way; try again in a moment')
  first()
  first()
  slots.take('c')
  expect(() => slots.take('d')).toThrow('3 uploads are under way')
})

test('a place that is given back is one place, while the account has others and when it has none', () => {
  const slots = new Slots('uploads', { account: 2, total: 9 })
  const releases = [slots.take('a'), slots.take('a')]
  for (let round = 0; round < 3; round++) {
    releases.shift()!()
    releases.push(slots.take('a'))
    expect(() => slots.take('a')).toThrow('2 uploads of the account are under way')
  }
  for (const release of releases) release()
  slots.take('a')
  slots.take('a')
  expect(() => slots.take('a')).toThrow('2 uploads of the account are under way')
})
