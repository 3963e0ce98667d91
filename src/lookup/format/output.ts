// Answers are written one after another into a large block of memory. Each answer is a part of the block, so
// it needs no copy and no memory of its own. (Most answers are too large for Node's own pool of buffers.)
const SLAB = 256 * 1024

// Up to this length a loop over the characters is faster than one call of `Buffer.write`.
const SHORT = 40

/** Collects the bytes of one answer at a time. Bytes of an answer that was taken never change. */
export class Output {
  #bytes = Buffer.allocUnsafeSlow(SLAB)
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  /** Discards what has been written since the last `take`. */
  reset(): void {
    this.#end = this.#start
  }

  /** Appends the bytes from `start` to `end` (exclusive) of `source`. */
  copy(source: Buffer, start: number, end: number): void {
    this.#reserve(end - start)
    source.copy(this.#bytes, this.#end, start, end)
    this.#end += end - start
  }

  /** Appends a text of ASCII characters only. */
  ascii(text: string): void {
    this.#reserve(text.length)
    if (text.length > SHORT) {
      this.#end += this.#bytes.write(text, this.#end, 'latin1')
      return
    }
    const bytes = this.#bytes
    let end = this.#end
    for (let i = 0; i < text.length; i++) bytes[end++] = text.charCodeAt(i)
    this.#end = end
  }

  text(text: string): void {
    this.#reserve(text.length * 3)
    this.#end += this.#bytes.write(text, this.#end)
  }

  /**
   * Returns the bytes of the current answer without ending it. A later `reset` allows new bytes to overwrite
   * them.
   */
  written(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end)
  }

  /**
   * Ends the current answer and returns its bytes. They are a part of a larger block, which stays in memory
   * as long as any answer in it is in use.
   */
  take(): Buffer {
    const taken = this.written()
    this.#start = this.#end
    return taken
  }

  #reserve(count: number): void {
    if (this.#end + count <= this.#bytes.length) return
    const written = this.length
    const larger = Buffer.allocUnsafeSlow(Math.max(SLAB, 2 * (written + count)))
    this.#bytes.copy(larger, 0, this.#start, this.#end)
    this.#bytes = larger
    this.#start = 0
    this.#end = written
  }
}
