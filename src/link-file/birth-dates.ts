const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** The parts of a birth date. A missing or impossible part is 0. */
export interface BirthParts {
  readonly year: number
  readonly month: number
  readonly day: number
}

// Letters that optical character recognition writes instead of digits.
const MISREAD: Readonly<Record<string, string>> = { o: '0', i: '1', l: '1', '|': '1', s: '5', b: '8', z: '2', g: '9' } // prettier-ignore

/**
 * Reads a birth date; null when the text is none. Accepts years from 1500 on, because historical files have births of
 * 1620. `today` decides the century of two-digit years. `isDayFirst` decides dates such as 3/4/1970, which can be
 * read both ways.
 */
export function readBirthDate(text: string, today: string, isDayFirst = false): BirthParts | null {
  const written = text.trim().toLowerCase()
  return readParts(written, today, isDayFirst) ?? readParts(withDigits(written), today, isDayFirst)
}

function readParts(text: string, today: string, isDayFirst: boolean): BirthParts | null {
  const iso = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?:[t ][\d:.]+(?:z|[+-]\d\d:?\d\d)?)?$/.exec(
    text,
  )
  if (iso !== null) return parts(iso[1]!, iso[2] ?? '0', iso[3] ?? '0', today)
  const packed = /^(\d{4})(\d{2})(\d{2})$/.exec(text)
  if (packed !== null) return parts(packed[1]!, packed[2]!, packed[3]!, today)
  const figures = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?: [\d:]+(?: ?[ap]m)?)?$/.exec(text)
  if (figures !== null) {
    const [, first = '', second = '', year = ''] = figures
    const turned = Number(first) > 12 ? true : Number(second) > 12 ? false : isDayFirst
    return parts(year, turned ? second : first, turned ? first : second, today)
  }
  const words =
    /^(?<month>[a-z]{3})[a-z]*\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})$/.exec(text) ??
    /^(?<day>\d{1,2})[- ](?<month>[a-z]{3})[a-z]*\.?[- ,]+(?<year>\d{4})$/.exec(text)
  const month = MONTHS.indexOf(words?.groups?.['month'] ?? '') + 1
  return month === 0 ? null : parts(words!.groups!['year']!, String(month), words!.groups!['day']!, today)
}

function parts(year: string, month: string, day: string, today: string): BirthParts | null {
  const y = Number(year.length === 2 ? fullYear(year, today) : year)
  const [m, d] = [Number(month), Number(day)]
  if (y < 1500 || y > Number(today.slice(0, 4))) return null
  return { year: y, month: m > 12 ? 0 : m, day: d > 31 ? 0 : d }
}

function withDigits(text: string): string {
  // A misread date still has at least four digits. Other texts stay as they are.
  if (text.replace(/\D/g, '').length < 4) return text
  return text.replace(/[oil|sbzg]/g, (letter) => MISREAD[letter]!)
}

// A birth cannot be in the future: '47' means 1947 until 2047.
function fullYear(year: string, today: string): string {
  const century = Number(today.slice(0, 2))
  return Number(year) > Number(today.slice(2, 4)) ? `${century - 1}${year}` : `${century}${year}`
}

export function isBirthDate(text: string, today: string): boolean {
  return readBirthDate(text, today) !== null
}

/**
 * Returns whether the dates of a column begin with the day: more dates have a first part above 12 than a second part
 * above 12.
 */
export function isMostlyDayFirst(values: readonly string[]): boolean {
  let balance = 0
  for (const text of values) {
    const figures = /^(\d{1,2})[-/.](\d{1,2})[-/.]\d/.exec(text.trim())
    if (figures === null) continue
    if (Number(figures[1]) > 12) balance++
    else if (Number(figures[2]) > 12) balance--
  }
  return balance > 0
}
