import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Config } from '../config.ts'
import { messageOf } from '../errors.ts'
import type { Message } from './condition.ts'

/** A way to send messages to the operator. */
export interface Channel {
  readonly name: 'url' | 'command' | 'email' | 'deadman'
  /** Sends a message. @throws Error with the reason in its message, without URLs and secrets. */
  send(message: Message): Promise<void>
}

type NotifyConfig = Pick<
  Config,
  | 'NOTIFY_URL'
  | 'NOTIFY_COMMAND'
  | 'NOTIFY_SMTP_URL'
  | 'NOTIFY_EMAIL_TO'
  | 'NOTIFY_EMAIL_FROM'
  | 'NOTIFY_DEADMAN_URL'
>

/** Time limit of each attempt. */
const TIMEOUT_MS = 10_000

/** Returns the configured channels. The dead-man URL is called only after successful runs. */
export function channelsOf(config: NotifyConfig): Channel[] {
  const {
    NOTIFY_URL: url,
    NOTIFY_COMMAND: command,
    NOTIFY_SMTP_URL: smtp,
    NOTIFY_DEADMAN_URL: deadman,
  } = config
  return [
    ...(url === undefined ? [] : [{ name: 'url' as const, send: (message: Message) => post(url, message) }]),
    ...(command === undefined
      ? []
      : [{ name: 'command' as const, send: (message: Message) => runCommand(command, message) }]),
    ...(smtp === undefined
      ? []
      : [{ name: 'email' as const, send: (message: Message) => sendEmail(smtp, config, message) }]),
    ...(deadman === undefined
      ? []
      : [{ name: 'deadman' as const, send: (message: Message) => post(deadman, message) }]),
  ]
}

async function post(url: string, message: Message): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new Error(`no answer: ${reasonOf(cause)}`, { cause })
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`answered ${response.status}`)
}

// Returns the code of the error. Its message contains the URL, which may contain a secret.
function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  if (name === 'TimeoutError') return `none within ${TIMEOUT_MS / 1000} seconds`
  return typeof cause?.code === 'string' ? cause.code : (name ?? 'unknown error')
}

/**
 * Runs a program with the message on its standard input, without a shell. The words of `command` are program and
 * arguments.
 */
async function runCommand(command: string, message: Message): Promise<void> {
  const [program = '', ...args] = command.split(/\s+/).filter((word) => word !== '')
  const child = spawn(program, args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  // Ignore the error of a program that closes its input without reading it.
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(message))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  if (signal === 'SIGKILL') throw new Error(`did not end within ${TIMEOUT_MS / 1000} seconds`)
  if (code !== 0) throw new Error(`ended with ${code === null ? signal : `exit code ${code}`}`)
}

async function sendEmail(
  url: string,
  { NOTIFY_EMAIL_FROM: from, NOTIFY_EMAIL_TO: to }: NotifyConfig,
  message: Message,
): Promise<void> {
  // Loaded only when an e-mail is sent, because most installations do not use e-mail.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  })
  try {
    const [subject = ''] = message.text.split('\n')
    await transport.sendMail({ from, to: [...to], subject, text: message.text })
  } catch (cause) {
    const { code, responseCode } = cause as { code?: string; responseCode?: number }
    throw new Error(`mail server: ${responseCode ?? code ?? messageOf(cause).split('\n')[0]}`, { cause })
  } finally {
    transport.close()
  }
}
