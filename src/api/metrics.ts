import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { ConnectionCounts } from './open-connections.ts'

/** Upper bounds of the histogram buckets for durations, seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const

/** Counts of one route. `buckets` has one more entry than BUCKETS, for requests longer than the last bound. */
export interface RouteReading {
  readonly method: string
  readonly route: string
  readonly statuses: Readonly<Record<string, number>>
  readonly buckets: readonly number[]
  readonly seconds: number
}

/** Counts of one process since its start, as plain data that can be sent to another process. */
export interface Reading {
  readonly pid: number
  readonly snapshot: string | null
  readonly snapshotChanges: number
  readonly routes: readonly RouteReading[]
  readonly inFlight: number
  /** Access events that are not yet in the state file. */
  readonly eventsWaiting: number
  readonly connections: ConnectionCounts
  /** Delay of the event loop since the last reading, seconds. */
  readonly loopDelay: { readonly p50: number; readonly p99: number; readonly max: number }
  readonly residentBytes: number
  readonly cpuSeconds: number
  readonly startedAt: number
}

/** Counts the requests of one route. */
class RouteMetrics {
  readonly method: string
  readonly route: string
  readonly #statuses = new Map<number, number>()
  readonly #buckets = new Float64Array(BUCKETS.length + 1)
  #seconds = 0

  constructor(method: string, route: string) {
    this.method = method
    this.route = route
  }

  add(status: number, milliseconds: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
    const seconds = milliseconds / 1000
    this.#seconds += seconds
    let bucket = 0
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket += 1
    this.#buckets[bucket]! += 1
  }

  read(): RouteReading {
    const { method, route } = this
    const statuses = Object.fromEntries(this.#statuses)
    return { method, route, statuses, buckets: [...this.#buckets], seconds: this.#seconds }
  }
}

/** State of the process, apart from the counts of requests. */
export type Doing = Pick<
  Reading,
  'snapshot' | 'snapshotChanges' | 'inFlight' | 'eventsWaiting' | 'connections'
>

/** Counts the requests of a server. `read` returns the counts with the state of the process. */
export class Metrics {
  readonly #routes: RouteMetrics[] = []
  readonly #delay: ReturnType<typeof monitorEventLoopDelay>

  constructor() {
    this.#delay = monitorEventLoopDelay({ resolution: 20 })
    this.#delay.enable()
  }

  /** Returns the counter of a route. The caller adds each request to it. */
  route(method: string, route: string): RouteMetrics {
    const metrics = new RouteMetrics(method, route)
    this.#routes.push(metrics)
    return metrics
  }

  read(doing: Doing): Reading {
    const { user, system } = process.cpuUsage()
    const loopDelay = {
      p50: seconds(this.#delay.percentile(50)),
      p99: seconds(this.#delay.percentile(99)),
      max: seconds(this.#delay.max),
    }
    this.#delay.reset()
    return {
      ...doing,
      pid: process.pid,
      routes: this.#routes.map((route) => route.read()),
      loopDelay,
      residentBytes: process.memoryUsage.rss(),
      cpuSeconds: (user + system) / 1e6,
      startedAt: performance.timeOrigin / 1000,
    }
  }

  close(): void {
    this.#delay.disable()
  }
}

/** Formats the readings of all workers in Prometheus' text format. Counts are summed; values of a process have a label `worker`. */
export function formatMetrics(readings: readonly Reading[], replacedWorkers: number): string {
  const routes = sumRoutes(readings)
  const each = (value: (reading: Reading) => string): string[] =>
    readings.map((reading, index) => `{worker="${index + 1}"${value(reading)}`)
  const delays = (['p50', 'p99', 'max'] as const).flatMap((rank) =>
    each(({ loopDelay }) => `,rank="${rank}"} ${loopDelay[rank]}`),
  )
  return [
    family('http_requests_total', 'Answered requests', requestLines(routes)),
    family(DURATION, 'Time from the arrival of a request to its response', durationLines(routes)),
    family(
      'worker_info',
      'Process and snapshot of each worker',
      each(({ pid, snapshot }) => `,pid="${pid}",snapshot="${snapshot ?? ''}"} 1`),
    ),
    ...PROCESS_METRICS.map(([name, help, value]) =>
      family(
        name,
        help,
        each((reading) => `} ${value(reading)}`),
      ),
    ),
    family('event_loop_delay_seconds', 'Delay of the event loop since the last scrape', delays),
    family('workers', 'Workers that answered this scrape', [` ${readings.length}`]),
    family('workers_replaced_total', 'Workers that crashed and were replaced', [` ${replacedWorkers}`]),
  ].join('')
}

const DURATION = 'http_request_duration_seconds'

/** Values of each process: name, help, and the value of a reading. */
const PROCESS_METRICS: readonly (readonly [string, string, (reading: Reading) => number])[] = [
  ['http_in_flight', 'Requests in progress', (of) => of.inFlight],
  ['snapshot_changes_total', 'Changes of the served snapshot', (of) => of.snapshotChanges],
  ['access_events_waiting', 'Access events that wait to be written', (of) => of.eventsWaiting],
  ['connections', 'Open connections', (of) => of.connections.open],
  [
    'connections_idle_closed_total',
    'Idle connections closed to make room',
    (of) => of.connections.idleClosed,
  ],
  [
    'connections_refused_total',
    'Connections refused because all were in use',
    (of) => of.connections.refused,
  ],
  ['resident_memory_bytes', 'Memory in use', (of) => of.residentBytes],
  ['cpu_seconds_total', 'Processor time', (of) => of.cpuSeconds],
  ['start_time_seconds', 'When the process started', (of) => of.startedAt],
]

/** Formats a metric with its lines, which begin after the name. Names of counters end in `_total`. */
function family(name: string, help: string, lines: readonly string[]): string {
  const full = `platbook_${name}`
  const type = name === DURATION ? 'histogram' : name.endsWith('_total') ? 'counter' : 'gauge'
  const named = lines.map((line) => `${full}${line}`)
  return [`# HELP ${full} ${help}.`, `# TYPE ${full} ${type}`, ...named, ''].join('\n')
}

const seconds = (nanoseconds: number): number => nanoseconds / 1e9

function sumRoutes(readings: readonly Reading[]): RouteReading[] {
  const sums = new Map<string, RouteReading>()
  for (const reading of readings.flatMap(({ routes }) => routes)) {
    const name = `${reading.method} ${reading.route}`
    const known = sums.get(name)
    sums.set(name, known === undefined ? reading : addRoutes(known, reading))
  }
  return [...sums.values()]
}

function addRoutes(left: RouteReading, right: RouteReading): RouteReading {
  const statuses: Record<string, number> = { ...left.statuses }
  for (const [status, count] of Object.entries(right.statuses)) {
    statuses[status] = (statuses[status] ?? 0) + count
  }
  return {
    ...left,
    statuses,
    buckets: left.buckets.map((count, index) => count + right.buckets[index]!),
    seconds: left.seconds + right.seconds,
  }
}

function labels({ method, route }: RouteReading, more = ''): string {
  return `{method="${method}",route="${route}"${more}}`
}

function requestLines(routes: readonly RouteReading[]): string[] {
  return routes.flatMap((route) =>
    Object.entries(route.statuses).map(
      ([status, count]) => `${labels(route, `,status="${status}"`)} ${count}`,
    ),
  )
}

function durationLines(routes: readonly RouteReading[]): string[] {
  return routes.flatMap((route) => {
    let sum = 0
    const buckets = route.buckets.map((count, index) => {
      sum += count
      return `_bucket${labels(route, `,le="${BUCKETS[index] ?? '+Inf'}"`)} ${sum}`
    })
    return sum === 0
      ? []
      : [...buckets, `_sum${labels(route)} ${route.seconds}`, `_count${labels(route)} ${sum}`]
  })
}
