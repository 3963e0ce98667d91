import { expect, test } from 'vitest'
import { openState } from '../../src/state/open.ts'
import { withState } from './support.ts'

const PHONE = { kind: 'phone', value: '15125550101' } as const

test('a suppression that is there already is kept as it is, and told again', async () => {
  await withState(async ({ suppressions }, clock) => {
    const [first] = await suppressions.add([PHONE])
    clock.pass(1_000)
    expect(await suppressions.add([PHONE])).toEqual([first])
    expect(await suppressions.list()).toEqual([first])
    expect(first).toMatchObject({
      ...PHONE,
      marks: [],
      work_item_id: null,
      created_at: '2026-08-14T12:00:00.000Z',
    })
    expect(first!.suppression_id).toMatch(/^sup_[0-9A-Za-z]{22}$/)
  })
})

test('two work items may say the same: it holds until both are withdrawn', async () => {
  await withState(async ({ suppressions }) => {
    await suppressions.add(['one', 'two'].map((work_item_id) => ({ ...PHONE, work_item_id })))
    expect(await suppressions.removeWorkItems(['one', 'three'])).toBe(1)
    expect(await suppressions.list()).toMatchObject([{ ...PHONE, work_item_id: 'two' }])
  })
})

test('the number of changes is another after an addition and a removal, also of another process, and after nothing else', async () => {
  await withState(async ({ suppressions }, { path, now }) => {
    const elsewhere = await openState(path, { now })
    const seen = [await suppressions.changeCount()]
    const [added] = await suppressions.add([PHONE])
    seen.push(await suppressions.changeCount())
    await suppressions.add([PHONE])
    expect(await suppressions.changeCount()).toBe(seen.at(-1))
    await elsewhere.suppressions.remove(added!.suppression_id)
    await elsewhere.close()
    seen.push(await suppressions.changeCount())
    expect(new Set(seen).size).toBe(3)
    await expect(suppressions.remove(added!.suppression_id)).rejects.toThrow(/there is no suppression sup_/)
  })
})

test('a list of many thousands is read whole', async () => {
  await withState(async ({ suppressions }) => {
    const wanted = Array.from({ length: 4_500 }, (_, n) => ({
      kind: 'email' as const,
      value: `jane${n}@example.com`,
    }))
    await suppressions.add(wanted)
    const values = (await suppressions.list()).map(({ value }) => value)
    expect(new Set(values)).toEqual(new Set(wanted.map(({ value }) => value)))
    expect(values).toHaveLength(4_500)
  })
})
