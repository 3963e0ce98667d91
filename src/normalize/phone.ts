import { parsePhoneNumberFromString } from 'libphonenumber-js/max'

export interface Phone {
  /** Eleven digits with the leading 1: '12065550142'. */
  phone: string
  /** '(206) 555-0142' */
  national_format: string
  is_toll_free: boolean
}

/**
 * Reads a North American number from the text of a file ('206.555.0142 x12', '+1 (206) 555-0142', '2065550142.0').
 * Returns null for a number that the numbering plan cannot assign and for placeholders such as 0000000000 or
 * 1234567890. An extension is dropped. `extension` is the file's own extension field, for exports that repeat it at the
 * end of the number.
 */
export function parsePhone(text: string, extension?: string | null): Phone | null {
  let digits = leadingDigits(text)
  // Some exports append the extension to the number. The separate extension field tells where the number ends.
  if (extension && digits.length > 11 && digits.endsWith(extension))
    digits = digits.slice(0, -extension.length)
  if (digits.length === 11 && digits.startsWith('1')) digits = digits.slice(1)
  if (digits.length !== 10 || isPlaceholder(digits)) return null
  if (!isAssignable(digits)) return null
  return {
    phone: `1${digits}`,
    national_format: `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`,
    is_toll_free: TOLL_FREE.has(digits.slice(0, 3)),
  }
}

const UNKNOWN = 0
const ASSIGNABLE = 1
const NOT_ASSIGNABLE = 2
/**
 * Whether numbers are assignable, by their first six digits. The last four digits do not matter, because the plan
 * assigns whole exchanges (test/normalize checks it).
 */
const EXCHANGES = new Uint8Array(1_000_000)

// libphonenumber takes 7 µs for a number, as long as a whole lookup, so its answers are kept.
function isAssignable(digits: string): boolean {
  const exchange = Number(digits.slice(0, 6))
  if (EXCHANGES[exchange] === UNKNOWN) {
    const isValid = parsePhoneNumberFromString(`+1${digits}`)?.isValid() === true
    EXCHANGES[exchange] = isValid ? ASSIGNABLE : NOT_ASSIGNABLE
  }
  return EXCHANGES[exchange] === ASSIGNABLE
}

const TOLL_FREE = new Set(['800', '833', '844', '855', '866', '877', '888'])
const PLACEHOLDERS = new Set(['1234567890', '2345678901', '9876543210'])

function isPlaceholder(digits: string): boolean {
  if (PLACEHOLDERS.has(digits)) return true
  for (let i = 1; i < 10; i++) if (digits.charCodeAt(i) !== digits.charCodeAt(0)) return false
  return true
}

// Returns the digits before an extension mark. The '.0' that a spreadsheet appends is not part of the number.
function leadingDigits(text: string): string {
  if (isDigits(text)) return text
  let digits = ''
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 48 && code <= 57) digits += text[i]
    else if (SEPARATORS.has(code)) {
      if (code === 46 && i === text.length - 2 && text.endsWith('0') && digits.length >= 10) break
    } else if (digits.length > 0) {
      break
    } else if (!isLabel(code)) {
      return ''
    }
  }
  return digits
}

function isDigits(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 48 || code > 57) return false
  }
  return true
}

// space ( ) + - . / and the dashes and spaces of word processors
const SEPARATORS = new Set([9, 32, 40, 41, 43, 45, 46, 47, 160, 0x2010, 0x2011, 0x2012, 0x2013, 0x2014])

// 'Tel: …', 'Phone …': returns whether a character may be part of a label before the number.
function isLabel(code: number): boolean {
  return code === 58 || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}
