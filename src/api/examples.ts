import { readFileSync } from 'node:fs'
import type { Json, OpenApi } from './openapi-document.ts'

/** An example body of a request or a response, with the request it belongs to. */
export interface Example {
  readonly operation: string
  /** Absent for the body of a request. */
  readonly status?: number
  readonly request: string
  readonly type: string
  readonly body: unknown
}

/** Reads `examples.json`: bodies of real requests with test keys and of their responses. `npm run openapi` writes the file. */
export function readExamples(): Example[] {
  return JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Example[]
}

/**
 * Adds each example to the schema of its body in the OpenAPI document, named after its operation. Operations share the bodies of
 * errors, so an error body has examples of several operations.
 * @throws Error for an example whose operation, status or content type the document does not have.
 */
export function embedExamples(document: OpenApi, examples: readonly Example[]): void {
  for (const { operation, status, request, type, body } of examples) {
    const media = contentOf(document, operation, status)[type]
    if (media === undefined)
      throw new Error(`examples.json: ${operation} has no ${type} with the status ${status}`)
    const named = (media['examples'] ??= {}) as Json
    if (named[operation] !== undefined)
      throw new Error(`examples.json has two examples of ${operation}, ${status}, ${type}`)
    named[operation] = { summary: request, value: body }
  }
}

type Content = Readonly<Record<string, Json | undefined>>

function contentOf({ paths, webhooks, components }: OpenApi, name: string, status?: number): Content {
  const operation = [...Object.values(paths), ...Object.values(webhooks)]
    .flatMap((methods): Json[] => Object.values(methods))
    .find(({ operationId }) => operationId === name)
  const part =
    status === undefined
      ? operation?.['requestBody']
      : (operation?.['responses'] as Json | undefined)?.[String(status)]
  const { $ref, content } = (part ?? {}) as { $ref?: string; content?: Content }
  if ($ref === undefined) return content ?? {}
  return (components.responses[$ref.split('/').at(-1) ?? '']?.['content'] ?? {}) as Content
}
