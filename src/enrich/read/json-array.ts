import { AppError } from '../../errors.ts'

const [QUOTE, BACKSLASH, COMMA, NEWLINE, SPACE] = [34, 92, 44, 10, 32]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/** Returns whether a text begins like a JSON array of objects. */
export function isJsonArray(text: string): boolean {
  return /^\s*\[\s*[{\]]/.test(text)
}

/**
 * Converts a JSON array (UTF-8) to JSON lines while it is read: one line per element. Looks only for the ends of
 * elements; the reader of JSON lines checks them. Rows and lines are numbered by element.
 */
export class ArrayLines {
  readonly #name: string
  #depth = 0
  #isText = false
  #isEscaped = false
  #isEnded = false

  constructor(name: string) {
    this.#name = name
  }

  /** @throws `bad_input` for text after the array */
  push(bytes: Uint8Array): Buffer {
    const lines = Buffer.from(bytes)
    for (let at = 0; at < lines.length; at++) {
      const code = lines[at]!
      if (this.#isText) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (code === BACKSLASH) this.#isEscaped = true
        else if (code === QUOTE) this.#isText = false
      } else if (code <= SPACE) lines[at] = SPACE
      else if (this.#isEnded)
        throw new AppError('bad_input', `${this.#name} has text after its JSON array: a file holds one array`)
      else if (code === QUOTE) this.#isText = true
      else if (code === COMMA && this.#depth === 1) lines[at] = NEWLINE
      else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
        if (this.#depth === 0) lines[at] = SPACE
        this.#depth++
      } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
        this.#depth--
        if (this.#depth > 0) continue
        lines[at] = NEWLINE
        this.#isEnded = true
      }
    }
    return lines
  }

  /** @throws `bad_input` when the array was not closed */
  end(): void {
    if (!this.#isEnded)
      throw new AppError(
        'bad_input',
        `${this.#name} is a JSON array without its closing bracket: it was cut off`,
      )
  }
}

export async function* arrayLines(source: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const lines = new ArrayLines(name)
  for await (const bytes of source) yield lines.push(bytes)
  lines.end()
}
