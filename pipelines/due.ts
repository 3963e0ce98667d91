// Computes when jobs are due, from the present instant alone. A clock that jumps or a process that slept changes
// nothing.

/**
 * Returns the last due instant, not after `now`, of a job that is due every day at `at` (`HH:MM`) in the time zone
 * `zone`.
 */
export function lastDaily(at: string, zone: string, now: Date): Date {
  const today = Date.parse(`${wallClock(now, zone).slice(0, 10)}T00:00:00Z`)
  for (let day = today + DAY_MS; ; day -= DAY_MS) {
    const due = instantOf(day, at, zone)
    if (due <= now) return due
  }
}

/** Returns the last due instant, not after `now`, of a job that is due every `minutes`. */
export function lastInterval(minutes: number, now: Date): Date {
  const step = minutes * 60_000
  return new Date(Math.floor(now.getTime() / step) * step)
}

const DAY_MS = 86_400_000

/**
 * Returns the instant at which clocks in `zone` show `at` on that day. When the clock is put forward and skips
 * `at`, the instant is as long after midnight as on other days (02:30 becomes 03:30). When clocks show `at` twice,
 * it is the first time.
 */
function instantOf(day: number, at: string, zone: string): Date {
  const [hours = 0, minutes = 0] = at.split(':').map(Number)
  const wall = day + (hours * 60 + minutes) * 60_000
  const before = wall - offsetOf(new Date(wall - DAY_MS), zone)
  const after = wall - offsetOf(new Date(wall + DAY_MS), zone)
  const shows = (instant: number): boolean => instant + offsetOf(new Date(instant), zone) === wall
  return new Date([before, after].sort((a, b) => a - b).find(shows) ?? before)
}

/** Returns the difference between local time in `zone` and UTC, in milliseconds. */
function offsetOf(instant: Date, zone: string): number {
  const seconds = Math.floor(instant.getTime() / 1000) * 1000
  return Date.parse(`${wallClock(instant, zone)}Z`) - seconds
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Returns the local time in `zone` as `YYYY-MM-DDTHH:MM:SS`. */
function wallClock(instant: Date, zone: string): string {
  const clock = clocks.get(zone) ?? clockOf(zone)
  clocks.set(zone, clock)
  return clock.format(instant).replace(', ', 'T').replace(' ', 'T')
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  // Swedish dates have the form of ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
}
