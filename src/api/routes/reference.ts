import { readFile } from 'node:fs/promises'
import type { FastifyPluginAsync } from 'fastify'
import { z } from 'zod'
import { ANYONE } from '../endpoint.ts'
import { readExamples } from '../examples.ts'
import { openApiOf } from '../openapi.ts'
import { sendJson } from '../reply.ts'

/** Routes `GET /openapi.json`, made from the declarations of all routes, and `/docs`, the page that shows it. */
export const reference: FastifyPluginAsync = async (app) => {
  let document: Buffer | null = null
  app.endpoint(
    {
      method: 'GET',
      path: '/openapi.json',
      operationId: 'getOpenApi',
      tag: 'Service',
      summary: 'Get this API description (OpenAPI 3.1)',
      access: ANYONE,
      responses: { 200: z.looseObject({ openapi: z.literal('3.1.0') }) },
    },
    (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(openApiOf(app.endpoints, readExamples())))
      sendJson(reply, document)
    },
  )
  for (const { url, file, type } of PAGE) {
    const bytes = await readFile(new URL(`../docs/${file}`, import.meta.url))
    app.get(url, (_request, reply) => {
      void reply
        .headers({ 'content-type': `${type}; charset=utf-8`, 'content-security-policy': PAGE_POLICY })
        .send(bytes)
    })
  }
}

const PAGE = [
  { url: '/docs', file: 'page.html', type: 'text/html' },
  { url: '/docs/page.css', file: 'page.css', type: 'text/css' },
  { url: '/docs/page.js', file: 'page.js', type: 'text/javascript' },
]
// The page loads nothing from other servers and sends nothing to them, so a key typed into it stays here.
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
