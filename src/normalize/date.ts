/**
 * Returns the age in whole years on `today` (both dates YYYY-MM-DD). Where month or day is `00` or absent, the age is
 * the difference of the years. Null when there is no year, or when the age is negative or above `OLDEST`.
 */
export function ageOn(date_of_birth: string | null, today: string): number | null {
  if (date_of_birth === null) return null
  const birth = dateParts(date_of_birth)
  const now = dateParts(today)
  if (birth === null || now === null) return null
  let age = now.year - birth.year
  if (birth.month > 0) {
    const before =
      now.month < birth.month || (now.month === birth.month && birth.day > 0 && now.day < birth.day)
    if (before) age -= 1
  }
  return age >= 0 && age <= OLDEST ? age : null
}

// The oldest person on record reached 122. A higher age comes from a placeholder date (1900-01-01) or a typing error.
const OLDEST = 122

function dateParts(text: string): { year: number; month: number; day: number } | null {
  const match = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?/.exec(text)
  const year = Number(match?.[1] ?? 0)
  if (year === 0) return null
  return { year, month: Number(match?.[2] ?? 0), day: Number(match?.[3] ?? 0) }
}
