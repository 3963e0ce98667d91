/** Days of an invented world are whole numbers, counted from 1970-01-01. There is no time zone and no clock. */

/** A day after all others: the event has not happened. */
export const NEVER = 1_000_000

export interface Civil {
  readonly year: number
  readonly month: number
  readonly day: number
}

// Howard Hinnant's days_from_civil and civil_from_days (public domain), in integers.
export function dayNumber(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

export function civil(number: number): Civil {
  const shifted = number + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  const month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}

/** The dates of the two deliveries of files. */
export const DAY_1 = dayNumber(2026, 1, 5)
export const DAY_2 = dayNumber(2026, 1, 6)

export const yearOf = (number: number): number => civil(number).year

// A world has some ten thousand different dates and writes each many times, so each is formatted once.
const iso = new Map<number, string>()

/** Returns `YYYY-MM-DD`. */
export function isoDate(number: number): string {
  let text = iso.get(number)
  if (text === undefined) {
    const { year, month, day } = civil(number)
    text = `${year}-${two(month)}-${two(day)}`
    iso.set(number, text)
  }
  return text
}

/** Returns `YYYYMMDD`. */
export function compactDate(number: number): string {
  const text = isoDate(number)
  return text.slice(0, 4) + text.slice(5, 7) + text.slice(8)
}

/** Returns `MM/DD/YYYY`, or with another separator. */
export function usDate(number: number, separator = '/'): string {
  const text = isoDate(number)
  return `${text.slice(5, 7)}${separator}${text.slice(8)}${separator}${text.slice(0, 4)}`
}

export function two(number: number): string {
  return number < 10 ? `0${number}` : String(number)
}

/** Returns the day itself, or the Friday before a Saturday or Sunday. 1970-01-01 was a Thursday. */
export function workingDay(number: number): number {
  const weekday = (((number + 4) % 7) + 7) % 7
  if (weekday === 6) return number - 1
  return weekday === 0 ? number - 2 : number
}
