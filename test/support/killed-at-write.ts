import type { ChildProcess } from 'node:child_process'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { withCommand } from './command.ts'
import { MOTO_ENV } from './moto.ts'

/**
 * Runs a real `platbook` process against the S3 server at `url`, and kills it when its request number `kill` that writes arrives,
 * before the server sees that request. Returns false if the process ended well with fewer requests.
 */
export async function killedAtWrite(
  url: string,
  kill: number,
  argv: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  let writes = 0
  let child: ChildProcess | undefined
  const proxy = createServer((incoming, outgoing) => {
    if (incoming.method !== 'GET' && ++writes === kill) {
      child?.kill('SIGKILL')
      return
    }
    const target = new URL(incoming.url ?? '/', url)
    const { method, headers } = incoming
    const onward = request(target, { method, headers } as object, (answer: IncomingMessage) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void proxy.close())
  await new Promise((resolve) => proxy.once('listening', resolve))
  const { port } = proxy.address() as AddressInfo
  const env = { ...MOTO_ENV, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`, ...more }
  const { code, stderr } = await withCommand(
    argv,
    async (running) => {
      child = running.process
      return running.ended
    },
    { env },
  )
  proxy.closeAllConnections()
  if (code !== null) expect(code, stderr).toBe(0)
  return code === null
}
