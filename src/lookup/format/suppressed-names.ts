import { type NameOrder, parseName, type PersonName } from '../../normalize/name.ts'
import { PARTICLES } from '../../normalize/name-words.ts'
import { stateCode } from './states.ts'

/** Who has a name: first letters of the middle names, and the codes of the states they live or lived in. */
export interface Bearer {
  readonly initials: string
  readonly states: ReadonlySet<number>
}

/** The names of everybody who is suppressed, by first and last name: `JANE|DELACRUZ`. Plain data, which threads can be handed. */
export type SuppressedNames = ReadonlyMap<string, readonly Bearer[]>

/** A person's name, in the words of its parts. */
export interface NameInWords {
  readonly first: readonly string[]
  readonly last: readonly string[]
  /** Of the middle names. */
  readonly initials: string
}

/**
 * Under what a name may stand in a text, with the initials that may stand in its middle there. Of two surnames a roll has one
 * (GARCIA MARIA), or the first of them where the middle name stands; of two given names the second stands there, or nowhere.
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
      // Nothing known of the middle is no disagreement; something is, but for the other surname.
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

export function nameKey(first: string, last: string): string {
  return `${lettersOf(first)}|${lettersOf(last)}`
}

/**
 * Whether a text that names nobody for sure (a party of a deed, an owner on a roll, a trust) may mean somebody who is suppressed:
 * a first and last name of theirs, in a state of theirs, with no other middle name. In doubt it does. `state` null: anywhere.
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
