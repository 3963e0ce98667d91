import { z } from 'zod'

/** The scopes to which a key can be limited. A `…:write` scope includes the `…:read` scope of the same resource. */
export const Scope = z.enum([
  'person:read',
  'phone:read',
  'property:read',
  'events:read',
  'usage:read',
  'webhooks:read',
  'webhooks:write',
  'enrichments:read',
  'enrichments:write',
])
export type Scope = z.output<typeof Scope>

/** Returns whether a key with `scopes` (null: all scopes) has the scope `needed`. */
export function allows(scopes: readonly Scope[] | null, needed: Scope): boolean {
  if (scopes === null || scopes.includes(needed)) return true
  return needed.endsWith(':read') && scopes.includes(needed.replace(/:read$/, ':write') as Scope)
}
