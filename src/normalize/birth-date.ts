const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Returns a birth date as `YYYY-MM-DD`, with `00` for an unknown month or day; null when `text` is not a date.
 * '3/4/1980' is read as month/day, unless only day/month is a valid date. `today` (`YYYY-MM-DD`) decides the century of
 * two-digit years.
 */
export function parseBirthDate(text: string, today: string): string | null {
  const trimmed = text.trim()
  const iso = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?:[T ][\d:.]+Z?)?$/.exec(trimmed)
  if (iso !== null) return dated(iso[1]!, iso[2] ?? '0', iso[3] ?? '0', today)
  const compact = /^(\d{4})(\d{2})(\d{2})$/.exec(trimmed)
  if (compact !== null) return dated(compact[1]!, compact[2]!, compact[3]!, today)
  const figures = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?: [\d:]+(?: ?[AP]M)?)?$/i.exec(trimmed)
  if (figures !== null) {
    const [, first = '', second = '', year = ''] = figures
    // Address books write '0/0/00' for an unknown date.
    if (year.length === 2 && Number(first) === 0) return null
    const isDayFirst = Number(first) > 12
    return dated(fullYear(year, today), isDayFirst ? second : first, isDayFirst ? first : second, today)
  }
  const words =
    /^([A-Za-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/.exec(trimmed) ??
    /^(?<day>\d{1,2})[- ](?<month>[A-Za-z]{3})[a-z]*\.?[- ,]+(?<year>\d{4})$/.exec(trimmed)
  if (words === null) return null
  const { month = words[1]!, day = words[2]!, year = words[3]! } = words.groups ?? {}
  const number = MONTHS.indexOf(month.toLowerCase()) + 1
  return number === 0 ? null : dated(year, String(number), day, today)
}

function dated(year: string, month: string, day: string, today: string): string | null {
  const [y, m, d] = [Number(year), Number(month), Number(day)]
  if (y < 1880 || y > Number(today.slice(0, 4)) || m > 12 || d > 31 || (m === 0 && d > 0)) return null
  if (m > 0 && d > new Date(Date.UTC(y, m, 0)).getUTCDate()) return null
  return `${year}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`
}

// Returns the latest year with these two digits that is not in the future: '47' gives 1947 in 2026.
function fullYear(year: string, today: string): string {
  if (year.length === 4) return year
  const century = Number(today.slice(0, 2))
  return Number(year) > Number(today.slice(2, 4)) ? `${century - 1}${year}` : `${century}${year}`
}
