import { GrowingIntegers } from '../arrays.ts'
import type { Store } from '../lookup/format/store.ts'

/** Calls `put` once per key with all its numbers. Takes them from rows (key, number) that are sorted by key. */
export class PostingWriter<Key> {
  readonly #store: Store
  readonly #put: (key: Key, value: Buffer) => void
  readonly #numbers = new GrowingIntegers()
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
        this.#numbers.push(numberOf(row))
      }
    })
  }

  end(): void {
    this.#store.root.transactionSync(() => {
      this.#flush()
    })
  }

  #flush(): void {
    const { buffer, byteLength } = this.#numbers.view()
    if (this.#key !== undefined && byteLength > 0) this.#put(this.#key, Buffer.from(buffer, 0, byteLength))
    this.#numbers.length = 0
  }
}
