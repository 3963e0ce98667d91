// The process that asks: one message is one round of load, the answer is what came of it.
import { createRequire } from 'node:module'

export interface Round {
  readonly port: number
  readonly key: string
  readonly paths: string[]
  readonly seconds: number
  readonly connections: number
  /** Requests a second, evenly; as many as can be when it is null. */
  readonly rate: number | null
}

export interface RoundResult {
  readonly requests: number
  readonly perSecond: number
  readonly notOk: number
  readonly p50: number
  readonly p99: number
}

interface Cannon {
  on(
    event: 'response',
    listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
  ): void
}
type Autocannon = (
  options: object,
  done: (error: Error | null, result: { duration: number; errors: number; timeouts: number }) => void,
) => Cannon

// It has no types of its own.
const autocannon = createRequire(import.meta.url)('autocannon') as Autocannon

function fire({ port, key, paths, seconds, connections, rate }: Round): Promise<RoundResult> {
  return new Promise((resolve, reject) => {
    // Its own histogram counts whole milliseconds, which is two requests' worth here.
    const times: number[] = []
    let notOk = 0
    const cannon = autocannon(
      {
        url: `http://127.0.0.1:${port}`,
        connections,
        duration: seconds,
        headers: { 'x-api-key': key },
        requests: paths.map((path) => ({ method: 'GET', path })),
        ...(rate === null ? {} : { overallRate: rate }),
      },
      (error, result) => {
        if (error !== null) {
          reject(error)
          return
        }
        times.sort((left, right) => left - right)
        resolve({
          requests: times.length,
          perSecond: times.length / result.duration,
          notOk: notOk + result.errors + result.timeouts,
          p50: times[Math.floor(times.length * 0.5)] ?? 0,
          p99: times[Math.floor(times.length * 0.99)] ?? 0,
        })
      },
    )
    cannon.on('response', (_client, status, _bytes, milliseconds) => {
      times.push(milliseconds)
      if (status < 200 || status > 299) notOk += 1
    })
  })
}

process.on('message', (round: Round) => {
  fire(round).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.send?.({ isReady: true })
