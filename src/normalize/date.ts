/**
 * Whole years from `date_of_birth` to `today` (both YYYY-MM-DD). Months or days that are zero or absent are not known:
 * then the age is the one that the year alone suggests. Null when there is no year, or nobody is that old.
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

// The oldest person on record reached 122; a higher age is a sentinel date (1900-01-01) or a typing error.
const OLDEST = 122

function dateParts(text: string): { year: number; month: number; day: number } | null {
  const match = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?/.exec(text)
  const year = Number(match?.[1] ?? 0)
  if (year === 0) return null
  return { year, month: Number(match?.[2] ?? 0), day: Number(match?.[3] ?? 0) }
}
