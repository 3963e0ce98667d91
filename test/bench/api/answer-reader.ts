const HEAD_END = Buffer.from('\r\n\r\n')
const STATUS_AT = 'HTTP/1.1 '.length
const LENGTH = 'content-length: '
const NOTHING = Buffer.alloc(0)

/**
 * Reads HTTP/1.1 answers, one at a time, out of what arrives on a connection, in whatever pieces. They must have a
 * `content-length` (in small letters, as Node writes it). `onAnswer` is called when the last byte of one is there.
 */
export class AnswerReader {
  readonly #onAnswer: (status: number) => void
  #head = NOTHING
  #missing = 0
  #status = 0

  constructor(onAnswer: (status: number) => void) {
    this.#onAnswer = onAnswer
  }

  /** The first `length` of `bytes`; they are not kept. */
  read(bytes: Buffer, length: number): void {
    if (this.#missing > 0) {
      this.#take(length)
      return
    }
    const arrived = bytes.subarray(0, length)
    const head = this.#head.length === 0 ? arrived : Buffer.concat([this.#head, arrived])
    const end = head.indexOf(HEAD_END)
    if (end < 0) {
      // A copy: the bytes are the connection's, which reads into them again.
      this.#head = Buffer.from(head)
      return
    }
    const text = head.toString('latin1', 0, end + 2)
    const at = text.indexOf(LENGTH)
    if (at < 0) throw new Error(`an answer without content-length: ${text}`)
    this.#head = NOTHING
    this.#status = Number(text.slice(STATUS_AT, STATUS_AT + 3))
    this.#missing = end + HEAD_END.length + Number.parseInt(text.slice(at + LENGTH.length), 10)
    this.#take(head.length)
  }

  #take(length: number): void {
    this.#missing -= length
    if (this.#missing < 0) throw new Error('an answer is longer than its content-length')
    if (this.#missing === 0) this.#onAnswer(this.#status)
  }
}
