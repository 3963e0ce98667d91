import { cp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import type { ChunkSettings, ChunkTask } from '../../src/enrich/run/chunks.ts'
import { COMMA } from '../../src/enrich/read/records.ts'
import { openThreads } from '../../src/enrich/run/threads.ts'
import { currentSnapshot } from '../../src/lookup/index.ts'
import { inventedSnapshots } from '../api/support.ts'
import { withFolder } from '../support/folder.ts'

const SETTINGS: ChunkSettings = {
  input: 'delimited',
  inputDialect: COMMA,
  header: ['name', 'phone'],
  mapping: [{ column: 0, field: 'name', by: 'name' }],
  counties: new Map(),
  match: {
    fields: ['age'],
    require: [],
    minScore: 50,
    top: 1,
    suppressions: null,
    reportsSuppressed: false,
    suppressesPeople: true,
    today: '2026-06-01',
  },
  output: 'delimited',
  outputDialect: COMMA,
  safeCells: false,
  prefix: 'pb_',
  dedupe: false,
  reportsRows: false,
}
const TASK: ChunkTask = {
  bytes: new Uint8Array(Buffer.from('Jane Smith,512-555-0101\n'.repeat(500))),
  firstRow: 1,
  firstLine: 2,
  stopAt: Number.MAX_SAFE_INTEGER,
  endAt: Number.MAX_SAFE_INTEGER,
}

async function inventedSnapshot(): Promise<string> {
  return (await currentSnapshot(await inventedSnapshots()))!.folder
}

test('a chunk whose thread dies fails, and so does the next when the new thread dies, too', async () => {
  await withFolder(async (folder) => {
    const snapshot = join(folder, 'snapshot')
    await cp(await inventedSnapshot(), snapshot, { recursive: true })
    const threads = await openThreads(snapshot, SETTINGS, [], 1)
    // Before the thread has started: it finds none.
    await rename(snapshot, join(folder, 'moved'))
    const results = await Promise.allSettled([1, 2].map(() => threads.run(TASK)))
    for (const { reason } of results as PromiseRejectedResult[])
      expect(reason).toMatchObject({
        message: expect.stringMatching(/^a thread that matches rows ended before/),
      })
    await threads.close()
  })
})

test('chunks that wait when the threads are closed fail; the one under way is done', async () => {
  const threads = await openThreads(await inventedSnapshot(), SETTINGS, [], 1)
  const first = await threads.run(TASK)
  expect(first.tally.rows).toBe(500)
  const results = [1, 2, 3].map(() => threads.run(TASK))
  const settled = Promise.allSettled(results)
  await threads.close()
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
})

test('when a thread can’t be started, those before it end', async () => {
  let started = 0
  const settings = {
    ...SETTINGS,
    // What a thread is given is copied as it starts.
    get prefix(): string {
      started += 1
      if (started === 3) throw new Error('no more threads')
      return 'pb_'
    },
  }
  const workers: Worker[] = []
  const add = (worker: Worker): void => void workers.push(worker)
  process.on('worker', add)
  try {
    await expect(openThreads(await inventedSnapshot(), settings, [], 4)).rejects.toThrow('no more threads')
  } finally {
    process.off('worker', add)
  }
  // What has ended has no number any more.
  expect(workers.map(({ threadId }) => threadId)).toEqual([-1, -1])
})
