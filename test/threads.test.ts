import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { ThreadPool } from '../src/threads.ts'
import type { Trial } from './support/trial-thread.ts'

const MODULE = new URL('./support/trial-thread.ts', import.meta.url)
const ANSWER: Trial = { do: 'answer' }

type Pool = ThreadPool<Trial, number>

/** Runs `body` with a pool that is closed whatever happens; `closed` counts the threads that closed what they opened. */
async function withPool(
  size: number,
  body: (pool: Pool, closed: Int32Array, workers: readonly Worker[]) => Promise<void>,
): Promise<void> {
  const closed = new Int32Array(new SharedArrayBuffer(4))
  const pool: Pool = new ThreadPool({
    module: MODULE,
    does: 'tries things',
    size,
    workerData: { closed },
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  })
  const workers: Worker[] = []
  const note = (worker: Worker): void => void workers.push(worker)
  process.on('worker', note)
  try {
    await body(pool, closed, workers)
  } finally {
    process.off('worker', note)
    await pool.close()
  }
}

test('tasks share the threads, of which no more are started than are needed', async () => {
  await withPool(2, async (pool, _, workers) => {
    const alone = await pool.run(ANSWER)
    expect(await pool.run(ANSWER)).toBe(alone)
    expect(workers).toHaveLength(1)
    const five = await Promise.all(Array.from({ length: 5 }, async () => pool.run(ANSWER)))
    expect(new Set(five)).toEqual(new Set(workers.map(({ threadId }) => threadId)))
    expect(workers).toHaveLength(2)
    pool.start(2)
    expect(workers).toHaveLength(2)
  })
})

test('a thread that exits in the middle of a task fails this task alone, and leaves the pool', async () => {
  await withPool(2, async (pool, _, workers) => {
    const before = await Promise.all([pool.run(ANSWER), pool.run(ANSWER)])
    const results = await Promise.allSettled([
      pool.run({ do: 'exit' }),
      ...Array.from({ length: 5 }, async () => pool.run(ANSWER)),
    ])
    expect(results[0]).toMatchObject({
      status: 'rejected',
      reason: { message: 'a thread that tries things ended before its task was done: it exited with code 7' },
    })
    expect(results.slice(1).every(({ status }) => status === 'fulfilled')).toBe(true)
    // One of the two is left; two tasks at once need another.
    const after = await Promise.all([pool.run(ANSWER), pool.run(ANSWER)])
    expect(workers).toHaveLength(3)
    expect(after.filter((id) => before.includes(id))).toHaveLength(1)
  })
})

test('when the only thread dies, the tasks that wait are done by its successor', async () => {
  await withPool(1, async (pool) => {
    const dying = pool.run({ do: 'exit' })
    const waiting = pool.run(ANSWER)
    await expect(dying).rejects.toThrow('exited with code 7')
    expect(await waiting).toBeGreaterThan(0)
  })
})

test('a thread that dies while it is idle is replaced', async () => {
  await withPool(1, async (pool, _, workers) => {
    const first = await pool.run({ do: 'crash' })
    await new Promise((resolve) => workers[0]!.once('exit', resolve))
    expect(await pool.run(ANSWER)).not.toBe(first)
  })
})

test('a thread that runs out of memory fails its task with the reason', async () => {
  await withPool(1, async (pool) => {
    await expect(pool.run({ do: 'exhaust memory' })).rejects.toThrow(
      /a thread that tries things ended before its task was done: .*memory/,
    )
  })
})

test('a module that cannot be loaded fails every task, and none waits for ever', async () => {
  const pool: Pool = new ThreadPool({
    module: new URL('nothing-there.ts', MODULE),
    does: 'is missing',
    size: 1,
  })
  const results = await Promise.allSettled([pool.run(ANSWER), pool.run(ANSWER)])
  for (const { reason } of results as PromiseRejectedResult[])
    expect(reason).toMatchObject({ message: expect.stringContaining('nothing-there.ts') })
  await pool.close()
})

test('a task that fails leaves its thread alive', async () => {
  await withPool(1, async (pool) => {
    const thread = await pool.run(ANSWER)
    await expect(pool.run({ do: 'fail' })).rejects.toThrow('this task cannot be done')
    await expect(pool.run({ do: 'return a function' })).rejects.toThrow('could not be cloned')
    const unsendable = { do: 'answer', counter: () => undefined } as unknown as Trial
    await expect(pool.run(unsendable)).rejects.toThrow('could not be cloned')
    expect(await pool.run(ANSWER)).toBe(thread)
  })
})

test('threads see the memory that a task shares', async () => {
  await withPool(2, async (pool) => {
    const counter = new Int32Array(new SharedArrayBuffer(4))
    await Promise.all(Array.from({ length: 20 }, async () => pool.run({ do: 'answer', counter })))
    expect(counter[0]).toBe(20)
  })
})

test('closing waits for the task under way, fails those that wait, and lets every thread close its own', async () => {
  await withPool(2, async (pool, closed, workers) => {
    const settled = Promise.allSettled([1, 2, 3].map(async () => pool.run({ do: 'wait' })))
    await pool.close()
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    await expect(pool.run(ANSWER)).rejects.toMatchObject({ code: 'stopped' })
    expect(closed[0]).toBe(2)
    expect(workers.map(({ threadId }) => threadId)).toEqual([-1, -1])
  })
})

test('idle threads do not keep a process alive', () => {
  const program = fileURLToPath(new URL('./support/use-one-thread.ts', import.meta.url))
  const ended = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 30_000 })
  expect(ended).toMatchObject({ status: 0, signal: null, stdout: 'number\n' })
})
