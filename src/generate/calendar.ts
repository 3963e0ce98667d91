/** Days of an invented world are whole numbers, counted from 1970-01-01. There is no time zone and no clock. */

/** A day after all others: the event has not happened. */
export const NEVER = 1_000_000

export interface Civil {
  readonly year: number
  readonly month: number
  readonly day: number
}

const DAY_MS = 86_400_000

export function dayNumber(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / DAY_MS
}

export function civil(number: number): Civil {
  const [year = 0, month = 0, day = 0] = isoDate(number).split('-').map(Number)
  return { year, month, day }
}

/** The dates of the two deliveries of files. */
export const DAY_1 = dayNumber(2026, 1, 5)
export const DAY_2 = dayNumber(2026, 1, 6)

export const yearOf = (number: number): number => civil(number).year

/** Returns `YYYY-MM-DD`. */
export function isoDate(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10)
}

/** Returns `YYYYMMDD`. */
export function compactDate(number: number): string {
  return isoDate(number).replaceAll('-', '')
}

/** Returns `MM/DD/YYYY`, or with another separator. */
export function usDate(number: number, separator = '/'): string {
  const text = isoDate(number)
  return `${text.slice(5, 7)}${separator}${text.slice(8)}${separator}${text.slice(0, 4)}`
}

export function two(number: number): string {
  return number < 10 ? `0${number}` : String(number)
}

/** Returns the day itself, or the Friday before a Saturday or Sunday. */
export function workingDay(number: number): number {
  const weekday = new Date(number * DAY_MS).getUTCDay()
  if (weekday === 6) return number - 1
  return weekday === 0 ? number - 2 : number
}
