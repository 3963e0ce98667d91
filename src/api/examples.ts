import { readFileSync } from 'node:fs'
import type { Json, OpenApi } from './openapi.ts'

/** A body that was sent or received, with the request that shows it. */
export interface Example {
  readonly operation: string
  /** Absent for the body of a request. */
  readonly status?: number
  readonly request: string
  readonly type: string
  readonly body: unknown
}

/** Real answers to requests of test keys, and bodies of such requests: `npm run openapi` writes them anew. */
export function readExamples(): Example[] {
  return JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Example[]
}

/**
 * Puts each example beside the schema of its body, named after its operation. Operations share the bodies of errors, so these
 * collect examples of several operations.
 * @throws Error for an example that the document has no place for.
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
