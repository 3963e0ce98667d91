import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../../src/errors.ts'

export interface Server {
  readonly child: ChildProcess
  readonly port: number
  readonly key: string
}

/** What a server has used: processor time in microseconds, all of it and that of the thread that answers; memory in bytes. */
export interface Used {
  readonly cpu: number
  readonly main: number
  readonly heapUsed: number
  readonly external: number
  readonly rss: number
}

/** What is left after a collection, in bytes. */
export type Live = Pick<Used, 'heapUsed' | 'external'>

/** A process of `server.ts`; resolves when it listens. */
export async function startServer(...argv: string[]): Promise<Server> {
  // As `src/cli/platbook.mjs` starts a service; a bare route has no columns that it would help.
  const env = argv[0] === 'app' ? { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' } : {}
  const child = start('server.ts', argv, env)
  const [ready] = (await once(child, 'message')) as [{ port: number; key: string }]
  return { child, ...ready }
}

export async function startLoad(): Promise<ChildProcess> {
  const child = start('load.ts', [])
  await once(child, 'message')
  return child
}

/** Sends a message to a process of the bench and resolves with its answer. */
export async function ask(child: ChildProcess, message: object | string): Promise<unknown> {
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    const answer = Promise.race([
      once(child, 'message', { signal }).then(([reply]: unknown[]) => reply),
      once(child, 'exit', { signal }).then(() => {
        throw new AppError('bad_usage', 'a process of the bench has ended early')
      }),
    ])
    child.send(message)
    return await answer
  } finally {
    waiting.abort()
  }
}

export const used = async ({ child }: Server): Promise<Used> => (await ask(child, 'used')) as Used
export const live = async ({ child }: Server): Promise<Live> => (await ask(child, 'live')) as Live

function start(file: string, argv: string[], env: Record<string, string> = {}): ChildProcess {
  return fork(fileURLToPath(new URL(`./${file}`, import.meta.url)), argv, {
    execArgv: [...process.execArgv, '--expose-gc'],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}
