import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { Notification } from './responses/webhooks.ts'
import { SCENARIOS } from '../scenarios/scenarios.ts'
import type { Access, Endpoint } from './endpoint.ts'
import { embedExamples, type Example } from './examples.ts'
import { ENVELOPE_ERRORS, type ErrorStyle } from './errors.ts'
import type { Json, Named, OpenApi, Operation, Parameter } from './openapi-document.ts'

const DESCRIPTION = `Look up people, properties, phones and recorded deeds. Most operations need an API key in the header \`X-Api-Key\`. Every response has the header \`X-Trace-Id\`; error bodies repeat its value as \`wp_trace_id\`.

Unknown parameters are ignored, except by the phone lookup, the enrichments and \`POST /v1/webhooks/{webhook_id}/rotate_secret\`, which return 400. Each parameter may be given only once.

Requests with a test key return made-up data and are never billed. The following requests work with every test key. The requests for events need an account that is invited to events.

| Request | Status | Case |
|---|---|---|
${SCENARIOS.map(({ path, status, name }) => `| \`${path}\` | ${status} | ${name} |`).join('\n')}`

/** The description of each tag. */
const TAGS: Readonly<Record<string, string>> = {
  Service: 'Status of the service, and this API description.',
  Person: 'People by id, name, phone, e-mail or address.',
  Phone: 'Phone numbers with their people and businesses.',
  Property: 'Properties by id or address, with owners and residents.',
  Regions: 'States and counties, and the events that each of them supports.',
  Account: 'Numbers of requests of the account.',
  Enrichments: 'Input files whose rows are completed with people, phones, e-mails and addresses.',
  Webhooks: 'Subscriptions to deed events, for invited accounts.',
  Events: 'Recorded deeds, for invited accounts.',
  Internal:
    'Access events for staff tools and billing. These operations need an internal token instead of an API key.',
}

/** The description of each error status. */
const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'A parameter is missing or not valid. `meta.field` names it.',
  401: 'The API key is missing or not valid.',
  403: 'The key or token is missing, not valid, or may not make this request.',
  404: 'There is no such resource, or nothing matches.',
  408: 'The whole request was not received in time.',
  409: 'The resource is in a state that does not allow this request.',
  413: 'The body of the request is too large.',
  414: 'The URL is too long.',
  415: 'The content type of the body is not accepted.',
  422: 'The body of the request is not valid.',
  429: 'The rate limit or the monthly cap is reached.',
  431: 'The headers of the request are too long.',
  500: 'The service failed to answer the request.',
  503: 'The service is overloaded, or no data is published.',
  504: 'The search took too long.',
  507: 'The service has no disk space left.',
}

const TRACE_ID = {
  description: 'The id of this request. Give it when you ask for support.',
  schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
}
const RETRY_AFTER = {
  description: 'The number of seconds to wait before the next request.',
  schema: { type: 'integer' },
}

/** Returns the OpenAPI file of these routes, made from the zod schemas that also parse requests. */
export function openApiOf(endpoints: readonly Endpoint[], examples: readonly Example[]): OpenApi {
  const named: Named = { schemas: {}, responses: {} }
  const paths: Record<string, Record<string, Operation>> = {}
  for (const endpoint of endpoints) {
    const methods = (paths[endpoint.path] ??= {})
    methods[endpoint.method.toLowerCase()] = operationOf(endpoint, named)
  }
  const tags = [...new Set(endpoints.map(({ tag }) => tag))].map((name) => {
    const description = TAGS[name]
    if (description === undefined) throw new Error(`the tag ${name} has no description`)
    return { name, description }
  })
  const document: OpenApi = {
    openapi: '3.1.0',
    info: { title: 'Platbook', version: '1.0.0', description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags,
    paths: sorted(paths),
    webhooks: { deedEvent: { post: notification(named) } },
    components: {
      schemas: sorted(named.schemas),
      responses: sorted(named.responses),
      headers: { 'X-Trace-Id': TRACE_ID, 'Retry-After': RETRY_AFTER },
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        InternalToken: { type: 'http', scheme: 'bearer' },
      },
    },
  }
  embedExamples(document, examples)
  return document
}

// For schemes other than OAuth 2, OpenAPI 3.1 allows a list of required roles; the file lists scopes there.
function scopesOf({ scope }: Access): string[] {
  return scope === undefined ? [] : [scope]
}

function operationOf(endpoint: Endpoint, named: Named): Operation {
  const { path, query, headers, body, uploads, parts } = endpoint.request ?? {}
  const name = endpoint.operationId.charAt(0).toUpperCase() + endpoint.operationId.slice(1)
  const parameters = [
    ...(path === undefined ? [] : parametersOf('path', path, named)),
    ...(query === undefined ? [] : parametersOf('query', query, named)),
    ...(headers === undefined ? [] : parametersOf('header', headers, named)),
  ]
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    ...(endpoint.isDeprecated === true ? { deprecated: true } : {}),
    security:
      endpoint.access.scheme === null ? [] : [{ [endpoint.access.scheme]: scopesOf(endpoint.access) }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: content(namedSchema(body, 'input', `${name}Request`, named)),
          },
        }),
    ...(uploads === undefined
      ? {}
      : { requestBody: { required: true, content: { ...bytes(uploads), ...multipart(parts, named) } } }),
    responses: Object.fromEntries([
      ...Object.entries(endpoint.responses).map(([status, answer]) => [
        status,
        responseOf(
          Number(status),
          answer === null
            ? null
            : namedSchema(answer, 'output', `${name}${responseName(endpoint, status)}`, named),
          endpoint.headers?.[Number(status)],
        ),
      ]),
      ...Object.entries(endpoint.downloads ?? {}).map(([status, types]) => [
        status,
        { ...responseOf(Number(status), null, endpoint.headers?.[Number(status)]), content: bytes(types) },
      ]),
      ...failuresOf(endpoint).map(([status, answer]) => [status, failure(status, answer, named)]),
    ]),
  }
}

// Returns the end of the name of a response's schema: `Response`, with the status from the second response on.
function responseName({ responses }: Endpoint, status: string): string {
  const [first] = Object.keys(responses).filter((one) => responses[Number(one)] !== null)
  return status === first ? 'Response' : `Response${status}`
}

const SIGNED_BY = {
  'webhook-id':
    'The id of the notification. Retries and replays of the same event to the same webhook have the same id.',
  'webhook-timestamp': 'The time of the attempt, in seconds since 1970.',
  'webhook-signature':
    '`v1,` followed by the signature in base64. For 24 hours after the secret was replaced: two signatures, separated by a space.',
}

function notification(named: Named): Json {
  return {
    operationId: 'receiveDeedEvent',
    tags: ['Webhooks'],
    security: [],
    summary: 'Receive the notification of a deed event or of a finished enrichment',
    description:
      'The service sends this request to the url of a webhook, signed as Standard Webhooks describes. The link in the body leads to the event or, for `enrichment.finished`, to the enrichment that named the webhook in `notify`. Each notification arrives at least once; the order is not guaranteed. A notification that is not answered with a 2xx status within 15 seconds is retried up to ten times over three days.',
    parameters: Object.entries(SIGNED_BY).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: content(schemaOf(Notification, 'output', named)) },
    responses: {
      '2XX': { description: 'The notification is delivered.' },
      410: { description: 'The endpoint no longer exists: the webhook becomes inactive.' },
      default: { description: 'The notification is not delivered and is retried.' },
    },
  }
}

/** Returns the error statuses of a route with their bodies. */
function failuresOf(endpoint: Endpoint): [number, z.ZodType][] {
  const { path, query, body, uploads } = endpoint.request ?? {}
  const style: ErrorStyle = endpoint.errors ?? ENVELOPE_ERRORS
  const isAsked = path !== undefined || query !== undefined
  const statuses = [
    ...(isAsked ? [style.refusedStatus] : []),
    ...(endpoint.access.scheme === 'ApiKey' ? [401, 403, 414, 429] : []),
    ...(endpoint.access.scheme === 'InternalToken' ? [403, 414] : []),
    ...(body === undefined && uploads === undefined ? [] : [408, 413, 415, 422, 507]),
    ...(endpoint.failures ?? []),
    // Errors that are found before a route is: those of `header-faults.ts`, and Node's own.
    400,
    431,
    500,
    503,
  ]
  return [...new Set(statuses)].flatMap((status): [number, z.ZodType][] => {
    const schema = style.responses[status]
    return schema === undefined ? [] : [[status, schema]]
  })
}

// Adds a shared response named by body and status (such as `ErrorBody404`) and returns a reference to it.
function failure(status: number, answer: z.ZodType, named: Named): Json {
  const schema = schemaOf(answer, 'output', named)
  const name = `${String(schema['$ref']).split('/').at(-1)}${status}`
  named.responses[name] = responseOf(status, schema)
  return { $ref: `#/components/responses/${name}` }
}

function responseOf(status: number, schema: Json | null, own: Readonly<Record<string, string>> = {}): Json {
  const names = status === 429 || status === 503 ? ['X-Trace-Id', 'Retry-After'] : ['X-Trace-Id']
  return {
    description: DESCRIPTIONS[status] ?? STATUS_CODES[status] ?? String(status),
    headers: {
      ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
      ...Object.fromEntries(
        Object.entries(own).map(([name, description]) => [
          name,
          { description, required: true, schema: { type: 'string', format: 'uri-reference' } },
        ]),
      ),
    },
    ...(schema === null ? {} : { content: content(schema) }),
  }
}

function parametersOf(part: Parameter['in'], schema: z.ZodType, named: Named): Parameter[] {
  const { properties, required = [] } = schemaOf(schema, 'input', named) as {
    properties: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: part,
    required: part === 'path' || required.includes(name),
    ...(typeof description === 'string' ? { description } : {}),
    ...(rest['type'] === 'array' ? { style: 'form', explode: false } : {}),
    schema: rest,
  }))
}

/** Returns the content of a body that is a file. */
const bytes = (types: readonly string[]): Json =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))

function multipart(parts: z.ZodType | undefined, named: Named): Json {
  return parts === undefined ? {} : { 'multipart/form-data': { schema: schemaOf(parts, 'input', named) } }
}

const content = (schema: Json): Json => ({ 'application/json': { schema } })

/** Adds a body to the named schemas, by its own id or else by `name`, and returns a reference to it. */
function namedSchema(schema: z.ZodType, io: 'input' | 'output', name: string, named: Named): Json {
  const json = schemaOf(schema, io, named)
  if (json['$ref'] !== undefined) return json
  if (named.schemas[name] !== undefined) throw new Error(`two bodies of the OpenAPI file are called ${name}`)
  named.schemas[name] = json
  return { $ref: `#/components/schemas/${name}` }
}

/** Returns a zod schema as JSON Schema. Schemas with an id become named schemas and are referred to. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', named: Named): Json {
  const {
    $schema: _,
    $defs,
    ...rest
  } = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => describeParsed(zodSchema, jsonSchema as Json),
  }) as Json
  for (const [id, definition] of Object.entries(($defs ?? {}) as Record<string, Json>)) {
    named.schemas[id] = referred(definition) as Json
  }
  const { id, ...own } = referred(rest) as Json
  if (typeof id !== 'string') return own
  named.schemas[id] = own
  return { $ref: `#/components/schemas/${id}` }
}

// Parameters are texts that are parsed to other types. When `meta` names such a type, removes the rules of the text. Also adds
// defaults and removes limits that are only JavaScript's.
function describeParsed(zodSchema: z.core.$ZodType, jsonSchema: Json): void {
  if (zodSchema instanceof z.ZodDefault) jsonSchema['default'] = zodSchema.def.defaultValue
  if (jsonSchema['type'] !== undefined && !isText(jsonSchema['type'])) {
    for (const word of ['pattern', 'minLength', 'maxLength', 'format']) delete jsonSchema[word]
  }
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum']
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum']
}

const isText = (type: unknown): boolean =>
  type === 'string' || (Array.isArray(type) && type.includes('string'))

function referred(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(referred)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' ? String(value).replace('#/$defs/', '#/components/schemas/') : referred(value),
    ]),
  )
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1)))
}
