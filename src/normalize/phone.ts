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

/**
 * Whether numbers are assignable, by their first six digits. The last four digits do not matter, because the plan
 * assigns whole exchanges (test/normalize checks it).
 */
const EXCHANGES = new Map<string, boolean>()

// libphonenumber is slow, so its answers are kept.
function isAssignable(digits: string): boolean {
  const exchange = digits.slice(0, 6)
  let isValid = EXCHANGES.get(exchange)
  if (isValid === undefined) {
    isValid = parsePhoneNumberFromString(`+1${digits}`)?.isValid() === true
    EXCHANGES.set(exchange, isValid)
  }
  return isValid
}

const TOLL_FREE = new Set(['800', '833', '844', '855', '866', '877', '888'])
const PLACEHOLDERS = new Set(['1234567890', '2345678901', '9876543210'])

function isPlaceholder(digits: string): boolean {
  return PLACEHOLDERS.has(digits) || /^(\d)\1*$/.test(digits)
}

// Letters and a colon before the number are a label: 'Tel: …', 'Phone …'. A number may contain digits, spaces, ( ) + -
// . / and the dashes of word processors.
const SEPARATOR = '[\\t \\u00a0()+\\-./\\u2010-\\u2014]'
const NUMBER = new RegExp(`^(?:[A-Za-z:]|${SEPARATOR})*((?:\\d|${SEPARATOR})*)`)

// Returns the digits before an extension mark. The '.0' that a spreadsheet appends is not part of the number.
function leadingDigits(text: string): string {
  const [found = '', number = ''] = NUMBER.exec(text) ?? []
  const digits = number.replace(/\D/g, '')
  return digits.length > 10 && number.endsWith('.0') && found === text ? digits.slice(0, -1) : digits
}
