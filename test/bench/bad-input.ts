/**
 * The property of `test/api/bad-input.test.ts` over 100,000 random requests (`BENCH_REQUESTS`): no input is a 500, every
 * answer is as the OpenAPI file has it. Ends with an error when one is not, and prints the request.
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

const VITEST = ['vitest', 'run', '--config', 'test/vitest.config.ts', 'test/api/bad-input.test.ts']

export async function run(): Promise<void> {
  const requests = process.env['BENCH_REQUESTS'] ?? '100000'
  const started = performance.now()
  const child = spawn('npx', [...VITEST, '-t', 'whatever is sent', '--reporter=dot'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, RANDOM_REQUESTS: requests, NO_COLOR: '1' },
  })
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  )
  const [report, code] = await Promise.all([text(child.stdout), ended])
  if (code !== 0)
    throw new Error(`a random request was answered otherwise than described (exit ${code}):\n${report}`)
  if (!/^ *Tests +1 passed/m.test(report))
    throw new Error(`the test of random requests did not run:\n${report}`)
  const seconds = (performance.now() - started) / 1000
  console.log(
    `${Number(requests).toLocaleString('en-US')} random requests in ${seconds.toFixed(0)} s: no 500, every answer as described`,
  )
}
