/** A list of 32-bit integers that grows. */
export class GrowingIntegers {
  length = 0
  #items: Int32Array
  // To all but the last of V8's compilers the length of a typed array is a call.
  #capacity: number

  constructor(capacity = 1024) {
    this.#capacity = Math.max(16, capacity)
    this.#items = new Int32Array(this.#capacity)
  }

  push(value: number): void {
    if (this.length === this.#capacity) this.#reserve(this.length * 2)
    this.#items[this.length++] = value
  }

  append(values: Int32Array): void {
    if (this.length + values.length > this.#capacity) this.#reserve((this.length + values.length) * 2)
    this.#items.set(values, this.length)
    this.length += values.length
  }

  /** Adds `values[start]` to `values[end - 1]`: of a few, sooner than by a view of them. */
  appendRange(values: Int32Array, start: number, end: number): void {
    const length = this.length + end - start
    if (length > this.#capacity) this.#reserve(length * 2)
    for (let k = start, at = this.length; k < end; k++, at++) this.#items[at] = values[k]!
    this.length = length
  }

  /** Sorts what came from `start` on; mostly it is sorted already. */
  sortFrom(start: number): void {
    for (let k = start + 1; k < this.length; k++) {
      if (this.#items[k - 1]! <= this.#items[k]!) continue
      this.#items.subarray(start, this.length).sort()
      return
    }
  }

  at(position: number): number {
    return this.#items[position]!
  }

  /** What is in it; valid until it grows. */
  view(): Int32Array {
    return this.#items.subarray(0, this.length)
  }

  #reserve(capacity: number): void {
    const items = new Int32Array(capacity)
    items.set(this.#items.subarray(0, this.length))
    this.#items = items
    this.#capacity = capacity
  }
}

/** A list of numbers that grows. */
export class GrowingFloats {
  length = 0
  #items = new Float64Array(1024)

  push(value: number): void {
    if (this.length === this.#items.length) {
      const items = new Float64Array(this.length * 2)
      items.set(this.#items)
      this.#items = items
    }
    this.#items[this.length++] = value
  }

  /** What is in it; valid until it grows. */
  view(): Float64Array {
    return this.#items.subarray(0, this.length)
  }
}

/** Sorts (key, value) by key as an unsigned 32-bit number; equal keys keep their order. */
export function radixSort(keys: Int32Array, values: Int32Array): { keys: Int32Array; values: Int32Array } {
  const size = keys.length
  let fromKeys = keys
  let fromValues = values
  let toKeys: Int32Array = new Int32Array(size)
  let toValues: Int32Array = new Int32Array(size)
  const counts = new Int32Array(2048)
  for (let shift = 0; shift < 32; shift += 11) {
    counts.fill(0)
    for (let k = 0; k < size; k++) counts[(fromKeys[k]! >>> shift) & 2047]!++
    let sum = 0
    for (let digit = 0; digit < 2048; digit++) {
      const count = counts[digit]!
      counts[digit] = sum
      sum += count
    }
    for (let k = 0; k < size; k++) {
      const at = counts[(fromKeys[k]! >>> shift) & 2047]!++
      toKeys[at] = fromKeys[k]!
      toValues[at] = fromValues[k]!
    }
    const keysBefore = fromKeys
    const valuesBefore = fromValues
    fromKeys = toKeys
    fromValues = toValues
    toKeys = shift === 0 ? new Int32Array(size) : keysBefore
    toValues = shift === 0 ? new Int32Array(size) : valuesBefore
  }
  return { keys: fromKeys, values: fromValues }
}
