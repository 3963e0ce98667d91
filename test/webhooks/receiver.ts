import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type Certificate, createCertificate } from '../support/certificate.ts'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How a receiver answers a notification. */
export type Script = (response: ServerResponse, received: Received) => void | Promise<void>

export interface Receiver {
  readonly url: string
  readonly port: number
  /** `host:port`, the form of `WEBHOOK_TEST_HOSTS`. */
  readonly host: string
  readonly certificate: Certificate
  /** All received requests, oldest first. */
  readonly received: Received[]
  /** Sets how the receiver answers from now on. */
  script: Script
}

export function answer(status: number, headers: Record<string, string> = {}, body = ''): Script {
  return (response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
}

export interface ReceiverOptions {
  readonly script?: Script
  readonly address?: string
  readonly isTls?: boolean
  readonly certificate?: Certificate
}

/** Runs a local receiver with the given answers, and closes it at the end. */
export async function withReceiver<T>(
  body: (receiver: Receiver) => Promise<T>,
  {
    script = answer(200),
    address = '127.0.0.1',
    isTls = false,
    certificate = createCertificate(['localhost', 'receiver.example.com', address]),
  }: ReceiverOptions = {},
): Promise<T> {
  const received: Received[] = []
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      }
      received.push(one)
      void receiver.script(response, one)
    })
  }
  const server = isTls ? createTlsServer(certificate, listener) : createServer(listener)
  server.listen(0, address)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const host = `${address.includes(':') ? `[${address}]` : address}:${port}`
  const receiver: Receiver = {
    url: `${isTls ? 'https' : 'http'}://${host}/hook`,
    port,
    host: `${address}:${port}`,
    certificate,
    received,
    script,
  }
  try {
    return await body(receiver)
  } finally {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}
