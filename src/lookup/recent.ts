/** What was made for the latest keys, so that it needn't be made again; the key that was asked for longest ago goes first. */
export class Recent<Value> {
  readonly #most: number
  readonly #values = new Map<string, Value>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: string, make: () => Value): Value {
    const known = this.#values.get(key)
    if (known !== undefined) {
      // Nobody is driven out before the map is full.
      if (this.#values.size === this.#most) {
        this.#values.delete(key)
        this.#values.set(key, known)
      }
      return known
    }
    const value = make()
    this.#values.set(key, value)
    if (this.#values.size > this.#most) {
      for (const oldest of this.#values.keys()) {
        this.#values.delete(oldest)
        break
      }
    }
    return value
  }
}
