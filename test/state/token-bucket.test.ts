import { array, assert, integer, property } from 'fast-check'
import { expect, test } from 'vitest'
import { TokenBucket } from '../../src/state/token-bucket.ts'

test('a full bucket gives its burst at once, then says how long the next token takes', () => {
  const bucket = new TokenBucket(50, 100, 0)
  expect(Array.from({ length: 100 }, () => bucket.take(0))).toEqual(Array.from({ length: 100 }, () => 0))
  expect(bucket.take(0)).toBeCloseTo(0.02)
  expect(bucket.take(20)).toBe(0)
  expect(bucket.take(20)).toBeCloseTo(0.02)
})

test('a bucket that rests fills up to its burst and no further', () => {
  const bucket = new TokenBucket(10, 3, 0)
  for (let taken = 0; taken < 3; taken += 1) bucket.take(0)
  expect([1, 2, 3].map(() => bucket.take(3_600_000))).toEqual([0, 0, 0])
  expect(bucket.take(3_600_000)).toBeGreaterThan(0)
})

test('a clock that steps back neither fills nor empties a bucket', () => {
  const bucket = new TokenBucket(1, 1, 10_000)
  expect(bucket.take(10_000)).toBe(0)
  expect(bucket.take(0)).toBeCloseTo(1)
  expect(bucket.take(500)).toBeCloseTo(0.5)
})

test('over any stretch a bucket gives at most its burst and what has filled since', () => {
  assert(
    property(
      integer({ min: 1, max: 100 }),
      integer({ min: 1, max: 100 }),
      array(integer({ min: 0, max: 200 }), { maxLength: 300 }),
      (perSecond, burst, steps) => {
        const bucket = new TokenBucket(perSecond, burst, 0)
        let at = 0
        let taken = 0
        for (const step of steps) {
          at += step
          if (bucket.take(at) === 0) taken += 1
          expect(taken).toBeLessThanOrEqual(burst + (at * perSecond) / 1000 + 1e-6)
        }
      },
    ),
  )
})

test('a new bucket has counted nothing; a count holds what was taken since the one before', () => {
  const bucket = new TokenBucket(5, 5, 0)
  expect(bucket.takenCount()).toBe(0)
  bucket.take(0)
  bucket.take(0)
  expect(bucket.takenCount()).toBe(2)
  expect(bucket.takenCount()).toBe(0)
})

test('a token that is put back can be taken again, and never makes more than the burst', () => {
  const bucket = new TokenBucket(1, 2, 0)
  bucket.give()
  expect([bucket.take(0), bucket.take(0)]).toEqual([0, 0])
  expect(bucket.take(0)).toBeCloseTo(1)
  bucket.give()
  expect(bucket.take(0)).toBe(0)
  expect(bucket.take(0)).toBeCloseTo(1)
})

test('what was taken elsewhere is owed, for a second at most', () => {
  const bucket = new TokenBucket(10, 3, 0)
  bucket.subtract(2)
  expect(bucket.take(0)).toBe(0)
  expect(bucket.take(0)).toBeCloseTo(0.1)
  bucket.subtract(1_000)
  expect(bucket.take(0)).toBeCloseTo(1.1)
  expect(bucket.take(1_100)).toBe(0)
})
