import { isFormula } from '../read/safe-cells.ts'

const APOSTROPHE = Buffer.from("'")
const QUOTE = 34
const COMMA = 44
const NEWLINE = 10
const RETURN = 13
/** A formula begins with white space, one of these characters, or a character of several bytes. */
const BEGINS = new Set(Buffer.from('=+-@'))

type Place = 'start' | 'plain' | 'quoted' | 'closed'

/** Yields CSV with `safeCell` applied to every cell. All other bytes stay the same. */
export async function* safeCsv(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const guard = new CellGuard()
  for await (const bytes of source) yield guard.push(bytes, false)
  yield guard.push(Buffer.alloc(0), true)
}

class CellGuard {
  #place: Place = 'start'
  /** The beginning of a cell whose end is not read yet. */
  #held: Buffer = Buffer.alloc(0)

  push(more: Buffer, isLast: boolean): Buffer {
    const bytes = this.#held.length === 0 ? more : Buffer.concat([this.#held, more])
    const out: Buffer[] = []
    let written = 0
    let at = 0
    let place = this.#place
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (place !== 'start') {
        place = placeBehind(byte, place)
        continue
      }
      if (byte === COMMA || byte === NEWLINE || byte === RETURN) continue
      const isQuoted = byte === QUOTE
      const first = isQuoted ? at + 1 : at
      if (first === bytes.length && !isLast) break
      if (mayBegin(bytes[first])) {
        const end = endOfCell(bytes, first, isQuoted, isLast)
        if (end === null) break
        const text = bytes.toString('utf8', first, end)
        if (isFormula(isQuoted ? text.replaceAll('""', '"') : text)) {
          out.push(bytes.subarray(written, first), APOSTROPHE)
          written = first
        }
      }
      place = isQuoted ? 'quoted' : 'plain'
    }
    this.#place = place
    this.#held = bytes.subarray(at)
    out.push(bytes.subarray(written, at))
    return Buffer.concat(out)
  }
}

function placeBehind(byte: number, place: Place): Place {
  if (place === 'quoted') return byte === QUOTE ? 'closed' : 'quoted'
  if (place === 'closed' && byte === QUOTE) return 'quoted'
  return byte === COMMA || byte === NEWLINE || byte === RETURN ? 'start' : 'plain'
}

function mayBegin(byte: number | undefined): boolean {
  return byte !== undefined && (byte <= 32 || byte > 127 || BEGINS.has(byte))
}

/** Returns the end of a cell; null when `bytes` does not contain it. */
function endOfCell(bytes: Buffer, first: number, isQuoted: boolean, isLast: boolean): number | null {
  let place: Place = isQuoted ? 'quoted' : 'plain'
  for (let at = first; at < bytes.length; at++) {
    const next = placeBehind(bytes[at]!, place)
    if (next === 'start') return place === 'closed' ? at - 1 : at
    place = next
  }
  if (!isLast) return null
  return place === 'closed' ? bytes.length - 1 : bytes.length
}
