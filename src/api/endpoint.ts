import { Readable } from 'node:stream'
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preParsingHookHandler,
} from 'fastify'
import fp from 'fastify-plugin'
import type { z } from 'zod'
import { ENVELOPE_ERRORS, type ErrorStyle } from './errors.ts'
import type { Load } from './load.ts'
import type { Metrics } from './metrics.ts'

/** Decides which callers may use a route and how their calls are recorded: `meter.key(…)`, `meter.anyone()`, or `ANYONE`, which records nothing. */
export interface Access {
  /** The security scheme in the OpenAPI file; null when no credential is needed. */
  readonly scheme: 'ApiKey' | 'InternalToken' | null
  /** The scope that the key needs; absent when no key is needed. */
  readonly scope?: string
  /** Returns the hooks of the route at `path` (the template). They refuse requests with an AppError; the route's `errors` forms the body. */
  readonly hooks: (path: string) => {
    readonly onRequest?: onRequestHookHandler
    /** Called once, just before the response is sent. `took`: milliseconds since arrival. */
    readonly beforeResponse?: (request: FastifyRequest, status: number, took: number) => void
  }
}

export const ANYONE: Access = { scheme: null, hooks: () => ({}) }

/** The declaration of a route, from which Fastify's route and the OpenAPI file are made. */
export interface Endpoint<
  Path extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path template, such as `/v2/person/{id}`, as in the OpenAPI file and in access events. */
  readonly path: string
  /** The name of the operation in generated clients. */
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly isDeprecated?: boolean
  /** Whether the route also answers HEAD. */
  readonly hasHead?: boolean
  readonly access: Access
  /** Whether requests mostly wait for their sender or another server. If so, they do not count as load (load.ts). */
  readonly isWaiting?: boolean
  /** Schemas of the request. A part without a schema is ignored. The handler receives the parsed values. */
  readonly request?: {
    readonly path?: Path
    readonly query?: Query
    /** Headers of this route, for the OpenAPI file only. The handler reads and checks them. */
    readonly headers?: z.ZodType
    readonly body?: Body
    /** Content types of a body that is not JSON. The route's plugin must add a parser for them. */
    readonly uploads?: readonly string[]
    /** The parts of a multipart body, which the route accepts in addition to `uploads`. */
    readonly parts?: z.ZodType
  }
  /** Bodies of successful responses, by status; null for a response without a body. */
  readonly responses: Readonly<Record<number, z.ZodType | null>>
  /** Content types of responses that are not JSON, by status. */
  readonly downloads?: Readonly<Record<number, readonly string[]>>
  /** Response headers that only this route sends, by status: their names and descriptions. */
  readonly headers?: Readonly<Record<number, Readonly<Record<string, string>>>>
  /** Error statuses of this route (404, 409, …), in addition to those that every route may have. */
  readonly failures?: readonly number[]
  /** The form of error bodies; the envelope by default. */
  readonly errors?: ErrorStyle
}

export type EndpointHandler<Path, Query, Body> = (
  request: FastifyRequest<{ Params: z.output<Path>; Querystring: z.output<Query>; Body: z.output<Body> }>,
  reply: FastifyReply,
) => unknown

declare module 'fastify' {
  interface FastifyInstance {
    /** Adds a route to the server and its declaration to `endpoints`. */
    endpoint<Path extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
      endpoint: Endpoint<Path, Query, Body>,
      handler: EndpointHandler<Path, Query, Body>,
    ): void
    /** The declarations of all routes added so far. The OpenAPI file is made from them. */
    readonly endpoints: readonly Endpoint[]
  }
  interface FastifyContextConfig {
    errors?: ErrorStyle
  }
}

interface EndpointOptions {
  readonly load: Load
  readonly metrics: Metrics
}

const endpoints: FastifyPluginAsync<EndpointOptions> = async (app, { load, metrics }) => {
  const all: Endpoint[] = []
  app.decorate('endpoints', all)
  app.decorate('endpoint', function add(this: FastifyInstance, endpoint: Endpoint, handler) {
    all.push(endpoint)
    const { path, query, body } = endpoint.request ?? {}
    const counts = metrics.route(endpoint.method, endpoint.path)
    const access = endpoint.access.hooks(endpoint.path)
    const waiting = endpoint.isWaiting === true ? 1 : 0
    const beforeResponse = (request: FastifyRequest, status: number): void => {
      load.inFlight -= 1
      load.waiting -= waiting
      const took = performance.now() - request.startedAt
      counts.add(status, took)
      access.beforeResponse?.(request, status, took)
    }
    // One hook counts the request and checks its access: every further hook costs time in each request.
    const enter: onRequestHookHandler = function (request, reply, done) {
      load.inFlight += 1
      load.waiting += waiting
      request.beforeResponse = beforeResponse
      if (access.onRequest === undefined) done()
      else access.onRequest.call(this, request, reply, done)
    }
    this.route({
      method: endpoint.method,
      exposeHeadRoute: endpoint.hasHead ?? false,
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest: enter,
      ...(endpoint.method === 'GET' ? {} : { preParsing: emptyBody }),
      // Fastify gets no schema of responses, because most responses are ready bytes. The tests check them against the OpenAPI file.
      schema: {
        ...(path === undefined ? {} : { params: path }),
        ...(query === undefined ? {} : { querystring: query }),
        ...(body === undefined ? {} : { body }),
      },
      config: { errors: endpoint.errors ?? ENVELOPE_ERRORS },
      handler,
    })
  })
}

// With `optimizeEmptyRequests` (app.ts), Node has already ended the stream of an empty body. A body parser would wait for its end
// forever, so it gets a new empty stream.
const emptyBody: preParsingHookHandler = (_request, _reply, payload, done) =>
  done(null, (payload as Readable).readableEnded ? Readable.from([]) : payload)

/** Fastify plugin that adds `endpoint` and `endpoints` to the app. */
export const endpointsPlugin = fp(endpoints, { name: 'endpoints', fastify: '5.x' })
