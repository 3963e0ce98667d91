// Run by test/threads.test.ts: has a thread do one task and leaves the pool open.
import { ThreadPool } from '../../src/threads.ts'
import type { Trial } from './trial-thread.ts'

const pool = new ThreadPool<Trial, number>({
  module: new URL('trial-thread.ts', import.meta.url),
  does: 'tries things',
  size: 2,
  workerData: { closed: new Int32Array(new SharedArrayBuffer(4)) },
})
// One thread has a task, the other none.
pool.start(2)
console.log(typeof (await pool.run({ do: 'answer' })))
