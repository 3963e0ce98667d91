import { connect, type NetConnectOpts, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { type AppOptions, buildApp } from '../../src/api/app.ts'
import { Snapshots } from '../../src/api/snapshots.ts'
import { type EventArchive, openEventArchive, searchOptions } from '../../src/events/archive.ts'
import { type Log, silentLog } from '../../src/log.ts'
import { dataPaths, loadConfig } from '../../src/config.ts'
import { currentSnapshot, loadLookup, type Suppression } from '../../src/lookup/index.ts'
import { openState, type State } from '../../src/state/open.ts'
import type { NewKey } from '../../src/state/keys.ts'
import { publish } from '../../src/publish/publish.ts'
import { rowsIn } from '../state/support.ts'
import { Described } from '../support/described.ts'
import { withFolder } from '../support/folder.ts'
import { newStatePlace } from '../support/state-place.ts'
import { heldOpen } from '../support/held-open.ts'
import { inventedData } from '../support/invented-snapshot.ts'
import { givenPublished, leavingOut, PUBLISHED_ON, type PublishedRows } from '../support/published.ts'
import { withWarehouse } from '../support/warehouse.ts'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface Api {
  readonly app: FastifyInstance
  readonly state: State
  readonly folder: string
  readonly snapshots: string
  /** A key without a cap and with a rate that no test reaches. */
  readonly key: string
  readonly newKey: (wanted?: Partial<NewKey>) => Promise<string>
  readonly get: (path: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>
  /** Sends a request with any method, and with a JSON body if one is given. */
  readonly send: (
    method: Method,
    path: string,
    body?: unknown,
    key?: string,
  ) => Promise<LightMyRequestResponse>
  readonly pass: (milliseconds: number) => void
  readonly now: () => Date
  /** Returns the access events in the file, oldest first. */
  readonly events: () => Promise<Record<string, unknown>[]>
}

export interface ApiOptions {
  /** The folder with the served snapshots; empty by default. */
  readonly snapshots?: string
  /** The folder with the snapshots for test keys. */
  readonly testSnapshots?: string
  readonly start?: string
  readonly env?: Record<string, string>
  readonly log?: Log
  /** Replaces the internet. */
  readonly internet?: AppOptions['internet']
  /** The data folder, for a test that opens the service twice. By default each service has its own. */
  readonly folder?: string
  readonly receiveTimes?: AppOptions['receiveTimes']
  readonly filesLimit?: number
  readonly openEvents?: (snapshotFolder: string) => EventArchive
  /** Whether answers are compared with the committed OpenAPI file. False only when the test makes that file. */
  readonly isCompared?: boolean
  /** Fills the state file before the service opens. */
  readonly given?: (state: State) => void | Promise<unknown>
}

/** Opens a connection to a listening server. */
export function connectTo(server: Server, options: Partial<NetConnectOpts> = {}): Socket {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return connect({ host: '127.0.0.1', port: address.port, ...options })
}

/** Opens the service on its own state file with a controlled clock, runs the test and closes everything. */
export async function withApi<T>(body: (api: Api) => Promise<T>, options: ApiOptions = {}): Promise<T> {
  const { folder: given } = options
  const within = given === undefined ? withFolder<T> : (use: (folder: string) => Promise<T>) => use(given)
  return within(async (folder) => {
    let at = Date.parse(options.start ?? `${PUBLISHED_ON}T12:00:00Z`)
    const now = (): Date => new Date(at)
    const path = await newStatePlace(folder)
    const snapshots = options.snapshots ?? join(folder, 'snapshots')
    const log = options.log ?? silentLog
    const state = await openState(path, { now, log })
    await options.given?.(state)
    // High limit, so that a busy test machine causes no refusals.
    const own = dataPaths(folder)
    const paths = { ...own, snapshots, testSnapshots: options.testSnapshots ?? own.testSnapshots }
    const config = { ...loadConfig({ SHED_AFTER_MS: '3600000', ...options.env }), paths }
    const openEvents =
      options.openEvents ?? ((of: string): EventArchive => openEventArchive(of, searchOptions(config)))
    const reading = {
      open: loadLookup,
      openEvents,
      current: currentSnapshot,
      suppressions: state.suppressions,
      log,
    }
    const app = await buildApp({
      config,
      state,
      now,
      log,
      internet: options.internet ?? {},
      ...(options.receiveTimes === undefined ? {} : { receiveTimes: options.receiveTimes }),
      filesLimit: options.filesLimit ?? null,
      openSnapshots: () => Snapshots.open({ ...reading, folder: snapshots }),
      openTestSnapshots: () => Snapshots.open({ ...reading, folder: paths.testSnapshots }),
    })
    if (options.isCompared ?? true) describeAnswers(app)
    const newKey = async (wanted: Partial<NewKey> = {}): Promise<string> =>
      (await state.keys.create({ name: 'test', ...wanted })).secret
    const key = await newKey({ rate_per_second: 1_000_000 })
    try {
      return await body({
        app,
        state,
        folder,
        snapshots,
        now,
        key,
        newKey,
        get: (url, headers = { 'x-api-key': key }) => app.inject({ method: 'GET', url, headers }),
        send: (method, url, payload, asked = key) =>
          app.inject({
            method,
            url,
            headers: { 'x-api-key': asked },
            ...(payload === undefined ? {} : { payload: payload as object }),
          }),
        pass(milliseconds) {
          at += milliseconds
        },
        async events() {
          await state.events.flush()
          return rowsIn(path, 'select * from access_events order by id')
        },
      })
    } finally {
      await app.close()
      await state.close()
    }
  })
}

// Compares every answer with the OpenAPI file, whatever the test is about.
const described = new Described()

function describeAnswers(app: FastifyInstance): void {
  const inject = app.inject.bind(app) as (options: InjectOptions) => Promise<LightMyRequestResponse>
  const checked = async (options: InjectOptions): Promise<LightMyRequestResponse> => {
    const reply = await inject(options)
    const { method = 'GET' } = options
    // The URL that is really requested: `inject` resolves `..` in a path, as browsers do.
    const url = new URL(typeof options.url === 'string' ? options.url : '/', 'http://localhost').pathname
    const { statusCode: status, headers, body } = reply
    const fault = described.faultOf({ method, url, status, headers, body })
    if (fault !== null) throw new Error(`the answer to ${method} ${url.slice(0, 200)}: ${fault}`)
    return reply
  }
  app.inject = checked as typeof app.inject
}

/** Opens one service on the made-up world for all tests of a file that change nothing. */
export function sharedApi(
  options: Omit<ApiOptions, 'snapshots'> = {},
): Pick<Api, 'get' | 'send' | 'newKey' | 'events' | 'pass' | 'state'> {
  const opened = heldOpen<Api>(async (body) =>
    withApi(body, { ...options, snapshots: await inventedSnapshots() }),
  )
  return {
    get: (path, headers) => opened().get(path, headers),
    send: (...request) => opened().send(...request),
    newKey: (wanted) => opened().newKey(wanted),
    events: () => opened().events(),
    pass: (milliseconds) => opened().pass(milliseconds),
    get state() {
      return opened().state
    },
  }
}

/**
 * Publishes the invented world (or `rows`) into `snapshots`, as a nightly run does, and points at it. `suppressions` names people
 * whom the publisher leaves out. Returns the version.
 */
export async function publishInvented(
  snapshots: string,
  rows?: PublishedRows,
  suppressions: readonly Suppression[] = [],
): Promise<string> {
  return withWarehouse(async (db) => {
    await givenPublished(db, rows)
    const { version } = await publish({
      db,
      snapshots,
      now: () => new Date(),
      log: silentLog,
      signal: new AbortController().signal,
      keep: 9,
      sources: [],
      checks: null,
      suppression: suppressions.length === 0 ? undefined : leavingOut(suppressions),
    })
    return version
  })
}

/** Opens the events of a snapshot with little memory and one search at a time. */
export function openArchive(snapshotFolder: string): EventArchive {
  return openEventArchive(snapshotFolder, { timeoutMs: 5_000, concurrency: 1, memoryLimit: '128MB' })
}

/** A read-only folder of snapshots with the made-up world, published once per test run. */
export async function inventedSnapshots(): Promise<string> {
  return join(await inventedData(), 'snapshots')
}
