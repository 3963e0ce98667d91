import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** The command line, for Node. */
export const CLI = fileURLToPath(new URL('../../src/cli/platbook.mjs', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves with the standard output so far, once it matches; rejects when the process ends before. */
  waitFor(pattern: RegExp): Promise<string>
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>
  /** What standard input brings; null: the caller writes it. It is empty when nothing is said. */
  readonly input?: string | Uint8Array | null
  /** The file that is standard output, by its descriptor. */
  readonly stdout?: number
  /** The user that it runs as. */
  readonly uid?: number
}

/**
 * Starts a real `platbook` process. DuckDB has one thread in it, because two test files run at once on two cores;
 * `env` can give it more.
 */
function startCommand(argv: readonly string[], { env, input, stdout: file, uid }: CommandOptions): Running {
  // The test runner sets BASE_URL for itself, to no URL.
  const { BASE_URL: _, ...inherited } = process.env
  const child = spawn(process.execPath, [CLI, ...argv], {
    stdio: [input === undefined ? 'ignore' : 'pipe', file ?? 'pipe', 'pipe'],
    env: { ...inherited, LOG_LEVEL: 'warn', DUCKDB_THREADS: '1', ...env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  // Who refuses doesn't read to the end.
  child.stdin?.on('error', () => undefined)
  if (input !== null) child.stdin?.end(input)
  let stdout = ''
  let stderr = ''
  const waiting = new Set<() => void>()
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    for (const look of waiting) look()
  })
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  return {
    process: child,
    ended,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(stdout)) return
          waiting.delete(look)
          resolve(stdout)
        }
        waiting.add(look)
        void ended.then(({ code }) =>
          reject(new Error(`ended with ${code} before ${pattern}:\n${stdout}\n${stderr}`)),
        )
        look()
      }),
  }
}

/** Runs `body` beside a `platbook` process, which is ended afterwards whatever happens. */
export async function withCommand<T>(
  argv: readonly string[],
  body: (running: Running) => Promise<T>,
  options: CommandOptions = {},
): Promise<T> {
  const running = startCommand(argv, options)
  // A test that has run out of time never comes to the end of `body`.
  onTestFinished(() => void running.process.kill('SIGKILL'))
  try {
    return await body(running)
  } finally {
    running.process.kill('SIGKILL')
    await running.ended
  }
}

export function runCommand(argv: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  return startCommand(argv, options).ended
}
