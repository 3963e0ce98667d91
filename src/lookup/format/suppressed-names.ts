import { type NameOrder, parseName, type PersonName } from '../../normalize/name.ts'
import { PARTICLES } from '../../normalize/name-words.ts'
import { stateCode } from './states.ts'

/**
 * A person who has a name: the initials of the middle names, and the numbers of the states where the person
 * lives or lived.
 */
export interface Bearer {
  readonly initials: string
  readonly states: ReadonlySet<number>
}

/**
 * The names of all suppressed people, by first and last name: `JANE|DELACRUZ`. The value is plain data, so it
 * can be sent to other threads.
 */
export type SuppressedNames = ReadonlyMap<string, readonly Bearer[]>

/** A person's name as words. */
export interface NameInWords {
  readonly first: readonly string[]
  readonly last: readonly string[]
  /** The initials of the middle names. */
  readonly initials: string
}

/**
 * Returns the name keys (`nameKey`) of all forms in which a public record may write this name. The value of each key
 * has the middle initials that agree with it. A tax roll may write one of several surnames only ('GARCIA MARIA' for
 * Maria García López), with another surname in the place of the middle name. The second of two given names may be in
 * that place, or may be missing.
 */
export function namesInTexts({ first, last, initials }: NameInWords): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const surnames = last.length === 1 ? [] : last.filter((word) => !PARTICLES.has(word))
  for (const [given, more] of [
    [first, ''],
    [first.slice(0, 1), initialsOf(first.slice(1))],
  ] as const) {
    const middle = initials + more
    for (const surname of surnames) {
      // When no middle name is known, any middle name agrees. Otherwise the other surname may be in its
      // place.
      const others = middle === '' ? '' : initialsOf(surnames.filter((word) => word !== surname))
      names.set(nameKey(given.join(''), surname), middle + others)
    }
    names.set(nameKey(given.join(''), last.join('')), middle)
  }
  return names
}

function initialsOf(words: readonly string[]): string {
  return words.map((word) => word.charAt(0)).join('')
}

/** Returns the key of a first and last name, of which only letters and digits count: `JANE|DELACRUZ`. */
export function nameKey(first: string, last: string): string {
  return `${lettersOf(first)}|${lettersOf(last)}`
}

/**
 * Returns whether a text without a person id (a deed party, an owner on a roll, a trust) may name a
 * suppressed person. It may if it has that person's first and last name and no other middle name, in a state
 * where the person lives or lived. With `state` null every state agrees. When in doubt the function returns
 * true.
 */
export function mayMeanSuppressed(names: SuppressedNames, text: string, state: string | null): boolean {
  if (names.size === 0) return false
  const code = stateCode(state)
  return ORDERS.some((order) => parseName(text, order).people.some((person) => isBearer(names, person, code)))
}

const ORDERS: readonly NameOrder[] = ['given_first', 'surname_first']

function isBearer(names: SuppressedNames, { first, middle, last }: PersonName, state: number): boolean {
  if (first === null || last === null) return false
  const bearers = names.get(nameKey(first, last)) ?? []
  return bearers.some(
    ({ initials, states }) =>
      (state === 0 || states.size === 0 || states.has(state)) &&
      (middle === null || initials === '' || initials.includes(middle.charAt(0))),
  )
}

function lettersOf(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, '')
}
