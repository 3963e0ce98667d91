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

/** What starts processes of the bench; each resolves when it is ready. */
export interface Start {
  /** A process of `server.ts`, which listens. */
  readonly server: (...argv: string[]) => Promise<Server>
  /** A process of `load.ts`. */
  readonly load: () => Promise<ChildProcess>
}

/** Runs `body`, and ends the processes that it has started, also when one of them could not be. */
export async function withProcesses<T>(body: (start: Start) => Promise<T>): Promise<T> {
  const children: ChildProcess[] = []
  const started = async (child: ChildProcess): Promise<unknown> => {
    children.push(child)
    return nextMessage(child)
  }
  try {
    return await body({
      async server(...argv) {
        // What `src/cli/platbook.mjs` sets for a service, and must go on being that; a bare route has no columns that it would help.
        const env = argv[0] === 'app' ? { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' } : {}
        const child = start('server.ts', argv, env)
        return { child, ...((await started(child)) as Omit<Server, 'child'>) }
      },
      async load() {
        const child = start('load.ts', [])
        await started(child)
        return child
      },
    })
  } finally {
    for (const child of children) child.kill()
  }
}

/** Sends a message to a process of the bench and resolves with its answer. */
export async function ask(child: ChildProcess, message: object | string): Promise<unknown> {
  const answer = nextMessage(child)
  child.send(message)
  return answer
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const waiting = new AbortController()
  const { signal } = waiting
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]: unknown[]) => message),
      once(child, 'exit', { signal }).then(() => {
        throw new AppError('bad_usage', 'a process of the bench has ended early')
      }),
    ])
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
