import { plain } from './names.ts'
import { isWellKnown, trueName } from './persons.ts'
import { mix, stream } from './random.ts'
import type { World } from './types.ts'

const EMAILS = stream('emails')

const HOSTS = ['mail', 'inbox', 'post', 'home', 'web', 'my'] as const
const DOMAINS = ['example.com', 'example.net', 'example.org'] as const

/** Returns whether a person has an e-mail address: the first (0), a second (1), a former one (2). */
export function hasEmail(world: World, person: number, which: number): boolean {
  // People born before 1937 have none.
  if (world.people.bornOn.get(person) < -12_000) return false
  return isWellKnown(person) || mix(EMAILS, person, which) % 100 < [78, 14, 20][which]!
}

/** Returns a personal e-mail address. It has the person's number in it, so no two people share one by chance. */
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

/** Returns the e-mail address of a desk in a business. Several people gave it out over the years. */
export function deskEmail(business: number): string {
  return `office${business}@desk.example.org`
}
