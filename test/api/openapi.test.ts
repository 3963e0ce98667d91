import { describe, expect, test } from 'vitest'
import type { OpenApi } from '../../src/api/openapi.ts'
import { generateOperations } from '../support/client/generate.ts'
import { readOpenApi } from '../support/described.ts'
import { withApi } from './support.ts'

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
    const operations = Object.values(readOpenApi().paths).flatMap((methods) => Object.values(methods))
    expect(operations.length).toBeGreaterThan(20)
    for (const { operationId, responses } of operations)
      expect([operationId, Object.keys(responses)]).toEqual([operationId, expect.arrayContaining(['431'])])
  })
})
