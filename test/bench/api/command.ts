import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '../../../src/errors.ts'
import { openState } from '../../../src/state/open.ts'

const CLI = fileURLToPath(new URL('../../../src/cli/platbook.mjs', import.meta.url))

/** Runs `body` beside `platbook serve --workers N` on a data folder. */
export async function withServing(
  data: string,
  workers: number,
  body: (server: { port: number; key: string }) => Promise<void>,
): Promise<void> {
  const state = await openState(join(data, 'state', 'state.sqlite'))
  const { secret: key } = await state.keys.create({
    name: 'bench',
    rate_per_second: 1_000_000,
    burst: 1_000_000,
  })
  await state.close()
  const argv = ['serve', '--data', data, '--port', '0', '--workers', String(workers)]
  const env = { ...process.env, LOG_LEVEL: 'warn', SHED_AFTER_MS: '10000' }
  const child = spawn(process.execPath, [CLI, ...argv], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    await body({ port: await portIn(child.stdout), key })
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

async function portIn(output: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: output })) {
    const [, port] = /listening on http:\/\/[^ ]*:(\d+)/.exec(line) ?? []
    if (port !== undefined) return Number(port)
  }
  throw new AppError('bad_usage', 'the server has ended before it listened')
}
