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

/** Access to a route and its accounting: `meter.key(scope, price)`, `meter.anyone()`, or `ANYONE`, which records nothing. */
export interface Access {
  /** The security scheme in the OpenAPI file; null when none is asked for. */
  readonly scheme: 'ApiKey' | 'InternalToken' | null
  /** The scope that a key needs, where a key is needed. */
  readonly scope?: string
  /** Hooks of the route at `path` (the template). They refuse by an AppError, which the route's style words. */
  readonly hooks: (path: string) => {
    readonly onRequest?: onRequestHookHandler
    /** Called once, when the answer is about to be sent; `took` in milliseconds. */
    readonly onAnswer?: (request: FastifyRequest, status: number, took: number) => void
  }
}

export const ANYONE: Access = { scheme: null, hooks: () => ({}) }

export interface Endpoint<
  Path extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The template as the interface writes it, `/v2/person/{id}`: in the OpenAPI file and in access events. */
  readonly path: string
  /** The name of the call in generated clients. */
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly isDeprecated?: boolean
  /** Whether HEAD is answered, too. */
  readonly hasHead?: boolean
  readonly access: Access
  /** Whether requests wait for their sender or for another server: then they do not count as load of lookups. */
  readonly isWaiting?: boolean
  /** What a request may say; a part without a schema is not looked at. The handler gets what the schemas give. */
  readonly request?: {
    readonly path?: Path
    readonly query?: Query
    /** Headers of this route alone, for the OpenAPI file: the handler reads and checks them. */
    readonly headers?: z.ZodType
    readonly body?: Body
    /** Content types of a body that is no JSON: the route's plugin has a parser for them. */
    readonly uploads?: readonly string[]
    /** The parts of a multipart body that is taken beside these. */
    readonly parts?: z.ZodType
  }
  /** Bodies of the answers that are no errors, by status; null where there is no body. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>
  /** Content types of answers that are no JSON, by status. */
  readonly downloads?: Readonly<Record<number, readonly string[]>>
  /** By status: names and descriptions of the response headers that only this route sends. */
  readonly headers?: Readonly<Record<number, Readonly<Record<string, string>>>>
  /** Statuses that this route itself fails with (404, 409, …), besides what every route may fail with. */
  readonly failures?: readonly number[]
  /** How errors are worded: the envelope when nothing is said. */
  readonly errors?: ErrorStyle
}

export type EndpointHandler<Path, Query, Body> = (
  request: FastifyRequest<{ Params: z.output<Path>; Querystring: z.output<Query>; Body: z.output<Body> }>,
  reply: FastifyReply,
) => unknown

declare module 'fastify' {
  interface FastifyInstance {
    /** Adds a route, and its description to `endpoints`. */
    endpoint<Path extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
      endpoint: Endpoint<Path, Query, Body>,
      handler: EndpointHandler<Path, Query, Body>,
    ): void
    /** Every route so far: what the OpenAPI file is made of. */
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
    const onAnswer = (request: FastifyRequest, status: number): void => {
      load.inFlight -= 1
      load.waiting -= waiting
      const took = performance.now() - request.startedAt
      counts.add(status, took)
      access.onAnswer?.(request, status, took)
    }
    // One hook: each more is a quarter of what the counting costs.
    const enter: onRequestHookHandler = function (request, reply, done) {
      load.inFlight += 1
      load.waiting += waiting
      request.onAnswer = onAnswer
      if (access.onRequest === undefined) done()
      else access.onRequest.call(this, request, reply, done)
    }
    this.route({
      method: endpoint.method,
      exposeHeadRoute: endpoint.hasHead ?? false,
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest: enter,
      ...(endpoint.method === 'GET' ? {} : { preParsing: emptyBody }),
      // Answers are bytes made elsewhere: Fastify is told of requests only, the tests look at the answers.
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

// Node has closed the body of a request that has none (`optimizeEmptyRequests`): whoever reads it would wait for its end.
const emptyBody: preParsingHookHandler = (_request, _reply, payload, done) =>
  done(null, (payload as Readable).readableEnded ? Readable.from([]) : payload)

/** Gives the app `endpoint` and `endpoints`. */
export const endpointsPlugin = fp(endpoints, { name: 'endpoints', fastify: '5.x' })
