/**
 * Endpoints on this machine, in a process of their own: HTTPS servers that answer every notification with 200.
 * Arguments: how many, a file with their key and certificate. Says its ports, and on a line `count` what it got.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

const [count = '1', file = ''] = process.argv.slice(2)
const certificate = JSON.parse(readFileSync(file, 'utf8')) as { key: string; cert: string }
const ids = new Set<string>()
let requests = 0

const ports = await Promise.all(
  Array.from({ length: Number(count) }, async () => {
    const server = createServer(certificate, (request, response) => {
      requests += 1
      ids.add(String(request.headers['webhook-id']))
      request.resume()
      request.on('end', () => response.end('ok'))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }),
)
console.log(JSON.stringify(ports))
for await (const _ of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify({ requests, distinct: ids.size }))
}
process.exit(0)
