/**
 * Returns an e-mail address in lower case, without spaces, angle brackets, `mailto:` or a final full stop. Null when it
 * cannot be an address.
 */
export function normalizeEmail(text: string): string | null {
  let email = text.trim().toLowerCase()
  if (email.startsWith('mailto:')) email = email.slice(7)
  if (email.startsWith('<') && email.endsWith('>')) email = email.slice(1, -1)
  while (email.endsWith('.') || email.endsWith(',') || email.endsWith(';')) email = email.slice(0, -1)
  if (email.length > 254 || !EMAIL.test(email)) return null
  const at = email.lastIndexOf('@')
  const user = email.slice(0, at)
  if (user.length > 64 || PLACEHOLDER_USERS.has(user) || PLACEHOLDER_DOMAINS.has(email.slice(at + 1)))
    return null
  return email
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const EMAIL = new RegExp(
  `^[a-z0-9!#$%&'*+/=?^_\`{|}~-]+(?:\\.[a-z0-9!#$%&'*+/=?^_\`{|}~-]+)*@(?:${LABEL}\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`,
)

// Clerks type these when a form requires an address.
const PLACEHOLDER_USERS = new Set([
  'none',
  'noemail',
  'no-email',
  'no.email',
  'na',
  'n/a',
  'unknown',
  'noreply',
  'no-reply',
])
const PLACEHOLDER_DOMAINS = new Set(['none.com', 'noemail.com', 'no.com', 'na.com', 'unknown.com'])
