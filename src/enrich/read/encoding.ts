import { isUtf8 } from 'node:buffer'
import { AppError } from '../../errors.ts'

export type Encoding = 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be'
export const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const

/**
 * Returns the encoding of a file and the length of its byte-order mark. `head`: the first bytes; `isWhole`: they are
 * the whole file.
 */
export function encodingOf(
  head: Buffer,
  asked: Encoding | undefined,
  isWhole: boolean,
): { encoding: Encoding; mark: number } {
  const has = (...bytes: number[]): boolean => bytes.every((byte, at) => head[at] === byte)
  if (has(0xef, 0xbb, 0xbf)) return { encoding: 'utf-8', mark: 3 }
  if (has(0xff, 0xfe)) return { encoding: 'utf-16le', mark: 2 }
  if (has(0xfe, 0xff)) return { encoding: 'utf-16be', mark: 2 }
  if (asked !== undefined) return { encoding: asked, mark: 0 }
  const wide = wideEncoding(head)
  if (wide !== null) return { encoding: wide, mark: 0 }
  // The first bytes may end within a character, so only whole lines are tested.
  const cut = isWhole ? head.length : head.lastIndexOf(10) + 1
  return { encoding: isUtf8(head.subarray(0, cut)) ? 'utf-8' : 'windows-1252', mark: 0 }
}

const LOOKED_AT = 1_000

/** Recognises UTF-16 without a byte-order mark: in mostly Western text every other byte is zero. */
function wideEncoding(head: Buffer): Encoding | null {
  const zeros = [0, 0]
  const length = Math.min(head.length, LOOKED_AT)
  for (let at = 0; at < length; at++) if (head[at] === 0) zeros[at % 2]!++
  const [even = 0, odd = 0] = zeros
  if (odd > length / 4 && even < length / 20) return 'utf-16le'
  return even > length / 4 && odd < length / 20 ? 'utf-16be' : null
}

export function decoded(bytes: Buffer, encoding: Encoding): string {
  return encoding === 'utf-8' ? bytes.toString('utf8') : new TextDecoder(encoding).decode(bytes)
}

/** Returns whether lines end with a carriage return alone, as old Macintosh programs write them. */
export function endsLinesByReturn(text: string): boolean {
  return text.includes('\r') && !text.includes('\n')
}

const OTHERS: readonly (readonly [begins: string, what: string])[] = [
  ['PK\u0003\u0004', 'a workbook or a zip archive: save its sheet as CSV, or unzip it'],
  ['\u00d0\u00cf\u0011\u00e0', 'an old workbook: save its sheet as CSV'],
  ['PAR1', 'Parquet, zipped as a whole: unzip it'],
  ['ARROW1', 'Arrow, zipped as a whole: unzip it'],
  ['\u00ff\u00ff\u00ff\u00ff', 'Arrow, zipped as a whole: unzip it'],
  ['%PDF', 'a PDF: export the table as CSV'],
]

/** @throws `bad_input` for files that are not text, with the kind of file and the next step */
export function refuseOtherFiles(head: Buffer, encoding: Encoding, name: string): void {
  const begins = head.toString('latin1', 0, 8)
  const other = OTHERS.find(([signature]) => begins.startsWith(signature))
  if (other !== undefined) throw new AppError('bad_input', `${name} is ${other[1]}`)
  const isWide = encoding === 'utf-16le' || encoding === 'utf-16be'
  if (!isWide && head.subarray(0, LOOKED_AT).includes(0))
    throw new AppError(
      'bad_input',
      `${name} is not a text file: it contains zero bytes. If it is UTF-16, name it with --encoding`,
    )
}

/**
 * Returns the encoding that `--encoding` names.
 * @throws `bad_usage` for an unknown name
 */
export function parseEncoding(text: string): Encoding {
  const known =
    { latin1: 'windows-1252', 'latin-1': 'windows-1252', utf8: 'utf-8' }[text.toLowerCase()] ??
    text.toLowerCase()
  const found = ENCODINGS.find((one) => one === known)
  if (found === undefined)
    throw new AppError(
      'bad_usage',
      `--encoding ${text} is unknown; the encodings are ${ENCODINGS.join(', ')}`,
    )
  return found
}
