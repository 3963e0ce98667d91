/** Bytes of an answer while it is put together; grows, and is used again for the next answer. */
export class Output {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  reset(): void {
    this.#length = 0
  }

  /** Bytes `start` to `end` of `source`. */
  copy(source: Buffer, start: number, end: number): void {
    this.#reserve(end - start)
    source.copy(this.#bytes, this.#length, start, end)
    this.#length += end - start
  }

  /** Text of characters below 128. */
  ascii(text: string): void {
    this.#reserve(text.length)
    this.#length += this.#bytes.write(text, this.#length, 'latin1')
  }

  text(text: string): void {
    this.#reserve(text.length * 3)
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** What has been written, as a buffer of its own. */
  take(): Buffer {
    const taken = Buffer.allocUnsafe(this.#length)
    this.#bytes.copy(taken, 0, 0, this.#length)
    this.#length = 0
    return taken
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + count))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
