import type { SuppressedNames } from './suppressed-names.ts'

/** The people of one snapshot who are suppressed. Plain data, which threads can be handed. */
export interface Suppressed {
  /** By person number: 1 for who is. */
  readonly people: Uint8Array
  readonly ids: ReadonlySet<string>
  /** Eleven digits: numbers that name nobody any more. */
  readonly phones: ReadonlySet<string>
  /** What they are called, for texts that name nobody for sure. */
  readonly names: SuppressedNames
  /** How many people each suppression of the list names in this snapshot, in the list's order. */
  readonly counts: readonly number[]
}
