import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createGzip } from 'node:zlib'
import { openState } from '../../src/state/open.ts'
import { arrowThatClaims } from '../enrich/foreign-lists.ts'
import { INVENTED, publishedSnapshot } from '../support/published.ts'
import { machineLine } from './machine.ts'

const CLI = fileURLToPath(new URL('../../src/cli/platbook.mjs', import.meta.url))
const RESULTS = new URL('./results/attacks.md', import.meta.url)
const CSV = 'text/csv'
const ARROW = 'application/vnd.apache.arrow.stream'

/** A service with little memory shows soonest what an attack takes, and the machine is not harmed. */
const HEAP_MB = 1_024
const LOOKUPS_PER_SECOND = 50
const ANSWER_WITHIN_MS = 10_000
const READY_EVERY_MS = 250
const QUIET_MS = 8_000
const UPLOADS = 1_010
const UPLOADS_HELD_MS = 15_000
const BOMB_ROWS = 100_000_000
const LONG_ROWS = 1_000_000
/** The attacker's request is given up then; what it started may go on in the service. */
const ATTACK_WITHIN_MS = 60_000
const JOB_WITHIN_MS = 30_000

interface Service {
  readonly port: number
  readonly attacker: string
  readonly other: string
}

interface Attack {
  readonly name: string
  /** Runs the attack; returns what became of it, for the table. `bomb` is the gzip file. */
  readonly run: (service: Service, bomb: Buffer) => Promise<{ attack: string; job?: string }>
}

const ATTACKS: readonly Attack[] = [
  { name: 'none', run: () => delay(QUIET_MS, { attack: '' }) },
  { name: 'Arrow stream of a kilobyte that claims 400 million rows, 5 times', run: claimRows },
  { name: `${UPLOADS.toLocaleString('en-US')} slow uploads of one key`, run: uploadSlowly },
  { name: 'gzip of 389 kB with 100 million rows, as a job', run: sendJob },
  { name: 'list of 1,000,000 rows, as a job', run: (service) => sendJob(service, longList()) },
]

/**
 * Effects on other callers while one key attacks `platbook serve` on this machine: latency and failures of 50 lookups a second,
 * `/ready`, the peak of the service's memory, and how long another account's list of one row waits for its result.
 */
export async function run(): Promise<void> {
  const bomb = await gzipOf('name,phone\n', 'ab,\n', BOMB_ROWS)
  const lines = [
    `${machineLine()}; one process with a heap of ${HEAP_MB} MB; a new service for each attack; gzip ${Math.round(bomb.length / 1_000)} kB, Arrow ${arrowThatClaims(400_000_000n).length} bytes`,
    '',
    '| attack | its answer | lookups | not 200 | p50 ms | p99 ms | /ready | peak memory MB | job of one row |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
  ]
  for (const line of lines) console.log(line)
  for (const attack of ATTACKS) {
    const line = await measure(attack, bomb)
    console.log(line)
    lines.push(line)
  }
  await mkdir(new URL('.', RESULTS), { recursive: true })
  await writeFile(RESULTS, `# Attacks\n\n${lines.join('\n')}\n`)
}

async function measure({ name, run: attack }: Attack, bomb: Buffer): Promise<string> {
  return withService(async (service, memory, exited) => {
    const over = new AbortController()
    const watching = Promise.all([
      askSteadily(service, over.signal),
      askReady(service, over.signal),
      peakMemory(memory, over.signal),
    ])
    const { attack: answer, job = '' } = await attack(service, bomb)
    over.abort()
    const [lookups, ready, peak] = await watching
    const times = lookups.times.toSorted((a, b) => a - b)
    const at = (share: number): string =>
      times.length === 0 ? 'none answered' : times[Math.floor((times.length - 1) * share)]!.toFixed(1)
    const ended = exited()
    return `| ${[
      name,
      ended === null ? answer : `${answer}; the service ended (${ended})`,
      lookups.asked,
      countsOf(lookups.failed),
      at(0.5),
      at(0.99),
      countsOf(ready),
      peak === null ? 'unknown' : Math.round(peak),
      job,
    ].join(' | ')} |`
  })
}

function countsOf(counts: ReadonlyMap<string, number>): string {
  return counts.size === 0 ? '0' : [...counts].map(([what, count]) => `${what}: ${count}`).join(', ')
}

async function withService<T>(
  body: (service: Service, pid: number, exited: () => string | null) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'platbook-bench-'))
  let child: ChildProcess | null = null
  try {
    const state = await openState(join(folder, 'state', 'state.sqlite'))
    const newKey = async (name: string): Promise<string> =>
      (await state.keys.create({ name, rate_per_second: 1_000_000, burst: 1_000_000 })).secret
    const [attacker, other] = [await newKey('attacker'), await newKey('other')]
    await state.close()
    await publishedSnapshot(join(folder, 'snapshots'))
    const env = { ...process.env, LOG_LEVEL: 'silent', NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` }
    child = spawn(process.execPath, [CLI, 'serve', '--data', folder, '--port', '0'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env,
    })
    const port = await portIn(child.stdout!)
    const service = child
    const exited = (): string | null =>
      service.signalCode ?? (service.exitCode === null ? null : `exit code ${service.exitCode}`)
    return await body({ port, attacker, other }, child.pid!, exited)
  } finally {
    if (child !== null) await endService(child)
    await rm(folder, { recursive: true, force: true })
  }
}

async function endService(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await exit
  clearTimeout(late)
}

async function portIn(output: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: output })) {
    const [, port] = /listening on http:\/\/[^ ]*:(\d+)/.exec(line) ?? []
    if (port !== undefined) return Number(port)
  }
  throw new Error('the service has ended before it listened')
}

interface Answer {
  /** The status, or why there is no answer. */
  readonly status: string
  readonly body: string
}

interface Sending {
  readonly method?: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  readonly agent?: Agent
  readonly within?: number
}

function ask(port: number, path: string, sending: Sending = {}): Promise<Answer> {
  const { method = 'GET', key, headers = {}, body, agent, within = ANSWER_WITHIN_MS } = sending
  return new Promise((resolve) => {
    const asking = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        agent: agent ?? false,
        headers: {
          ...(key === undefined ? {} : { 'x-api-key': key }),
          ...(body === undefined ? {} : { 'content-length': body.length }),
          ...headers,
        },
      },
      (reply) => {
        const parts: Buffer[] = []
        reply.on('data', (part: Buffer) => parts.push(part))
        reply.on('error', () => undefined)
        reply.on('close', () => {
          clearTimeout(late)
          resolve({ status: String(reply.statusCode), body: Buffer.concat(parts).toString() })
        })
      },
    )
    const late = setTimeout(() => asking.destroy(new Error(`no answer within ${within / 1_000} s`)), within)
    asking.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(late)
      resolve({ status: error.code ?? error.message, body: '' })
    })
    asking.end(body)
  })
}

interface Lookups {
  readonly asked: number
  /** Milliseconds of all that were answered, from when they were due. */
  readonly times: readonly number[]
  readonly failed: ReadonlyMap<string, number>
}

async function askSteadily({ port, other }: Service, over: AbortSignal): Promise<Lookups> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const times: number[] = []
  const failed = new Map<string, number>()
  const under: Promise<void>[] = []
  const started = performance.now()
  for (let asked = 0; !over.aborted; asked += 1) {
    const due = started + (asked * 1_000) / LOOKUPS_PER_SECOND
    await delay(Math.max(0, due - performance.now()))
    under.push(
      (async () => {
        const { status } = await ask(port, `/v2/person/${INVENTED.jane}`, { key: other, agent })
        if (status !== '200') failed.set(status, (failed.get(status) ?? 0) + 1)
        if (/^\d+$/.test(status)) times.push(performance.now() - due)
      })(),
    )
  }
  await Promise.all(under)
  agent.destroy()
  return { asked: under.length, times, failed }
}

async function askReady({ port }: Service, over: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const asked: Promise<void>[] = []
  while (!over.aborted) {
    asked.push(
      ask(port, '/ready').then(({ status }) => void counts.set(status, (counts.get(status) ?? 0) + 1)),
    )
    await delay(READY_EVERY_MS)
  }
  await Promise.all(asked)
  return counts
}

/** The most resident memory of a process, MB, as Linux counts it; null elsewhere. */
async function peakMemory(pid: number, over: AbortSignal): Promise<number | null> {
  let peak: number | null = null
  for (;;) {
    const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(text)?.[1]
    if (kilobytes !== undefined) peak = Math.max(peak ?? 0, Number(kilobytes) / 1_000)
    if (over.aborted) return peak
    await delay(100)
  }
}

async function claimRows({ port, attacker }: Service): Promise<{ attack: string }> {
  const statuses = new Map<string, number>()
  const started = performance.now()
  for (let sent = 0; sent < 5 && performance.now() - started < JOB_WITHIN_MS; sent += 1) {
    const { status } = await ask(port, '/v1/enrichments', {
      method: 'POST',
      key: attacker,
      headers: { 'content-type': ARROW },
      body: arrowThatClaims(400_000_000n),
      within: JOB_WITHIN_MS,
    })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    await delay(1_000)
  }
  return { attack: countsOf(statuses) }
}

async function uploadSlowly({ port, attacker }: Service): Promise<{ attack: string }> {
  const answered = new Map<string, number>()
  const sockets: Socket[] = []
  for (let count = 0; count < UPLOADS; count += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.once('data', (bytes: Buffer) => {
      const status = /^HTTP\/1.1 (\d+)/.exec(bytes.toString('latin1'))?.[1] ?? 'unknown'
      answered.set(status, (answered.get(status) ?? 0) + 1)
    })
    socket.write(
      `POST /v1/enrichments HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${attacker}\r\ncontent-type: ${CSV}\r\ncontent-length: 1000000\r\n\r\nname,phone\n`,
    )
    sockets.push(socket)
  }
  for (const end = performance.now() + UPLOADS_HELD_MS; performance.now() < end;) {
    await delay(1_000)
    for (const socket of sockets) if (!socket.destroyed) socket.write('x')
  }
  const held = sockets.filter(({ destroyed }) => !destroyed).length
  for (const socket of sockets) socket.destroy()
  return { attack: `${answered.size === 0 ? '' : `${countsOf(answered)}; `}${held} stay open` }
}

function longList(): Buffer {
  return Buffer.from(`name,phone\n${'Jane Smith,512-555-0101\n'.repeat(LONG_ROWS)}`)
}

/** Sends the attacker's list; once that is answered, another account sends a list of one row and waits for its result. */
async function sendJob(service: Service, list: Buffer): Promise<{ attack: string; job: string }> {
  const started = performance.now()
  const send = (key: string, body: Buffer): Promise<Answer> =>
    ask(service.port, '/v1/enrichments', {
      method: 'POST',
      key,
      headers: { 'content-type': CSV, prefer: 'respond-async' },
      body,
      within: ATTACK_WITHIN_MS,
    })
  const { status } = await send(service.attacker, list)
  const took = ((performance.now() - started) / 1_000).toFixed(1)
  return {
    attack: `${status} after ${took} s`,
    job: await waitForJob(
      service,
      await send(service.other, Buffer.from('name,phone\nJane Smith,512-555-0101\n')),
    ),
  }
}

async function waitForJob({ port, other }: Service, sent: Answer): Promise<string> {
  if (sent.status !== '202') return `refused: ${sent.status}`
  const { result } = JSON.parse(sent.body) as { result: { id: string } }
  const started = performance.now()
  for (;;) {
    const { body } = await ask(port, `/v1/enrichments/${result.id}`, { key: other })
    const took = performance.now() - started
    const { result: job } = JSON.parse(body === '' ? '{}' : body) as { result?: { status: string } }
    if (job?.status === 'done') return `done after ${(took / 1_000).toFixed(1)} s`
    if (took > JOB_WITHIN_MS) return `${job?.status ?? 'no answer'} after ${JOB_WITHIN_MS / 1_000} s`
    await delay(100)
  }
}

async function gzipOf(header: string, row: string, rows: number): Promise<Buffer> {
  const part = Buffer.from(row.repeat(100_000))
  const zip = createGzip({ level: 9 })
  const parts: Buffer[] = []
  zip.on('data', (bytes: Buffer) => parts.push(bytes))
  const whole = once(zip, 'end')
  zip.write(header)
  for (let written = 0; written < rows; written += 100_000) if (!zip.write(part)) await once(zip, 'drain')
  zip.end()
  await whole
  return Buffer.concat(parts)
}
