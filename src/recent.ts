/**
 * A cache of computed values for at most `capacity` recently used keys. It has two maps: a used key is written to the young
 * map. When the young map has half of `capacity` keys, it becomes the old map, and the old map is dropped. A value of
 * `null` is cached, `undefined` is not.
 */
export class Recent<Value> {
  readonly #half: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  constructor(capacity: number) {
    this.#half = Math.max(1, capacity >>> 1)
  }

  /** Returns the value of `key`, or computes it with `make`. */
  get(key: string, make: (key: string) => Value): Value {
    const known = this.#young.get(key)
    if (known !== undefined) return known
    const before = this.#old.get(key)
    const value = before === undefined ? make(key) : before
    if (this.#young.size >= this.#half) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
    return value
  }
}
