import { OPERATIONS, type Operations } from './operations.ts'

type Parameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
type Name = keyof Operations
type Answers<N extends Name> = Operations[N]['answers']

/** An answer: `status` tells which of the bodies it has. */
export type Reply<N extends Name> = {
  [Status in keyof Answers<N>]: {
    readonly status: Status
    readonly headers: Headers
    readonly body: Answers<N>[Status]
  }
}[keyof Answers<N>]

export type Client = {
  readonly [N in Name]: (
    parameters: Operations[N]['parameters'],
    ...body: Operations[N]['body'] extends undefined ? [] : [Operations[N]['body']]
  ) => Promise<Reply<N>>
}

export interface ClientOptions {
  readonly baseUrl: string
  /** Sent as X-Api-Key. */
  readonly key?: string
  /** Sent as the bearer of the internal endpoints. */
  readonly token?: string
  readonly fetch?: typeof globalThis.fetch
}

/** A client with a method per operation of the OpenAPI file: `client.getPerson({ id })`. */
export function createClient({ baseUrl, key, token, fetch = globalThis.fetch }: ClientOptions): Client {
  const credentials = {
    ...(key === undefined ? {} : { 'x-api-key': key }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  const methods = Object.entries(OPERATIONS).map(([name, operation]) => [
    name,
    async (parameters: Parameters, body?: unknown) => {
      const response = await fetch(`${baseUrl}${pathOf(operation, parameters)}`, {
        method: operation.method,
        headers: { ...credentials, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const parsed: unknown = text === '' ? undefined : JSON.parse(text)
      return { status: response.status, headers: response.headers, body: parsed }
    },
  ])
  return Object.fromEntries(methods) as Client
}

function pathOf(operation: { path: string; query: readonly string[] }, parameters: Parameters): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(parameters[name])),
  )
  const query = new URLSearchParams()
  for (const name of operation.query) {
    const value = parameters[name]
    if (value !== undefined) query.set(name, String(value))
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
