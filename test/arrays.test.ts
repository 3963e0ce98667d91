import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { GrowingFloats, GrowingIntegers, grown } from '../src/arrays.ts'

const INTEGER = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const INTEGERS = fc.array(INTEGER, { maxLength: 40 })

/** One change, made to the list and to the array that it must equal. */
type Change = (list: GrowingIntegers, model: number[]) => void

const CHANGE: fc.Arbitrary<Change> = fc.oneof(
  INTEGER.map((value): Change => (list, model) => {
    list.push(value)
    model.push(value)
  }),
  INTEGERS.map((values): Change => (list, model) => {
    list.append(Int32Array.from(values))
    model.push(...values)
  }),
  fc.tuple(fc.nat(), INTEGER).map(([position, value]): Change => (list, model) => {
    if (model.length === 0) return
    list.set(position % model.length, value)
    model[position % model.length] = value
  }),
  fc.constant<Change>((list, model) => {
    list.length = 0
    model.length = 0
  }),
)

test('a growing list of integers holds what an array holds after the same changes', () => {
  fc.assert(
    fc.property(fc.array(CHANGE, { maxLength: 60 }), (changes) => {
      const list = new GrowingIntegers(1)
      const model: number[] = []
      for (const change of changes) change(list, model)
      expect([...list.view()]).toEqual(model)
      expect([...list.unsigned()]).toEqual(model.map((value) => value >>> 0))
      expect(model.map((_, position) => list.get(position))).toEqual(model)
      expect(list.length).toBe(model.length)
    }),
  )
})

test('a growing list keeps the last value of an append that just exceeds its capacity', () => {
  for (let size = 1; size < 70; size++) {
    const values = Int32Array.from({ length: size }, (_, at) => at + 1)
    const appended = new GrowingIntegers(16)
    appended.append(values)
    expect(appended.get(size - 1)).toBe(size)
  }
})

test('a growing list of floats holds what was pushed, beyond its first capacity', () => {
  const list = new GrowingFloats()
  const model = Array.from({ length: 5_000 }, (_, at) => at / 3)
  for (const value of model) list.push(value)
  expect([...list.view()]).toEqual(model)
})

test('a grown array keeps its kind and its numbers', () => {
  for (const array of [Uint8Array.of(1, 2), Uint32Array.of(1, 2 ** 32 - 1), Float64Array.of(0.5, -1)]) {
    const larger = grown<Uint8Array | Uint32Array | Float64Array>(array, 5)
    expect(larger.constructor).toBe(array.constructor)
    expect([...larger]).toEqual([...array, 0, 0, 0])
    expect(grown<Uint8Array | Uint32Array | Float64Array>(array)).toHaveLength(4)
  }
})
