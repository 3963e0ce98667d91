import type { Store } from '../lookup/format/store.ts'

/**
 * Collects the numbers of each key from rows (key, number) that are sorted by key, and calls `put` once per
 * key.
 */
export class PostingWriter<Key> {
  readonly #store: Store
  readonly #put: (key: Key, value: Buffer) => void
  #numbers = new Uint32Array(1024)
  #count = 0
  #key: Key | undefined

  constructor(store: Store, put: (key: Key, value: Buffer) => void) {
    this.#store = store
    this.#put = put
  }

  addAll(count: number, keyOf: (row: number) => Key, numberOf: (row: number) => number): void {
    this.#store.root.transactionSync(() => {
      for (let row = 0; row < count; row++) {
        const key = keyOf(row)
        if (key !== this.#key) this.#flush()
        this.#key = key
        this.#add(numberOf(row))
      }
    })
  }

  end(): void {
    this.#store.root.transactionSync(() => {
      this.#flush()
    })
  }

  #add(number: number): void {
    if (this.#count === this.#numbers.length) {
      const larger = new Uint32Array(this.#count * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#count++] = number
  }

  #flush(): void {
    if (this.#key !== undefined && this.#count > 0) {
      this.#put(this.#key, Buffer.from(this.#numbers.buffer, 0, this.#count * 4))
    }
    this.#count = 0
  }
}
