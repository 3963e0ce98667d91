/**
 * A cache of computed values, null included, for at most `capacity` recent keys, in two generations. A key that is used moves to
 * the young generation. When the young generation holds half of `capacity`, the old one is dropped. (A map in the
 * order of use would need a deletion and an insertion for every hit.)
 */
export class Recent<Value> {
  readonly #half: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  constructor(capacity: number) {
    this.#half = Math.max(1, capacity >>> 1)
  }

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
