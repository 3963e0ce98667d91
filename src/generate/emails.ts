import { plain } from './names.ts'
import { isWellKnown, trueName } from './persons.ts'
import { mix, stream } from './random.ts'
import type { World } from './types.ts'

const EMAILS = stream('emails')

const HOSTS = ['mail', 'inbox', 'post', 'home', 'web', 'my'] as const
const DOMAINS = ['example.com', 'example.net', 'example.org'] as const

/** Whether somebody has a first (0), a second (1), a former (2) address. */
export function hasEmail(world: World, person: number, which: number): boolean {
  // Born before 1937: without.
  if (world.people.bornOn.get(person) < -12_000) return false
  return isWellKnown(person) || mix(EMAILS, person, which) % 100 < [78, 14, 20][which]!
}

/** An address of a person's own: the number in it is nobody else's, so that no two people share one by chance. */
export function emailOf(world: World, person: number, day: number, which: number): string {
  const { first, last } = trueName(world, person, day)
  const [given, family] = [first, last].map((name) =>
    plain(name)
      .toLowerCase()
      .replace(/[^a-z]/g, ''),
  )
  const bits = mix(EMAILS, person, 10 + which)
  const local = [
    `${given}.${family}${person}`,
    `${given![0]!}${family}${person}`,
    `${family}.${given}${person}`,
  ][bits % 3]!
  return `${local}@${HOSTS[(bits >>> 4) % HOSTS.length]!}.${DOMAINS[(bits >>> 8) % DOMAINS.length]!}`
}

/** The address of a business's desk, which whoever sits there gives out: it changes hands. */
export function deskEmail(business: number): string {
  return `office${business}@desk.example.org`
}
