import { describe, expect, test } from 'vitest'
import type { Json, OpenApi, Operation } from '../../src/api/openapi.ts'
import { FIELDS, REQUIREMENTS } from '../../src/enrich/fields.ts'
import { generateOperations } from '../support/client/generate.ts'
import { readOpenApi } from '../support/described.ts'
import { withApi } from './support.ts'

const operations = (): Operation[] =>
  Object.values(readOpenApi().paths).flatMap((methods) => Object.values(methods))

const operationOf = (operationId: string): Operation | undefined =>
  operations().find((one) => one.operationId === operationId)
const parameter = (operationId: string, name: string): Json => ({
  ...operationOf(operationId)?.parameters?.find((one) => one.name === name),
})
const property = (schema: string, name: string): Json =>
  ((readOpenApi().components.schemas[schema]?.['properties'] ?? {}) as Record<string, Json>)[name] ?? {}
const headersOf = (operationId: string, status: string): unknown =>
  operationOf(operationId)?.responses[status]?.['headers']

describe('GET /openapi.json', () => {
  // `npm run openapi` writes both files anew.
  test('the committed OpenAPI file is what the routes make, and the client is what it makes', async () => {
    await withApi(async ({ get }) => {
      const document = (await get('/openapi.json', {})).json<OpenApi>()
      await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../../src/api/openapi.json')
      await expect(await generateOperations(document)).toMatchFileSnapshot('../support/client/operations.ts')
    })
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
    expect(readOpenApi().components.schemas['UpdateWebhookRequest']).toMatchObject({ minProperties: 1 })
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
            type === 'application/json' && schema['format'] !== 'binary'
              ? { $ref: expect.stringMatching(/^#\/components\/schemas\/[A-Z]/) as unknown }
              : { type: 'string', format: 'binary' },
          ])
        }
      }
    }
  })
})
