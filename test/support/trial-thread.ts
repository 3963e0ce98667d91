// The code of the threads in test/threads.test.ts: each kind of task ends in another way.
import { threadId, workerData } from 'node:worker_threads'
import { serveTasks } from '../../src/threads.ts'

export interface Trial {
  readonly do: 'answer' | 'fail' | 'exit' | 'wait' | 'crash' | 'return a function' | 'exhaust memory'
  /** The thread adds one to its first number. */
  readonly counter?: Int32Array
}

const { closed } = workerData as { closed: Int32Array }

serveTasks(
  async (trial: Trial): Promise<unknown> => {
    if (trial.counter !== undefined) Atomics.add(trial.counter, 0, 1)
    if (trial.do === 'fail') throw new Error('this task cannot be done')
    if (trial.do === 'wait') await new Promise((resolve) => setImmediate(resolve))
    if (trial.do === 'exit') process.exit(7)
    if (trial.do === 'crash') {
      // Behind the task: the thread looks idle when it dies.
      setImmediate(() => {
        throw new Error('a bug outside of any task')
      })
    }
    if (trial.do === 'exhaust memory') for (const all: number[][] = []; ;) all.push(Array(100_000).fill(1))
    if (trial.do === 'return a function') return () => undefined
    return threadId
  },
  { close: () => void Atomics.add(closed, 0, 1) },
)
