import type { Dice } from './dice.ts'

/** A calendar date; month and day are 0 where only the year is known. */
export interface CalendarDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** A date in a year from `first` to `last`, each equally likely. */
export function dateBetween(dice: Dice, first: number, last: number): CalendarDate {
  return { year: dice.between(first, last), month: dice.between(1, 12), day: dice.between(1, 28) }
}

/** A birth date of an adult today; middle ages are more frequent than young and old ones. */
export function adultBirth(dice: Dice): CalendarDate {
  const years = Math.floor((dice.next() + dice.next()) * 36)
  return dateBetween(dice, 1934 + years, 1934 + years)
}

/** As files write it: 1971-06-24, or 1971 where only the year is known. Empty for no date. */
export function writtenDate(date: CalendarDate | undefined): string {
  if (date === undefined) return ''
  if (date.month === 0) return String(date.year)
  return `${date.year}-${String(date.month).padStart(2, '0')}-${String(date.day).padStart(2, '0')}`
}

/** Day and month in each other's place, where the day can be a month. */
export function dayAndMonthExchanged({ year, month, day }: CalendarDate): CalendarDate {
  return day <= 12 ? { year, month: day, day: month } : { year, month, day }
}

/** One digit of the date is wrong, or two neighbouring digits of the year are exchanged, or the day is off by a few. */
export function mistypedDate(dice: Dice, date: CalendarDate): CalendarDate {
  const { year, month, day } = date
  if (month === 0) return { year: year + dice.pick([-10, -1, 1, 10]), month, day }
  switch (dice.below(5)) {
    case 0:
      return { year: year + dice.pick([-10, -1, 1, 10]), month, day }
    case 1:
      return { year: exchangedYear(year), month, day }
    case 2:
      return { year, month: 1 + ((month + dice.between(0, 10)) % 12), day }
    case 3:
      return { year, month, day: 1 + ((day + dice.between(0, 26)) % 28) }
    default:
      return dayAndMonthExchanged(date)
  }
}

// 1957 becomes 1975.
function exchangedYear(year: number): number {
  return Math.floor(year / 100) * 100 + (year % 10) * 10 + (Math.floor(year / 10) % 10)
}
