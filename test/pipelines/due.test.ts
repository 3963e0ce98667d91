import { describe, expect, test } from 'vitest'
import { lastDaily, lastInterval } from '../../pipelines/due.ts'

const NEW_YORK = 'America/New_York'

describe('a job that is due every day', () => {
  test.each([
    ['before its time, yesterday', '2026-01-05T08:29:00Z', '2026-01-04T08:30:00.000Z'],
    ['at its time, now', '2026-01-05T08:30:00Z', '2026-01-05T08:30:00.000Z'],
    ['after its time, today', '2026-01-06T01:00:00Z', '2026-01-05T08:30:00.000Z'],
    ['in summer, by the summer clock', '2026-07-05T12:00:00Z', '2026-07-05T07:30:00.000Z'],
  ])('%s', (_name, now, due) => {
    expect(lastDaily('03:30', NEW_YORK, new Date(now)).toISOString()).toBe(due)
  })

  test('is as late as ever where the clock skips its hour, and the first of two where it comes twice', () => {
    expect(lastDaily('02:30', NEW_YORK, new Date('2026-03-08T12:00:00Z')).toISOString()).toBe('2026-03-08T07:30:00.000Z') // prettier-ignore
    expect(lastDaily('01:30', NEW_YORK, new Date('2026-11-01T12:00:00Z')).toISOString()).toBe('2026-11-01T05:30:00.000Z') // prettier-ignore
  })

  test.each([
    ['02:30', NEW_YORK],
    ['01:30', NEW_YORK],
    ['00:00', NEW_YORK],
    ['23:59', 'Europe/Lisbon'],
    ['02:15', 'Australia/Lord_Howe'],
    ['00:30', 'America/Santiago'],
    ['03:30', 'UTC'],
  ])('at %s in %s falls due once on every day of two years', (at, zone) => {
    const start = Date.parse('2026-01-01T00:00:00Z')
    const dues = new Set<number>()
    for (let hour = 0; hour < 2 * 365 * 24; hour += 7) {
      dues.add(lastDaily(at, zone, new Date(start + hour * 3_600_000)).getTime())
    }
    const days = [...dues].map((due) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(due),
    )
    expect(new Set(days).size).toBe(days.length)
    expect(days.length).toBeGreaterThanOrEqual(730)
    expect(days.length).toBeLessThanOrEqual(731)
  })
})

test('a job that is due every half hour is due on the half hours', () => {
  expect(lastInterval(30, new Date('2026-01-05T08:59:59Z')).toISOString()).toBe('2026-01-05T08:30:00.000Z')
})
