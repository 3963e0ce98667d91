/** Set in a packed birth date when the person is dead. */
export const DEAD = 0x8000_0000

/**
 * A birth date in one u32: year × 10,000 + month × 100 + day (0 for what is not known), `DEAD` added for the dead;
 * 0 when nothing is known. Days (`today`) are packed the same way.
 */
export function packDate(date: string | null): number {
  if (date === null) return 0
  const match = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?/.exec(date)
  if (match === null || match[1] === '0000') return 0
  return Number(match[1]) * 10_000 + Number(match[2] ?? 0) * 100 + Number(match[3] ?? 0)
}

/** Whole years at `today`; null for the dead, for unknown dates and for nobody's age. The same rule as `ageOn`. */
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

// As in ageOn (src/normalize/date.ts), which a test holds this to: higher ages are sentinel dates.
const OLDEST = 122
