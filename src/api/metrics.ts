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
    const statuses = Object.fromEntries(this.#statuses)
    return {
      method: this.method,
      route: this.route,
      statuses,
      buckets: [...this.#buckets],
      seconds: this.#seconds,
    }
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

interface Family {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly lines: string[]
}

/** Formats the readings of all workers in Prometheus' text format. Counts are summed; values of a process have a label `worker`. */
export function formatMetrics(readings: readonly Reading[], replacedWorkers: number): string {
  const families: Record<string, Family> = {
    ...requestFamilies(sumRoutes(readings)),
    ...processFamilies(readings),
    platbook_workers: gauge('Workers that answered this scrape', [String(readings.length)]),
    platbook_workers_replaced_total: {
      type: 'counter',
      help: 'Workers that crashed and were replaced',
      lines: [`platbook_workers_replaced_total ${replacedWorkers}`],
    },
  }
  return Object.entries(families)
    .map(([name, { type, help, lines }]) => {
      const named = lines.map((line) => (line.startsWith('platbook_') ? line : `${name} ${line}`))
      return [`# HELP ${name} ${help}.`, `# TYPE ${name} ${type}`, ...named, ''].join('\n')
    })
    .join('')
}

const seconds = (nanoseconds: number): number => nanoseconds / 1e9
const gauge = (help: string, lines: string[]): Family => ({ type: 'gauge', help, lines })
const counter = (help: string, lines: string[]): Family => ({ type: 'counter', help, lines })

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

function requestFamilies(routes: readonly RouteReading[]): Record<string, Family> {
  const labelled = ({ method, route }: RouteReading, more = ''): string =>
    `{method="${method}",route="${route}"${more}}`
  const requests = routes.flatMap((route) =>
    Object.entries(route.statuses).map(
      ([status, count]) => `platbook_http_requests_total${labelled(route, `,status="${status}"`)} ${count}`,
    ),
  )
  const name = 'platbook_http_request_duration_seconds'
  const durations = routes.flatMap((route) => {
    let sum = 0
    const buckets = route.buckets.map((count, index) => {
      sum += count
      return `${name}_bucket${labelled(route, `,le="${BUCKETS[index] ?? '+Inf'}"`)} ${sum}`
    })
    return sum === 0
      ? []
      : [
          ...buckets,
          `${name}_sum${labelled(route)} ${route.seconds}`,
          `${name}_count${labelled(route)} ${sum}`,
        ]
  })
  return {
    platbook_http_requests_total: { type: 'counter', help: 'Answered requests', lines: requests },
    [name]: { type: 'histogram', help: 'Time from the arrival of a request to its answer', lines: durations },
  }
}

function processFamilies(readings: readonly Reading[]): Record<string, Family> {
  const each = (name: string, value: (reading: Reading) => number | string, more = ''): string[] =>
    readings.map((reading, index) => `platbook_${name}{worker="${index + 1}"${more}} ${value(reading)}`)
  const delays = (['p50', 'p99', 'max'] as const).flatMap((rank) =>
    each('event_loop_delay_seconds', ({ loopDelay }) => loopDelay[rank], `,rank="${rank}"`),
  )
  const snapshots = readings.map(
    ({ snapshot, pid }, index) =>
      `platbook_worker_info{worker="${index + 1}",pid="${pid}",snapshot="${snapshot ?? ''}"} 1`,
  )
  return {
    platbook_worker_info: gauge('Process and snapshot of each worker', snapshots),
    platbook_http_in_flight: gauge(
      'Requests in progress',
      each('http_in_flight', ({ inFlight }) => inFlight),
    ),
    platbook_snapshot_changes_total: counter(
      'Changes of the served snapshot',
      each('snapshot_changes_total', ({ snapshotChanges }) => snapshotChanges),
    ),
    platbook_access_events_waiting: gauge(
      'Access events that wait to be written',
      each('access_events_waiting', ({ eventsWaiting }) => eventsWaiting),
    ),
    platbook_connections: gauge(
      'Open connections',
      each('connections', ({ connections }) => connections.open),
    ),
    platbook_connections_idle_closed_total: counter(
      'Idle connections that were closed to make room',
      each('connections_idle_closed_total', ({ connections }) => connections.idleClosed),
    ),
    platbook_connections_refused_total: counter(
      'Connections that were refused because every connection was in use',
      each('connections_refused_total', ({ connections }) => connections.refused),
    ),
    platbook_event_loop_delay_seconds: gauge('Delay of the event loop since the last scrape', delays),
    platbook_resident_memory_bytes: gauge(
      'Memory in use',
      each('resident_memory_bytes', ({ residentBytes }) => residentBytes),
    ),
    platbook_cpu_seconds_total: counter(
      'Processor time',
      each('cpu_seconds_total', ({ cpuSeconds }) => cpuSeconds),
    ),
    platbook_start_time_seconds: gauge(
      'When the process started',
      each('start_time_seconds', ({ startedAt }) => startedAt),
    ),
  }
}
