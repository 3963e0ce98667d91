const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns the milliseconds of a duration such as `90m`, `36h` or `7d`; null for any other text. */
export function durationOf(text: string): number | null {
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const milliseconds = UNITS[unit]
  return milliseconds === undefined ? null : Number(count) * milliseconds
}

/** Returns the instant of `2026-08-14` (midnight UTC) or `2026-08-14T06:00:00Z`; null for any other text. */
export function instantOf(text: string): Date | null {
  const at = /^\d{4}-\d{2}-\d{2}(?:T.*)?$/.test(text) ? new Date(text) : new Date(Number.NaN)
  return Number.isNaN(at.getTime()) ? null : at
}
