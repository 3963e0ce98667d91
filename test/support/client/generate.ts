import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import type { Json, OpenApi, Operation, Parameter } from '../../../src/api/openapi-document.ts'

/** The types of a client, made of an OpenAPI file: what each call takes and what it may answer. */
export async function generateOperations(document: OpenApi): Promise<string> {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const text = [
    '// Made of src/api/openapi.json by `npm run openapi`; not to be edited.\n',
    ...Object.entries(document.components.schemas).map(
      ([name, schema]) => `export type ${name} = ${typeOf(schema)}\n`,
    ),
    'export interface Operations {',
    ...calls.map(({ operation }) => `  ${operation.operationId}: ${operationType(operation, document)}`),
    '}\n',
    'export const OPERATIONS = {',
    ...calls.map(
      ({ path, method, operation }) =>
        `  ${operation.operationId}: { method: ${quoted(method)}, path: ${quoted(path)}, query: ${JSON.stringify(namesIn(operation, 'query')).replaceAll('"', "'")} },`,
    ),
    '} as const',
  ].join('\n')
  const config = await resolveConfig(fileURLToPath(import.meta.url))
  return format(text, { ...config, parser: 'typescript' })
}

function operationType(operation: Operation, document: OpenApi): string {
  const body = operation.requestBody === undefined ? 'undefined' : typeOf(schemaIn(operation.requestBody))
  const answers = Object.entries(operation.responses).map(([status, answer]) => {
    const schema = schemaIn(resolved(answer, document))
    return `${status}: ${schema === null ? 'undefined' : typeOf(schema)}`
  })
  return `{ parameters: ${parametersType(operation.parameters ?? [])}; body: ${body}; answers: { ${answers.join('; ')} } }`
}

function parametersType(parameters: readonly Parameter[]): string {
  // The client takes headers apart from parameters.
  const members = parameters
    .filter((parameter) => parameter.in !== 'header')
    .map(({ name, required, schema }) => `${name}${required ? '' : '?'}: ${typeOf(schema)}`)
  return members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`
}

const namesIn = (operation: Operation, part: Parameter['in']): string[] =>
  (operation.parameters ?? []).filter((parameter) => parameter.in === part).map(({ name }) => name)

function schemaIn(part: object): Json | null {
  const { content } = part as { content?: Record<string, { schema: Json }> }
  return content?.['application/json']?.schema ?? null
}

function resolved(answer: Json, document: OpenApi): Json {
  const reference = answer['$ref']
  if (typeof reference !== 'string') return answer
  return document.components.responses[nameOf(reference)] ?? {}
}

const nameOf = (reference: string): string => reference.split('/').at(-1) ?? ''

/** A JSON Schema as a TypeScript type. */
function typeOf(schema: Json | null): string {
  if (schema === null) return 'undefined'
  if (typeof schema['$ref'] === 'string') return nameOf(schema['$ref'])
  if ('const' in schema) return literal(schema['const'])
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map(literal))
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) return union(choices.map((choice) => typeOf(choice as Json)))
  const { type } = schema
  if (Array.isArray(type)) return union(type.map((one: unknown) => typeOf({ ...schema, type: one })))
  if (type === 'array') return `readonly (${typeOf((schema['items'] ?? {}) as Json)})[]`
  if (type === 'object') return objectType(schema)
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'string' || type === 'boolean' || type === 'null' ? type : 'unknown'
}

function objectType(schema: Json): string {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
  const required = new Set((schema['required'] ?? []) as string[])
  const others = schema['additionalProperties']
  const rest = others === false || others === undefined ? null : typeOf(others as Json)
  const members = properties.map(
    ([name, property]) => `readonly ${name}${required.has(name) ? '' : '?'}: ${typeOf(property)}`,
  )
  if (members.length === 0) return `Readonly<Record<string, ${rest ?? 'never'}>>`
  const own = `{ ${members.join('; ')} }`
  return rest === null ? own : `${own} & Readonly<Record<string, ${rest}>>`
}

const union = (types: string[]): string => [...new Set(types)].join(' | ')
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`\'`)}'`
const literal = (value: unknown): string =>
  typeof value === 'string' ? quoted(value) : JSON.stringify(value)
