import { BIRTH } from './levels.ts'

/**
 * Returns the level (`BIRTH` in `levels.ts`) of two birth dates, each packed as year * 512 + month * 32 + day, with 0 for an unknown part.
 * Returns 0 when no part is known in both dates. Sources write January 1 when they know only the year, so an equal January 1 has a level of
 * its own.
 */
export function compareBirthDates(a: number, b: number): number {
  if (a === 0 || b === 0) return 0
  const yearA = a >> 9
  const yearB = b >> 9
  const monthA = (a >> 5) & 15
  const monthB = (b >> 5) & 15
  const dayA = a & 31
  const dayB = b & 31
  if (!isWholeDate(a) || !isWholeDate(b)) return comparePartial(yearA, yearB, monthA, monthB, dayA, dayB)
  if (a === b) return monthA === 1 && dayA === 1 ? BIRTH.january_first : BIRTH.exact
  const sameYear = yearA === yearB
  if (sameYear && monthA === dayB && monthB === dayA) return BIRTH.swapped
  if (sameYear && ((monthA === 1 && dayA === 1) || (monthB === 1 && dayB === 1))) return BIRTH.january_first
  const sameMonth = monthA === monthB
  const sameDay = dayA === dayB
  // A typo changes at most two neighbouring digits, so at least one of year, month and day stays equal. Most pairs differ in all three.
  const isNear = sameYear || sameMonth || sameDay
  if (isNear && isOneDigit(a, b)) return BIRTH.one_digit
  if (sameMonth && sameDay && Math.abs(yearA - yearB) === 1) return BIRTH.one_digit
  if (sameYear ? sameMonth || sameDay : sameMonth && sameDay) return BIRTH.two_parts
  if (sameYear) return BIRTH.year
  return Math.abs(yearA - yearB) <= 1 ? BIRTH.close_year : BIRTH.different
}

/** Returns whether year, month and day of a packed birth date are known. */
export function isWholeDate(birth: number): boolean {
  return birth >> 9 !== 0 && ((birth >> 5) & 15) !== 0 && (birth & 31) !== 0
}

function comparePartial(
  yearA: number,
  yearB: number,
  monthA: number,
  monthB: number,
  dayA: number,
  dayB: number,
): number {
  if (yearA !== 0 && yearB !== 0) {
    if (yearA !== yearB) return Math.abs(yearA - yearB) === 1 ? BIRTH.close_year : BIRTH.different
    if (monthA !== 0 && monthB !== 0 && monthA !== monthB) return BIRTH.year
    return BIRTH.partial
  }
  if (monthA !== 0 && monthB !== 0) {
    if (monthA !== monthB) return BIRTH.different
    return dayA !== 0 && dayB !== 0 && dayA !== dayB ? BIRTH.different : BIRTH.partial
  }
  return 0
}

// Returns whether one of the eight digits differs, or two neighbouring digits are exchanged.
function isOneDigit(a: number, b: number): boolean {
  let left = digits(a)
  let right = digits(b)
  let different = 0
  let first = -1
  let firstLeft = 0
  let firstRight = 0
  let isSwap = false
  for (let place = 0; place < 8; place++) {
    const digitA = left % 10
    const digitB = right % 10
    left = (left - digitA) / 10
    right = (right - digitB) / 10
    if (digitA === digitB) continue
    different++
    if (different === 1) {
      first = place
      firstLeft = digitA
      firstRight = digitB
    } else if (different === 2) {
      isSwap = place === first + 1 && digitA === firstRight && digitB === firstLeft
    } else return false
  }
  return different === 1 || isSwap
}

function digits(date: number): number {
  return (date >> 9) * 10_000 + ((date >> 5) & 15) * 100 + (date & 31)
}
