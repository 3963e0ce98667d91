import type { FastifyPluginAsync } from 'fastify'
import { z } from 'zod'
import { ANYONE } from '../endpoint.ts'
import { openApiOf } from '../openapi.ts'
import { sendJson } from '../reply.ts'

/** `GET /openapi.json`, made of the routes that there are. */
export const reference: FastifyPluginAsync = async (app) => {
  let document: Buffer | null = null
  app.endpoint(
    {
      method: 'GET',
      path: '/openapi.json',
      operationId: 'getOpenApi',
      tag: 'Service',
      summary: 'This description',
      access: ANYONE,
      answers: { 200: z.looseObject({ openapi: z.literal('3.1.0') }) },
    },
    (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(openApiOf(app.endpoints)))
      sendJson(reply, 200, document)
    },
  )
}
