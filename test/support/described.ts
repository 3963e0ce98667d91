import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import type { Json, OpenApi } from '../../src/api/openapi-document.ts'

export interface Answered {
  readonly method: string
  /** With or without a query. */
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

interface Template {
  readonly path: string
  readonly pattern: RegExp
}

/** Holds answers against the committed OpenAPI file. */
export class Described {
  readonly #document: OpenApi
  readonly #templates: Template[]
  readonly #ajv: Ajv2020
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(document: OpenApi = readOpenApi()) {
    this.#document = document
    this.#templates = Object.keys(document.paths)
      .sort((left, right) => count(left) - count(right))
      .map((path) => ({
        path,
        pattern: patternOf(path),
      }))
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    ajvFormats.default(this.#ajv)
    this.#ajv.addSchema({ ...document, $id: 'openapi' })
  }

  /** What of an answer is not as the file has it; null when all is. */
  faultOf({ method, url, status, headers, body }: Answered): string | null {
    const path = (url.split(/[?#]/)[0] ?? '').replace(/^\/+/, '/')
    const template = this.#templates.find(({ pattern }) => pattern.test(path))?.path
    const operation =
      template === undefined ? undefined : this.#document.paths[template]?.[method.toLowerCase()]
    if (typeof headers['x-trace-id'] !== 'string') return 'it has no X-Trace-Id'
    if (method === 'HEAD') return null
    if (operation === undefined) {
      return status < 400 ? null : this.#mismatch('#/components/schemas/ErrorBody', body)
    }
    const pointer = `#/paths/${escaped(template ?? '')}/${method.toLowerCase()}/responses/${status}`
    const declared = operation.responses[String(status)]
    if (declared === undefined) return `${method} ${template} has no answer ${status} in the OpenAPI file`
    const reference = declared['$ref']
    const answer = typeof reference === 'string' ? this.#response(reference) : declared
    const unlike = headerFault((answer['headers'] ?? {}) as Json, headers)
    if (unlike !== null) return unlike
    if (answer['content'] === undefined) return body === '' ? null : `its answer ${status} has no body`
    const type = String(headers['content-type']).split(';')[0] ?? ''
    // What is no JSON is looked at by the test that asked for it.
    if (type !== 'application/json' && (answer['content'] as Json)[type] !== undefined) return null
    if (headers['content-type'] !== 'application/json; charset=utf-8') return 'it is not called JSON in UTF-8'
    return this.#mismatch(
      `${typeof reference === 'string' ? reference : pointer}/content/application~1json/schema`,
      body,
    )
  }

  #response(reference: string): Json {
    return this.#document.components.responses[reference.split('/').at(-1) ?? ''] ?? {}
  }

  #mismatch(pointer: string, body: string): string | null {
    let parsed: unknown
    try {
      parsed = JSON.parse(body)
    } catch {
      return `its body is not JSON: ${body.slice(0, 80)}`
    }
    let validate = this.#validators.get(pointer)
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `openapi${pointer}` })
      this.#validators.set(pointer, validate)
    }
    return validate(parsed)
      ? null
      : `${pointer}: ${this.#ajv.errorsText(validate.errors, { dataVar: 'body' })}`
  }
}

/** Headers that lead somewhere are there exactly where the file has them. */
function headerFault(declared: Json, headers: Answered['headers']): string | null {
  for (const name of ['Location', 'Content-Location']) {
    const isThere = headers[name.toLowerCase()] !== undefined
    if (isThere !== (declared[name] !== undefined))
      return isThere ? `its ${name} is not in the file` : `it has no ${name}`
  }
  return null
}

export function readOpenApi(): OpenApi {
  return JSON.parse(readFileSync(new URL('../../src/api/openapi.json', import.meta.url), 'utf8')) as OpenApi
}

// As the router does it: what stands between two slashes may be nothing, what ends a path may not.
function patternOf(path: string): RegExp {
  const segments = path
    .replace(/\/$/, '')
    .replaceAll('.', String.raw`\.`)
    .replaceAll(/\{\w+\}\//g, '[^/]*/')
    .replace(/\{\w+\}$/, '(?:[^/]+|(?=/))')
  return new RegExp(`^${segments}/?$`)
}

const count = (path: string): number => path.split('{').length
const escaped = (path: string): string => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))
