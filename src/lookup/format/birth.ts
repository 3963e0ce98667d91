/** The bit that is added to the packed birth date of a dead person. */
export const DEAD = 0x8000_0000

/**
 * Packs a date into one u32: year × 10,000 + month × 100 + day, with 0 for an unknown month or day. Returns 0
 * for an unknown date. The publisher adds `DEAD` for dead people. `today` is packed in the same way.
 */
export function packDate(date: string | null): number {
  if (date === null) return 0
  const match = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?/.exec(date)
  if (match === null || match[1] === '0000') return 0
  return Number(match[1]) * 10_000 + Number(match[2] ?? 0) * 100 + Number(match[3] ?? 0)
}

/**
 * Returns the age in whole years on the day `today`. Returns null for dead people, unknown birth dates and
 * impossible ages. The rule is that of `ageOn` (src/normalize/date.ts); a test compares both.
 */
export function ageAt(birth: number, today: number): number | null {
  if (birth === 0 || birth >= DEAD) return null
  const birthDay = birth % 10_000
  const day = today % 10_000
  let age = Math.trunc(today / 10_000) - Math.trunc(birth / 10_000)
  if (birthDay >= 100) {
    const isBefore = birthDay % 100 === 0 ? Math.trunc(day / 100) < birthDay / 100 : day < birthDay
    if (isBefore) age -= 1
  }
  return age >= 0 && age <= OLDEST ? age : null
}

// Higher ages come from dates such as 1900-01-01, which stand for an unknown date. `ageOn` has the same limit.
const OLDEST = 122
