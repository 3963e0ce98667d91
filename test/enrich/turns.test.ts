import { expect, test } from 'vitest'
import { Turns } from '../../src/enrich/jobs/turns.ts'

test('accounts take turns, however many tasks one of them queued first; an account keeps its order', async () => {
  const turns = new Turns(1)
  const done: string[] = []
  const begin = Promise.withResolvers<void>()
  const tasks = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map((name) =>
    turns.run(name[0]!, async () => {
      await begin.promise
      done.push(name)
    }),
  )
  begin.resolve()
  await Promise.all(tasks)
  expect(done).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

test('a task that fails gives its place to the next one', async () => {
  const turns = new Turns(2)
  const failing = [1, 2, 3].map(() => turns.run('a', () => Promise.reject(new Error('no'))))
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
    'rejected',
  ])
  expect(await turns.run('b', async () => 'done')).toBe('done')
})
