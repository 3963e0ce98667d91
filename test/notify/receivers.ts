import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

export interface HttpReceiver {
  readonly url: string
  /** The bodies of the received requests, by path. */
  readonly received: { readonly path: string; readonly body: string }[]
  /** Sets the answer from now on. */
  status: number
}

/** A local HTTP server that keeps the received bodies. */
export async function httpReceiver(): Promise<HttpReceiver> {
  const receiver: { -readonly [K in keyof HttpReceiver]: HttpReceiver[K] } = {
    url: '',
    received: [],
    status: 200,
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      receiver.received.push({ path: request.url ?? '', body })
      response.writeHead(receiver.status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return receiver
}

export interface MailReceiver {
  readonly url: string
  readonly received: { readonly to: string[]; readonly content: string }[]
}

/** A local mail server that accepts every message of `user` with `password`. */
export async function mailReceiver(): Promise<MailReceiver> {
  const received: MailReceiver['received'] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => {
      if (username === 'user' && password === 'password') done(null, { user: username })
      else done(new Error('wrong password'))
    },
    onData: (stream, session, done) => {
      let content = ''
      stream.on('data', (chunk: Buffer) => (content += chunk.toString()))
      stream.on('end', () => {
        received.push({ to: session.envelope.rcptTo.map(({ address }) => address), content })
        done()
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  const { port } = server.server.address() as AddressInfo
  return { url: `smtp://user:password@127.0.0.1:${port}`, received }
}
