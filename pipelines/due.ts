// When jobs are due. Everything is computed from instants, so a clock that jumps or a process that slept changes nothing.

/** Of a job that is due at `at` (`HH:MM`) every day on the clock of `zone`: the last due instant not after `now`. */
export function lastDaily(at: string, zone: string, now: Date): Date {
  const today = Date.parse(`${wallClock(now, zone).slice(0, 10)}T00:00:00Z`)
  for (let day = today + DAY_MS; ; day -= DAY_MS) {
    const due = instantOf(day, at, zone)
    if (due <= now) return due
  }
}

/** Of a job that is due every `minutes`: the last due instant not after `now`. */
export function lastInterval(minutes: number, now: Date): Date {
  const step = minutes * 60_000
  return new Date(Math.floor(now.getTime() / step) * step)
}

const DAY_MS = 86_400_000

/**
 * The one instant at which it is `at` on that day. Where the clock is put forward and skips `at`, it is as long after
 * midnight as on other days (02:30 becomes 03:30); where it is put back and `at` comes twice, the first of them.
 */
function instantOf(day: number, at: string, zone: string): Date {
  const [hours = 0, minutes = 0] = at.split(':').map(Number)
  const wall = day + (hours * 60 + minutes) * 60_000
  const before = wall - offsetOf(new Date(wall - DAY_MS), zone)
  const after = wall - offsetOf(new Date(wall + DAY_MS), zone)
  const shows = (instant: number): boolean => instant + offsetOf(new Date(instant), zone) === wall
  return new Date([before, after].sort((a, b) => a - b).find(shows) ?? before)
}

/** What the clock on the wall says more than UTC, in milliseconds. */
function offsetOf(instant: Date, zone: string): number {
  const seconds = Math.floor(instant.getTime() / 1000) * 1000
  return Date.parse(`${wallClock(instant, zone)}Z`) - seconds
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** `YYYY-MM-DDTHH:MM:SS` on the wall. */
function wallClock(instant: Date, zone: string): string {
  const clock = clocks.get(zone) ?? clockOf(zone)
  clocks.set(zone, clock)
  return clock.format(instant).replace(', ', 'T').replace(' ', 'T')
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  // The Swedish way to write a date is ISO 8601's.
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
