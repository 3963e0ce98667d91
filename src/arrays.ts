type NumberArray = Int32Array | Uint32Array | Float64Array | Uint8Array

/** Returns a copy of `array` with room for `capacity` numbers, by default twice as many; the new numbers are 0. */
export function grown<A extends NumberArray>(array: A, capacity = array.length * 2): A {
  const larger = new (array.constructor as new (length: number) => A)(capacity)
  larger.set(array)
  return larger
}

// Two classes, not one for both kinds of array: V8 compiles a method for the kind of array that it has seen, and code for
// several kinds is slower in the loops of the linker.

/** A list of 32-bit integers that grows. */
export class GrowingIntegers {
  length = 0
  #items: Int32Array<ArrayBuffer>
  // Reading the length of a typed array is a call until V8's last compiler has compiled the loop.
  #capacity: number

  constructor(capacity = 1024) {
    this.#capacity = Math.max(16, capacity)
    this.#items = new Int32Array(this.#capacity)
  }

  push(value: number): void {
    if (this.length === this.#capacity) this.#grow(this.length * 2)
    this.#items[this.length++] = value
  }

  append(values: Int32Array): void {
    if (this.length + values.length > this.#capacity) this.#grow((this.length + values.length) * 2)
    this.#items.set(values, this.length)
    this.length += values.length
  }

  /** Appends `values[start]` to `values[end - 1]`. For a few values this is faster than `append` with a view of them. */
  appendRange(values: Int32Array, start: number, end: number): void {
    const length = this.length + end - start
    if (length > this.#capacity) this.#grow(length * 2)
    for (let k = start, at = this.length; k < end; k++, at++) this.#items[at] = values[k]!
    this.length = length
  }

  /** Sorts the values from `start` on. Sorted values, which are usual, cost one pass. */
  sortFrom(start: number): void {
    for (let k = start + 1; k < this.length; k++) {
      if (this.#items[k - 1]! <= this.#items[k]!) continue
      this.#items.subarray(start, this.length).sort()
      return
    }
  }

  get(position: number): number {
    return this.#items[position]!
  }

  set(position: number, value: number): void {
    this.#items[position] = value
  }

  /** Returns the values without a copy; valid until the list grows. */
  view(): Int32Array<ArrayBuffer> {
    return this.#items.subarray(0, this.length)
  }

  /** Returns the values as unsigned integers without a copy; valid until the list grows. */
  unsigned(): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.#items.buffer, 0, this.length)
  }

  #grow(capacity: number): void {
    this.#items = grown(this.#items, capacity)
    this.#capacity = capacity
  }
}

/** A list of numbers that grows. */
export class GrowingFloats {
  length = 0
  #items = new Float64Array(1024)

  push(value: number): void {
    if (this.length === this.#items.length) this.#items = grown(this.#items)
    this.#items[this.length++] = value
  }

  /** Returns the values without a copy; valid until the list grows. */
  view(): Float64Array {
    return this.#items.subarray(0, this.length)
  }
}
