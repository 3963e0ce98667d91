// The process that asks: one message is one round of load, the answer is what came of it.
import { once } from 'node:events'
import { type OnReadOpts, Socket } from 'node:net'
import { createHistogram } from 'node:perf_hooks'
import { AnswerReader } from './answer-reader.ts'

export interface Round {
  readonly port: number
  readonly key: string
  readonly paths: string[]
  readonly seconds: number
  readonly connections: number
  /** Requests a second, evenly, each timed from when it was due and none left out; as many as can be when it is null. */
  readonly rate: number | null
}

export interface RoundResult {
  readonly requests: number
  readonly perSecond: number
  readonly notOk: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Of one core: what the asking itself took. */
  readonly share: number
}

const TICK_MS = 1

/** One connection, on which a request follows the answer to the last one. */
class Line {
  readonly #socket: Socket
  #askedAt = 0
  isBusy = false

  constructor(onAnswer: (line: Line, isOk: boolean, askedAt: number) => void) {
    const reader = new AnswerReader((status) => {
      this.isBusy = false
      onAnswer(this, status >= 200 && status < 300, this.#askedAt)
    })
    // One buffer for all that arrives: no stream and no allocation for each answer.
    const onread: OnReadOpts = {
      buffer: Buffer.allocUnsafeSlow(64 * 1024),
      callback: (length, bytes) => {
        reader.read(bytes as Buffer, length)
        return true
      },
    }
    this.#socket = new Socket({ onread })
  }

  async open(port: number): Promise<void> {
    this.#socket.setNoDelay(true).connect({ port, host: '127.0.0.1' })
    await once(this.#socket, 'connect')
    this.#socket.on('error', fail).on('close', () => fail(new Error('the server has closed a connection')))
  }

  ask(request: Buffer, at: number): void {
    this.isBusy = true
    this.#askedAt = at
    this.#socket.write(request)
  }

  close(): void {
    this.#socket.removeAllListeners('close')
    this.#socket.destroy()
  }
}

async function fire({ port, key, paths, seconds, connections, rate }: Round): Promise<RoundResult> {
  const requests = paths.map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-api-key: ${key}\r\n\r\n`),
  )
  const times = createHistogram({ lowest: 1, highest: 60_000_000, figures: 3 })
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let asked = 0
  let notOk = 0
  let isOver = false
  const ask = (line: Line, at: number): void => line.ask(requests[asked++ % requests.length]!, at)
  const lines = Array.from(
    { length: connections },
    () =>
      new Line((line, isOk, askedAt) => {
        const now = performance.now()
        times.record(Math.max(1, Math.round((now - askedAt) * 1000)))
        if (!isOk) notOk += 1
        if (rate === null && !isOver) ask(line, now)
        else if (due.length > 0) ask(line, due.shift()!)
        else if (isOver && lines.every(({ isBusy }) => !isBusy)) end()
      }),
  )
  // When requests were due that no connection was free for.
  const due: number[] = []
  await Promise.all(lines.map((line) => line.open(port)))
  const before = process.cpuUsage()
  const started = performance.now()
  let ticker: NodeJS.Timeout | undefined
  if (rate === null) for (const line of lines) ask(line, started)
  else ticker = setInterval(() => tick(performance.now() - started), TICK_MS)
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  clearInterval(ticker)
  // The timer of the round may end it up to a millisecond early: what is due until its end is asked all the same.
  if (rate !== null) tick(seconds * 1000)
  isOver = true
  if (lines.some(({ isBusy }) => isBusy)) await ended
  const took = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(before)
  for (const line of lines) line.close()
  return {
    requests: times.count,
    perSecond: times.count / took,
    notOk,
    p50: times.percentile(50) / 1000,
    p99: times.percentile(99) / 1000,
    share: (user + system) / 1e6 / took,
  }

  // A tick may come late, and a request with it: neither changes when it was due.
  function tick(elapsedMs: number): void {
    const perMs = rate! / 1000
    const dueCount = Math.min(rate! * seconds, Math.floor(elapsedMs * perMs) + 1)
    const free = lines.filter(({ isBusy }) => !isBusy)
    for (let next = asked + due.length; next < dueCount; next += 1) {
      const line = free.pop()
      const at = started + next / perMs
      if (line === undefined) due.push(at)
      else ask(line, at)
    }
  }
}

function fail(error: unknown): never {
  console.error(error)
  process.exit(1)
}

process.on('message', (round: Round) => {
  fire(round).then((result) => process.send?.(result), fail)
})
process.send?.({ isReady: true })
