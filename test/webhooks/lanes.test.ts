import { expect, test } from 'vitest'
import { type Lane, Lanes } from '../../src/webhooks/lanes.ts'
import type { EndpointResponse } from '../../src/webhooks/sender.ts'

const atOnce: EndpointResponse = {
  status_code: 200,
  duration_ms: 5,
  failure: null,
  retry_after_ms: null,
  body: '',
}
const never = new Promise<void>(() => {})

/** Adds as many attempts to a lane as it has room for. */
function fill(lanes: Lanes, lane: Lane): number {
  const most = Math.max(0, lanes.capacity().of(lane))
  for (let n = 0; n < most; n += 1) void lane.run(() => never)
  return most
}

test('of a host that is not known yet only what can be under way is taken, of a quick one more ahead', () => {
  const lanes = new Lanes(8)
  const lane = lanes.of('one.example.com')
  expect(lanes.of('one.example.com')).toBe(lane)
  expect(lanes.capacity().of(lane)).toBe(8)
  lane.note(atOnce)
  expect(lanes.capacity().of(lane)).toBe(40)
  lane.note({ ...atOnce, duration_ms: 999 })
  expect(lanes.capacity().of(lane)).toBe(40)
  lane.note({ ...atOnce, duration_ms: 1_000 })
  expect(lanes.capacity().of(lane)).toBe(8)
  lane.note(atOnce)
  lane.note({ ...atOnce, failure: 'timeout' })
  expect(lanes.capacity().of(lane)).toBe(8)
})

test('any number of dead hosts leaves half of the room to the others', () => {
  const lanes = new Lanes(8)
  const quick = lanes.of('quick.example.com')
  quick.note(atOnce)
  const taken = Array.from({ length: 100 }, (_, n) => fill(lanes, lanes.of(`dead-${n}.example.com`)))
  expect(taken.reduce((sum, count) => sum + count, 0)).toBe(256)
  expect(lanes.capacity().total).toBe(256)
  expect(fill(lanes, quick)).toBe(40)
})

test('quick hosts together have all of the room, and no more', () => {
  const lanes = new Lanes(8)
  const taken = Array.from({ length: 30 }, (_, n) => {
    const lane = lanes.of(`quick-${n}.example.com`)
    lane.note(atOnce)
    return fill(lanes, lane)
  })
  expect(taken.reduce((sum, count) => sum + count, 0)).toBe(512)
  expect(lanes.capacity().total).toBe(0)
})

test('what is being taken counts before it is under way', () => {
  const lanes = new Lanes(8)
  const lane = lanes.of('one.example.com')
  const room = lanes.capacity()
  room.take(lane, 5)
  expect(room.of(lane)).toBe(3)
})

test('attempts in line count like attempts under way', () => {
  const lanes = new Lanes(8)
  const lane = lanes.of('one.example.com')
  lane.note(atOnce)
  expect(fill(lanes, lane)).toBe(40)
  expect(lane.count).toBe(40)
  expect(lanes.capacity().of(lane)).toBe(0)
  expect(lanes.capacity().total).toBe(512 - 40)
})

test('what is taken for one host leaves less for the others', () => {
  const lanes = new Lanes(300)
  const [slow, other] = [lanes.of('slow.example.com'), lanes.of('other.example.com')]
  const room = lanes.capacity()
  room.take(slow, 100)
  room.take(slow, 56)
  expect(room.of(slow)).toBe(100)
  expect(room.of(other)).toBe(100)
  const quick = lanes.of('quick.example.com')
  quick.note(atOnce)
  expect(room.of(quick)).toBe(512 - 156)
})
