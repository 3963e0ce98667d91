import { isAscii, isUtf8 } from 'node:buffer'

export type Encoding = 'utf-8' | 'latin-1'

// Decodes "latin-1" as browsers do: the bytes 80–9F are the quotes and dashes of Windows-1252.
const windows1252 = new TextDecoder('windows-1252')

// Letters with diacritics, and typographic signs. Valid UTF-8 alone proves nothing: the bytes of `CAFÉ’S` in
// Windows-1252 are valid UTF-8 too, for a text with a phonetic letter.
const PLAUSIBLE =
  /^(?:[\0-\u017f\u02bb\u02bc\u02c6\u02dc\u1e00-\u1eff\u2000-\u206f\u20ac\u2116\u2122\ufeff\ufffd]|[\u0300-\u033f])*$/

/**
 * Returns the text of bytes in a format's encoding. Bytes of a Latin-1 format that are UTF-8 text are decoded as
 * UTF-8.
 */
export function decode(bytes: Buffer, encoding: Encoding): string {
  return encoding === 'utf-8' || isUtf8Text(bytes) ? bytes.toString('utf8') : fromWindows1252(bytes)
}

export function fromWindows1252(bytes: Buffer): string {
  return windows1252.decode(bytes)
}

/**
 * Returns true when bytes of a Latin-1 format are UTF-8 text. They are valid UTF-8, not only ASCII, and contain only
 * characters that occur in names and addresses.
 */
export function isUtf8Text(bytes: Buffer): boolean {
  return !isAscii(bytes) && isUtf8(bytes) && PLAUSIBLE.test(bytes.toString('utf8'))
}

/** Returns the remark on a file with UTF-8 records in a Latin-1 format, or null when it has none. */
export function utf8Note(records: number): string | null {
  if (records === 0) return null
  const [noun, verb] = records === 1 ? ['record', 'is'] : ['records', 'are']
  return `${records} ${noun} ${verb} UTF-8 and read as such, although the definition says latin-1`
}
