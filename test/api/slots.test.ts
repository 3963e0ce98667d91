import { expect, test } from 'vitest'
import { Slots } from '../../src/api/slots.ts'

test('an account has so many places, all accounts together so many; a place is given back once', () => {
  const slots = new Slots('uploads', { account: 2, total: 3 })
  const first = slots.take('a')
  slots.take('a')
  expect(() => slots.take('a')).toThrow(
    'the account has 2 uploads in progress, the most that are allowed: wait until one of them has ended',
  )
  slots.take('b')
  expect(() => slots.take('c')).toThrow('the service has 3 uploads in progress')
  first()
  first()
  slots.take('c')
  expect(() => slots.take('d')).toThrow('the service has 3 uploads in progress')
})

test('a place that is given back is one place, while the account has others and when it has none', () => {
  const slots = new Slots('uploads', { account: 2, total: 9 })
  const releases = [slots.take('a'), slots.take('a')]
  for (let round = 0; round < 3; round++) {
    releases.shift()!()
    releases.push(slots.take('a'))
    expect(() => slots.take('a')).toThrow('the account has 2 uploads in progress')
  }
  for (const release of releases) release()
  slots.take('a')
  slots.take('a')
  expect(() => slots.take('a')).toThrow('the account has 2 uploads in progress')
})
