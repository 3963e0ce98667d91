import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Json, OpenApi, Operation } from '../../src/api/openapi-document.ts'
import { FIELDS, REQUIREMENTS } from '../../src/enrich/match/fields.ts'
import { generateOperations } from '../support/client/generate.ts'
import { withApi } from './support.ts'

let document: OpenApi
beforeAll(async () => {
  await withApi(async ({ get }) => {
    document = (await get('/openapi.json', {})).json<OpenApi>()
  })
})

const operations = (): Operation[] =>
  Object.values(document.paths).flatMap((methods) => Object.values(methods))

const operationOf = (operationId: string): Operation | undefined =>
  operations().find((one) => one.operationId === operationId)
const parameter = (operationId: string, name: string): Json => ({
  ...operationOf(operationId)?.parameters?.find((one) => one.name === name),
})
const property = (schema: string, name: string): Json =>
  ((document.components.schemas[schema]?.['properties'] ?? {}) as Record<string, Json>)[name] ?? {}
const headersOf = (operationId: string, status: string): unknown =>
  operationOf(operationId)?.responses[status]?.['headers']

describe('GET /openapi.json', () => {
  test('a list has its headers and the parts of its multipart body declared', () => {
    expect(parameter('enrich', 'Idempotency-Key')).toMatchObject({ in: 'header', required: false, schema: { pattern: '^[\\x21-\\x7e]{1,255}$' } }) // prettier-ignore
    expect(parameter('enrich', 'Prefer')).toMatchObject({ in: 'header', required: false })
    const content = operationOf('enrich')?.requestBody?.content as Record<string, { schema: Json }>
    expect(content['multipart/form-data']?.schema).toEqual({ $ref: '#/components/schemas/EnrichmentParts' })
    expect(property('EnrichmentParts', 'list')).toMatchObject({ type: 'string', format: 'binary' })
    expect(property('EnrichmentParts', 'dry_run')).toMatchObject({ type: 'boolean' })
  })

  // `npm run openapi` writes both files.
  test('the committed OpenAPI file is what the routes make, and the client is what it makes', async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../../src/api/openapi.json')
    await expect(await generateOperations(document)).toMatchFileSnapshot('../support/client/operations.ts')
  })

  test('says of every operation what comes before any route: 431 for too many headers', () => {
    expect(operations().length).toBeGreaterThan(20)
    for (const { operationId, responses } of operations())
      expect([operationId, Object.keys(responses)]).toEqual([operationId, expect.arrayContaining(['431'])])
  })

  test('has the values of lists, the forms of cursors and addresses, and least lengths', () => {
    for (const [name, values] of [
      ['fields', FIELDS],
      ['require', REQUIREMENTS],
    ] as const) {
      expect(parameter('enrich', name)).toMatchObject({
        style: 'form',
        explode: false,
        schema: { type: 'array', items: { type: 'string', enum: values } },
      })
    }
    expect(parameter('searchDeedEvents', 'cursor')).toMatchObject({ schema: { pattern: '^[\\w-]{38}$' } })
    expect(parameter('dumpAccessEvents', 'cursor')).toMatchObject({ schema: { pattern: '^[\\w-]{4,42}$' } })
    expect(parameter('searchPropertyV1', 'street')).toMatchObject({
      schema: { minLength: 1, maxLength: 200 },
    })
    expect(document.components.schemas['UpdateWebhookRequest']).toMatchObject({ minProperties: 1 })
    const address = new RegExp(String(property('CreateWebhookRequest', 'url')['pattern']), 'u')
    expect(address.test('https://receiver.example.com/deeds')).toBe(true)
    expect(address.test('ftp://receiver.example.com/deeds')).toBe(false)
    expect(property('Enrichment', 'result_url')).toMatchObject({
      anyOf: [{ pattern: expect.stringContaining('result$') as unknown }, { type: 'null' }],
    })
  })

  test('names the headers that lead somewhere', () => {
    expect(headersOf('getPhone', '200')).toHaveProperty('Content-Location.required', true)
    expect(headersOf('enrich', '202')).toHaveProperty('Location.required', true)
  })

  test('requires a body where the service does', () => {
    expect(operationOf('createWebhook')?.requestBody?.required).toBe(true)
    expect(operationOf('testWebhook')?.requestBody?.required).toBe(false)
    expect(operationOf('rotateWebhookSecret')?.requestBody?.required).toBe(false)
  })

  test('refers to every JSON body by a name, and calls uploads binary', () => {
    for (const { operationId, requestBody, responses } of operations()) {
      for (const part of [requestBody ?? {}, ...Object.values(responses)]) {
        const { content = {} } = part as { content?: Record<string, { schema: Json }> }
        for (const [type, { schema }] of Object.entries(content)) {
          expect([operationId, type, schema]).toEqual([
            operationId,
            type,
            type === 'multipart/form-data' || (type === 'application/json' && schema['format'] !== 'binary')
              ? { $ref: expect.stringMatching(/^#\/components\/schemas\/[A-Z]/) as unknown }
              : { type: 'string', format: 'binary' },
          ])
        }
      }
    }
  })
})

interface Body {
  readonly name: string
  readonly type: string
  readonly schema: Json
  readonly examples: Readonly<Record<string, { readonly value: unknown }>>
}

function bodiesOf(name: string, part: Json): Body[] {
  const { $ref } = part as { $ref?: string }
  const whole =
    $ref === undefined ? part : (document.components.responses[$ref.split('/').at(-1) ?? ''] ?? {})
  return Object.entries((whole['content'] ?? {}) as Record<string, Json>).map(([type, media]) => ({
    name,
    type,
    schema: media['schema'] as Json,
    examples: (media['examples'] ?? {}) as Body['examples'],
  }))
}

// Parquet and Arrow are binary.
const isText = ({ type }: Body): boolean => !type.startsWith('application/vnd.apache.')

describe('examples in the OpenAPI file', () => {
  test('every operation has one of its own for each answer that is no error, and one for each error', () => {
    const missing = operations().flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, answer]) =>
        bodiesOf(`${operationId} ${status}`, answer)
          .filter(isText)
          .filter(({ examples }) =>
            status < '300' ? examples[operationId] === undefined : Object.keys(examples).length === 0,
          )
          .map(({ name, type }) => `${name} ${type}`),
      ),
    )
    expect(missing).toEqual([])
  })

  test('every operation that takes JSON has an example of its body, and so has the notification', () => {
    const { requestBody } = document.webhooks['deedEvent']!.post as { requestBody: Json }
    const bodies = [
      ...operations().flatMap(({ operationId, requestBody: own }) => bodiesOf(operationId, own ?? {})),
      ...bodiesOf('receiveDeedEvent', requestBody),
    ].filter(({ type }) => type === 'application/json')
    expect(bodies.length).toBeGreaterThan(4)
    for (const { name, examples } of bodies) expect([name, Object.keys(examples)]).toEqual([name, [name]])
  })

  test('each is as the schema of its body has it', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    ajvFormats.default(ajv)
    ajv.addSchema({ ...document, $id: 'openapi' })
    const bodies = [
      ...Object.entries(document.components.responses),
      ...operations().flatMap(({ operationId, requestBody, responses }) =>
        [requestBody ?? {}, ...Object.values(responses)].map((part) => [operationId, part] as const),
      ),
      ...Object.values(document.webhooks).map(
        ({ post }) => ['webhook', post['requestBody'] as Json] as const,
      ),
    ].flatMap(([name, part]) => bodiesOf(name, part))
    let count = 0
    for (const { name, schema, examples } of bodies) {
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as Json)
      for (const { value } of Object.values(examples)) {
        count += 1
        expect([name, validate(value) ? null : ajv.errorsText(validate.errors)]).toEqual([name, null])
      }
    }
    expect(count).toBeGreaterThan(60)
  })
})
