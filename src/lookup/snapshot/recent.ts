/**
 * What was made for the latest keys, so that it needn't be made again: at most so many, in two generations. A key that is asked for
 * moves to the young one; when that is half of all, the old one goes. (One map in the order of use costs a removal and an
 * insertion for every hit.)
 */
export class Recent<Value> {
  readonly #half: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  constructor(most: number) {
    this.#half = Math.max(1, most >>> 1)
  }

  get(key: string, make: () => Value): Value {
    const known = this.#young.get(key)
    if (known !== undefined) return known
    const value = this.#old.get(key) ?? make()
    if (this.#young.size >= this.#half) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
    return value
  }
}
