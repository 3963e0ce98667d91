/** A JSON Schema (2020-12, as in OpenAPI 3.1), or another part of the OpenAPI file. */
export type Json = Record<string, unknown>

/** The OpenAPI 3.1 file of the service. */
export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: Json
  readonly servers: readonly Json[]
  readonly tags: readonly { name: string; description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  /** Requests that the service sends to callers. */
  readonly webhooks: Readonly<Record<string, { readonly post: Json }>>
  readonly components: Named & { readonly headers: Json; readonly securitySchemes: Json }
}

/** Parts that are described once and referred to by `$ref`. */
export interface Named {
  readonly schemas: Record<string, Json>
  readonly responses: Record<string, Json>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly style?: 'form'
  readonly explode?: false
  readonly schema: Json
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly deprecated?: true
  readonly security: readonly Readonly<Record<string, string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Json }
  readonly responses: Readonly<Record<string, Json>>
}
