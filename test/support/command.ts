import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const CLI = fileURLToPath(new URL('../../src/cli/platbook.mjs', import.meta.url))

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

/** A real `platbook` process. */
function startCommand(argv: readonly string[], env: Record<string, string> = {}): Running {
  // The test runner sets BASE_URL for itself, to no URL.
  const { BASE_URL: _, ...inherited } = process.env
  const child = spawn(process.execPath, [CLI, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited, LOG_LEVEL: 'warn', ...env },
  })
  let stdout = ''
  let stderr = ''
  const waiting = new Set<() => void>()
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    for (const look of waiting) look()
  })
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
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
  env: Record<string, string> = {},
): Promise<T> {
  const running = startCommand(argv, env)
  try {
    return await body(running)
  } finally {
    running.process.kill('SIGKILL')
    await running.ended
  }
}

export function runCommand(argv: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return startCommand(argv, env).ended
}
