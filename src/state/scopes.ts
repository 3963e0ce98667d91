import { z } from 'zod'

/** The scopes that a key can be limited to. A `…:write` scope includes the `…:read` scope of the same resource. */
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

/** Whether a key with `scopes` (null: unlimited) may do what `needed` names. */
export function allows(scopes: readonly Scope[] | null, needed: Scope): boolean {
  if (scopes === null || scopes.includes(needed)) return true
  return needed.endsWith(':read') && scopes.includes(needed.replace(/:read$/, ':write') as Scope)
}
