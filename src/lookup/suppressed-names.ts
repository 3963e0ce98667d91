import { type NameOrder, parseName, type PersonName } from '../normalize/name.ts'
import { stateCode } from './states.ts'

/** Who has a name: first letters of the middle names, and the codes of the states they live or lived in. */
export interface Bearer {
  readonly initials: string
  readonly states: ReadonlySet<number>
}

/** The names of everybody who is suppressed, by first and last name: `JANE|DELACRUZ`. Plain data, which threads can be handed. */
export type SuppressedNames = ReadonlyMap<string, readonly Bearer[]>

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
