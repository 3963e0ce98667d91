import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { idempotencyKey, KeyedRequests } from '../../src/api/idempotency.ts'
import { openState } from '../../src/state/open.ts'
import { withFolder } from '../support/folder.ts'
import { newStatePlace } from '../support/state-place.ts'

const START = Date.parse('2026-06-01T12:00:00Z')
const ANSWER = { status: 200, location: null, body: '{"results":[]}' }

const requestOf = (enrichment_id: string) => ({
  account_id: 'one',
  key: 'a',
  digest: 'of the list',
  enrichment_id,
})

/** Two processes on one state file; time is driven. */
async function inTwoProcesses(
  body: (processes: readonly [KeyedRequests, KeyedRequests], folder: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const place = await newStatePlace(folder)
    const states = [await openState(place), await openState(place)] as const
    const [one, other] = states.map(
      ({ db }) => new KeyedRequests(db, (id) => join(folder, id), () => new Date()), // prettier-ignore
    )
    for (const id of ['first', 'second']) await mkdir(join(folder, id))
    try {
      await body([one!, other!], folder)
    } finally {
      for (const state of states) await state.close()
    }
  })
}

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: START }))
afterEach(() => vi.useRealTimers())

describe('a request under way', () => {
  test('keeps its key however long it takes, and frees it when it fails', async () => {
    await inTwoProcesses(async ([one, other]) => {
      expect(await one.begin(requestOf('first'))).toBeNull()
      const acting = Promise.withResolvers<never>()
      const carried = one.carryOut(requestOf('first'), () => acting.promise)
      for (let seconds = 0; seconds < 300; seconds += 15) {
        vi.advanceTimersByTime(15_000)
        await expect(other.begin(requestOf('second'))).rejects.toMatchObject({ code: 'conflict' })
      }
      acting.reject(new Error('the list cannot be read'))
      await expect(carried).rejects.toThrow('the list cannot be read')
      expect(await other.begin(requestOf('second'))).toBeNull()
    })
  })

  test('whose process stood still for a minute is another process’s; its own answer is refused and removed', async () => {
    await inTwoProcesses(async ([one, other], folder) => {
      expect(await one.begin(requestOf('first'))).toBeNull()
      vi.setSystemTime(START + 60_000 - 1)
      await expect(other.begin(requestOf('second'))).rejects.toMatchObject({ code: 'conflict' })
      vi.setSystemTime(START + 60_000)
      expect(await other.begin(requestOf('second'))).toBeNull()
      await expect(one.keep(requestOf('first'), ANSWER, false)).rejects.toMatchObject({ code: 'conflict' })
      expect(await readdir(join(folder, 'first'))).toEqual([])
      await other.keep(requestOf('second'), ANSWER, false)
      expect(await readdir(join(folder, 'second'))).toEqual(['answer.json'])
      expect(await one.begin(requestOf('third'))).toEqual(ANSWER)
    })
  })

  test('that is refused before anything was written is refused with the same message', async () => {
    await inTwoProcesses(async ([one, other]) => {
      await one.begin(requestOf('first'))
      vi.setSystemTime(START + 60_000)
      await other.begin(requestOf('second'))
      await expect(one.keep(requestOf('first'), ANSWER, true)).rejects.toMatchObject({ code: 'conflict' })
    })
  })
})

test('a small answer is kept in the state file and a key for a day', async () => {
  await inTwoProcesses(async ([one, other], folder) => {
    await one.begin(requestOf('first'))
    const answer = { status: 202, location: '/v1/enrichments/first', body: '{"result":{}}' }
    await one.keep(requestOf('first'), answer, true)
    expect(await readdir(join(folder, 'first'))).toEqual([])
    vi.setSystemTime(START + 86_400_000)
    expect(await other.begin(requestOf('second'))).toEqual(answer)
    vi.setSystemTime(START + 86_400_001)
    expect(await other.begin(requestOf('second'))).toBeNull()
  })
})

test('a key is 1 to 255 characters without spaces, given once', () => {
  expect(idempotencyKey(undefined)).toBeNull()
  expect(idempotencyKey('a'.repeat(255))).toHaveLength(255)
  for (const wrong of ['', 'a'.repeat(256), 'a b', 'é', ['a', 'b']]) {
    expect(() => idempotencyKey(wrong), String(wrong)).toThrow(/Idempotency-Key must be given only once/)
  }
})
