type NumberArray = Int32Array | Uint32Array | Float64Array | Uint8Array

/** Returns a longer copy of `array`: `capacity` numbers, by default twice as many. The added numbers are 0. */
export function grown<A extends NumberArray>(array: A, capacity = array.length * 2): A {
  const larger = new (array.constructor as new (length: number) => A)(capacity)
  larger.set(array)
  return larger
}

// Two classes, because one class for both kinds of arrays would make the loops of the linker slower: V8 compiles a method
// for the kind of array that it has seen.

/** A growing list of signed 32-bit integers. */
export class GrowingIntegers {
  length = 0
  #items: Int32Array<ArrayBuffer>

  constructor(capacity = 1024) {
    this.#items = new Int32Array(Math.max(16, capacity))
  }

  push(value: number): void {
    if (this.length === this.#items.length) this.#items = grown(this.#items)
    this.#items[this.length++] = value
  }

  append(values: Int32Array): void {
    const length = this.length + values.length
    if (length > this.#items.length) this.#items = grown(this.#items, length * 2)
    this.#items.set(values, this.length)
    this.length = length
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
}

/** A growing list of numbers. */
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
