import { expect, test } from 'vitest'
import { lateDays, lateSources } from '../../src/ingest/late.ts'
import { feedSource, rollSource, withNight } from './night.ts'

test.each([
  ['on the day that it is due', '2026-06-01', 30, '2026-07-01', 0],
  ['a day later', '2026-06-01', 30, '2026-07-02', 1],
  ['years later', '2016-02-29', 1, '2026-02-28', 3651],
  ['before its own day', '2026-06-01', 1, '2026-05-01', 0],
  ['without a schedule', '2016-06-01', 0, '2026-06-01', 0],
  ['without a file', null, 1, '2026-06-01', 0],
])('a source is late by whole days: %s', (_name, newest, everyDays, today, days) => {
  expect(lateDays(newest, everyDays, today)).toBe(days)
})

test('late sources are those with a newest file that is older than expected; files of the sample are never late', async () => {
  await withNight(async ({ db, land, run }) => {
    const [roll, feed] = [rollSource(), feedSource()]
    await land('roll_20240701.csv', 'CO,PARCEL,OWNER,VALUE\n16,1,SMITH,5\n')
    await land('sample-day-1/07-01-2025nme.txt', '1|SMITH|D|\n')
    await run([roll, feed])
    expect(await lateSources(db, [roll, feed], '2025-07-01')).toEqual([])
    expect(await lateSources(db, [roll, feed], '2025-07-03')).toEqual([
      { source_id: roll.id, newest_on: '2024-07-01', every_days: 365, late_days: 2 },
    ])
    await land('07-02-2025nme.txt', '2|DOE|D|\n')
    await run([roll, feed])
    expect(await lateSources(db, [feed], '2025-07-05')).toMatchObject([{ source_id: feed.id, late_days: 2 }])
  })
})
