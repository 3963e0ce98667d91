// Answers stand one behind the other in a slab: none is copied, and none costs an allocation of its own, which for
// answers of 4 to 16 KB took as long as finding them (Buffer's own pool serves only smaller ones).
const SLAB = 256 * 1024

// The call that writes a text costs as much as this many letters one by one.
const SHORT = 40

/** Bytes of an answer while it is put together. What is taken is never written again. */
export class Output {
  #bytes = Buffer.allocUnsafeSlow(SLAB)
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  /** Drops what has been written since the last answer. */
  reset(): void {
    this.#end = this.#start
  }

  /** Bytes `start` to `end` of `source`. */
  copy(source: Buffer, start: number, end: number): void {
    this.#reserve(end - start)
    source.copy(this.#bytes, this.#end, start, end)
    this.#end += end - start
  }

  /** Text of characters below 128. */
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

  /** What has been written, to be looked at before anything more is: `reset` lets it be written over. */
  written(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end)
  }

  /** What has been written: a part of a slab that stays in memory as long as anything of it is used. */
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
