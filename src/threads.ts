import { parentPort, type ResourceLimits, type Transferable, Worker } from 'node:worker_threads'
import { AppError, messageOf } from './errors.ts'

export interface ThreadPoolOptions {
  /** The module that each thread runs; it calls `serveTasks`. */
  readonly module: URL
  /** The work of a thread as a verb with its object, for error messages: 'matches rows'. */
  readonly does: string
  /** The most threads that run at one time. */
  readonly size: number
  readonly workerData?: unknown
  readonly resourceLimits?: ResourceLimits
}

/** The message of a thread about a task. A failure has only texts, because a cloned error would lose its class and fields. */
type Reply<Result> =
  | { readonly result: Result; readonly failure?: undefined }
  | { readonly failure: { readonly message: string; readonly stack: string | undefined } }

interface Pending<Task, Result> {
  readonly task: Task
  readonly resolve: (result: Result) => void
  readonly reject: (cause: Error) => void
}

/**
 * Runs tasks on threads of one module. Each thread runs one task at a time. A thread starts when a task finds no idle thread.
 * When a thread dies, only its task fails, and a new thread runs the waiting tasks. Idle threads do not keep the process
 * running.
 */
export class ThreadPool<Task, Result> {
  readonly #options: ThreadPoolOptions
  readonly #threads = new Set<PoolThread<Task, Result>>()
  readonly #idle: PoolThread<Task, Result>[] = []
  readonly #waiting: Pending<Task, Result>[] = []
  #isClosed = false

  constructor(options: ThreadPoolOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#options.size
  }

  /** Starts threads before there is a task, until `count` of them run. */
  start(count: number): void {
    while (this.#threads.size < Math.min(count, this.size)) this.#idle.push(this.#startThread())
  }

  /**
   * Runs a task on a thread and returns its result. Waiting tasks run in the order of the calls.
   * @throws `stopped` when the pool is closed before a thread has taken the task.
   */
  async run(task: Task): Promise<Result> {
    if (this.#isClosed) throw this.#closed()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject })
      this.#assign()
    })
  }

  /** Fails the waiting tasks, and waits for the running tasks. Then each thread closes what it opened and ends. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(this.#closed())
    await Promise.all([...this.#threads].map(async (thread) => thread.end()))
  }

  #assign(): void {
    for (let pending = this.#waiting[0]; pending !== undefined; pending = this.#waiting[0]) {
      if (this.#idle.length === 0 && this.#threads.size >= this.size) return
      this.#waiting.shift()
      try {
        const thread = this.#idle.pop() ?? this.#startThread()
        thread.take(pending)
      } catch (cause) {
        pending.reject(cause as Error)
      }
    }
  }

  #startThread(): PoolThread<Task, Result> {
    const thread = new PoolThread<Task, Result>(this.#options, {
      idle: () => {
        this.#idle.push(thread)
        this.#assign()
      },
      dead: () => {
        this.#threads.delete(thread)
        const at = this.#idle.indexOf(thread)
        if (at >= 0) this.#idle.splice(at, 1)
        this.#assign()
      },
    })
    this.#threads.add(thread)
    return thread
  }

  #closed(): AppError {
    return new AppError('stopped', `the pool of threads is closed: no thread ${this.#options.does} any more`)
  }
}

class PoolThread<Task, Result> {
  readonly #worker: Worker
  readonly #does: string
  readonly #exited: Promise<void>
  readonly #onIdle: () => void
  #pending: Pending<Task, Result> | null = null
  #isEnding = false

  constructor(
    { module, does, workerData, resourceLimits }: ThreadPoolOptions,
    on: { readonly idle: () => void; readonly dead: () => void },
  ) {
    this.#does = does
    this.#onIdle = on.idle
    this.#worker = new Worker(module, { workerData, ...(resourceLimits && { resourceLimits }) })
    let cause: unknown
    this.#worker.on('error', (error) => (cause = error))
    this.#worker.on('message', (reply: Reply<Result>) => this.#settle(reply))
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        this.#fail(code, cause)
        on.dead()
        resolve()
      })
    })
    // Call `unref` after adding the listeners, because a listener for messages undoes it.
    this.#worker.unref()
  }

  take(pending: Pending<Task, Result>): void {
    this.#pending = pending
    this.#worker.ref()
    try {
      this.#worker.postMessage({ task: pending.task }, [])
    } catch (cause) {
      // The task has a value that cannot be sent to a thread. The thread has not received the task.
      this.#settle({ failure: { message: messageOf(cause), stack: (cause as Error).stack } })
    }
  }

  async end(): Promise<void> {
    this.#isEnding = true
    this.#worker.ref()
    if (this.#pending === null) this.#worker.postMessage(null, [])
    await this.#exited
  }

  #settle(reply: Reply<Result>): void {
    const pending = this.#pending
    this.#pending = null
    if (this.#isEnding) this.#worker.postMessage(null, [])
    else this.#worker.unref()
    if (reply.failure === undefined) pending?.resolve(reply.result)
    else pending?.reject(Object.assign(new Error(reply.failure.message), { stack: reply.failure.stack }))
    this.#onIdle()
  }

  #fail(code: number, cause: unknown): void {
    const why = cause === undefined ? `it exited with code ${code}` : messageOf(cause)
    this.#pending?.reject(
      new Error(`a thread that ${this.#does} ended before its task was done: ${why}`, { cause }),
    )
    this.#pending = null
  }
}

interface ServeOptions<Result> {
  /** Returns the buffers of a result that move to the other thread instead of being copied. */
  readonly transfer?: (result: Result) => Transferable[]
  /** Closes what the module opened, before the thread ends. */
  readonly close?: () => void | Promise<void>
}

/** Runs `answer` for each task that the pool sends to this thread, and sends the result back. A pool's module calls this once. */
export function serveTasks<Result>(
  answer: (task: never) => Result | Promise<Result>,
  { transfer = () => [], close = () => undefined }: ServeOptions<Result> = {},
): void {
  const port = parentPort
  if (port === null) throw new Error('this module is the code of a thread: start it by a ThreadPool')
  port.on('message', async (message: { readonly task: never } | null) => {
    if (message === null) {
      await close()
      port.close()
      return
    }
    try {
      const result = await answer(message.task)
      port.postMessage({ result } satisfies Reply<Result>, transfer(result))
    } catch (error) {
      const stack = error instanceof Error ? error.stack : undefined
      port.postMessage({ failure: { message: messageOf(error), stack } } satisfies Reply<Result>, [])
    }
  })
}
