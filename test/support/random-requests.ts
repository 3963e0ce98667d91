import * as fc from 'fast-check'
import type { OpenApi, Operation } from '../../src/api/openapi-document.ts'
import { anyLetter } from './any-text.ts'

export interface RandomRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Values that get somewhere, by the name of their parameter. */
export type KnownValues = Readonly<Record<string, readonly string[]>>

export interface Credentials {
  readonly key: string
  readonly token: string
}

const FRAGMENTS = [
  '', ' ', '\0', 'Jane\0Smith', '\ud800', 'a\udfffb', '👩‍👩‍👧‍👦', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 Smith', 'İıſß', 'ﷺ', '\u202e\u2066', 'e\u0301\u0301\u0301',
  "' or 1=1 --", '"; drop table keys; --', '%27', '$(reboot)', '{{7*7}}', '${jndi:ldap://x}', '<script>', '\r\nX-Api-Key: a', '{"$ref":"#"}',
  '..', '../../etc/passwd', '..%2f..%2f', 'C:\\windows', '/dev/null', 'file:///etc/passwd', '.', '//', ';', '?', '#',
  '1e400', '-1e400', '1e-400', 'NaN', 'Infinity', '-0', '0x10', '1_000', '९९', '9'.repeat(400), '18446744073709551616', '2.5', '+17', '1,5',
  'null', 'undefined', 'true', 'TRUE', '[]', '[object Object]', '__proto__', 'constructor', 'toString', 'hasOwnProperty',
  '2026-02-30', '0000-00-00', '9999-12-31', '2026-01-01T00:00:00Z', '+275760-09-13T00:00:00.001Z', 'state:', ':tx', 'county:tx.', 'county:99999',
] // prettier-ignore

/** Percent signs, brackets and separators as no client would write them, but anybody can send them. */
const RAW = [
  '%',
  '%zz',
  '%00',
  '%c0%af',
  '%ed%a0%80',
  '%u0041',
  '&',
  '&&&',
  '=',
  '==a',
  '[]=1',
  '[a][b]=1',
  '+',
  '%2B',
  ';a=b',
]

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...FRAGMENTS) },
  { weight: 2, arbitrary: fc.string({ unit: anyLetter, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 250 }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.nat(0xffff), { maxLength: 12 }).map((units) => String.fromCharCode(...units)),
  },
  { weight: 1, arbitrary: fc.double().map(String) },
)

// As encodeURIComponent, which refuses half a surrogate pair: here it becomes the bytes that other languages send.
function encoded(value: string): string {
  const bytes = Array.from(value, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (code < 0xd800 || code > 0xdfff) return encodeURIComponent(character)
    return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]
      .map((byte) => `%${byte.toString(16)}`)
      .join('')
  })
  return bytes.join('')
}

/** Requests to the operations of the file: valid ones, ones that are wrong in a part, and ones that nobody would send. */
export function randomRequests(
  document: OpenApi,
  known: KnownValues,
  { key, token }: Credentials,
): fc.Arbitrary<RandomRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const valueOf = (name: string): fc.Arbitrary<string> => {
    const values = known[name] ?? []
    return values.length === 0
      ? text
      : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, { weight: 2, arbitrary: text })
  }
  return fc.constantFrom(...operations).chain(({ path, method, operation }) =>
    fc
      .record({
        path: pathOf(path, valueOf),
        query: queryOf(operation, valueOf),
        headers: headersOf(operation, key, token),
        body:
          operation.requestBody === undefined ? fc.constant(null) : bodyOf(operation.requestBody, valueOf),
      })
      .map((parts) => ({
        method,
        url: parts.query === '' ? parts.path : `${parts.path}?${parts.query}`,
        headers: parts.body === null ? parts.headers : { ...parts.headers, 'content-type': parts.body.type },
        body: parts.body?.text ?? null,
      })),
  )
}

function pathOf(path: string, valueOf: (name: string) => fc.Arbitrary<string>): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  const end = fc.oneof(
    { weight: 12, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom('/', '//', '/..', '/%2e%2e', '/x', '%') },
  )
  return fc.tuple(fc.tuple(...names.map(valueOf)), end).map(([values, tail]) => {
    const whole = names.reduce(
      (url, name, index) => url.replace(`{${name}}`, () => encoded(values[index] ?? '')),
      path,
    )
    return `${whole}${tail}`
  })
}

function queryOf(
  operation: Operation,
  valueOf: (name: string) => fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const names = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => name)
  const pair = (name: string): fc.Arbitrary<string> =>
    valueOf(name).map((value) => `${name}=${encoded(value)}`)
  const own = names.length === 0 ? [] : [{ weight: 10, arbitrary: fc.constantFrom(...names).chain(pair) }]
  const part = fc.oneof(
    ...own,
    {
      weight: 1,
      arbitrary: fc.tuple(text, text).map(([name, value]) => `${encoded(name)}=${encoded(value)}`),
    },
    { weight: 1, arbitrary: fc.constantFrom(...RAW) },
  )
  return fc.array(part, { maxLength: names.length === 0 ? 1 : 5 }).map((parts) => parts.join('&'))
}

function headersOf(operation: Operation, key: string, token: string): fc.Arbitrary<Record<string, string>> {
  const [scheme] = operation.security.flatMap((schemes) => Object.keys(schemes))
  if (scheme === undefined) return fc.constant({})
  const good: Record<string, string> =
    scheme === 'ApiKey' ? { 'x-api-key': key } : { authorization: `Bearer ${token}` }
  const asking = fc
    .tuple(
      fc.constantFrom('accept', 'prefer', 'content-language', 'if-none-match', 'range'),
      fc.string({ maxLength: 50 }),
    )
    .map(([name, value]) => ({ ...good, [name]: value.trim() }))
  const odd = fc
    .string({ maxLength: 50 })
    .map((value) => ({ [scheme === 'ApiKey' ? 'x-api-key' : 'authorization']: value.trim() }))
  return fc.oneof(
    { weight: 20, arbitrary: fc.constant(good) },
    { weight: 1, arbitrary: odd },
    { weight: 2, arbitrary: asking },
    { weight: 1, arbitrary: fc.constant({}) },
  )
}

interface Body {
  readonly type: string
  readonly text: string
}

function bodyOf(
  { content }: NonNullable<Operation['requestBody']>,
  valueOf: (name: string) => fc.Arbitrary<string>,
): fc.Arbitrary<Body> {
  const types = Object.keys(content)
  return types.includes('application/json') ? jsonOf(valueOf) : listOf(types, valueOf)
}

/** Lists of people, more or less: delimited, as lines of JSON, or of a type that their content isn't. */
function listOf(
  types: readonly string[],
  valueOf: (name: string) => fc.Arbitrary<string>,
): fc.Arbitrary<Body> {
  const columns = [
    'name',
    'first_name',
    'last_name',
    'phone',
    'email',
    'street',
    'city',
    'zip',
    'property_id',
    'note',
  ]
  const chosen = fc.subarray(columns, { minLength: 1 })
  const rows = chosen.chain((names) =>
    fc.array(fc.tuple(...names.map(valueOf)), { maxLength: 6 }).map((values) => ({ names, values })),
  )
  const delimited = fc
    .tuple(rows, fc.constantFrom(',', ';', '\t', '|'), fc.boolean())
    .map(([{ names, values }, delimiter, isQuoted]) => {
      const cell = (value: string): string => (isQuoted ? `"${value.replaceAll('"', '""')}"` : value)
      return [names, ...values].map((line) => line.map(cell).join(delimiter)).join('\n')
    })
  const lines = rows.map(({ names, values }) =>
    values
      .map((line) => JSON.stringify(Object.fromEntries(line.map((value, index) => [names[index], value]))))
      .join('\n'),
  )
  const list = fc.oneof(
    { weight: 5, arbitrary: delimited },
    { weight: 3, arbitrary: lines },
    { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: text },
  )
  const type = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...types) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('application/json', 'image/png', 'text/csv; charset=latin1', 'nonsense'),
    },
  )
  return fc.record({ type, text: list })
}

function jsonOf(valueOf: (name: string) => fc.Arbitrary<string>): fc.Arbitrary<Body> {
  const member = (name: string): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 4, arbitrary: valueOf(name) }, { weight: 1, arbitrary: fc.jsonValue() })
  const names = ['url', 'event_type', 'region', 'name', 'status']
  const object = fc.record(Object.fromEntries(names.map((name) => [name, member(name)])), {
    requiredKeys: [],
  })
  const type = fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'text/plain',
        'application/xml',
        'application/json; charset=latin1',
        'nonsense',
      ),
    },
  )
  const content = fc.oneof(
    { weight: 6, arbitrary: object.map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
  )
  return fc.record({ type, text: content })
}
