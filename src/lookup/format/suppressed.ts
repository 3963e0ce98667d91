import type { SuppressedNames } from './suppressed-names.ts'

/** The suppressed people of one snapshot. The value is plain data, so it can be sent to other threads. */
export interface Suppressed {
  /** By person number: 1 for a suppressed person. */
  readonly people: Uint8Array
  readonly ids: ReadonlySet<string>
  /** Eleven digits. Answers about these phones name nobody. */
  readonly phones: ReadonlySet<string>
  /** The names of these people, for texts that have no person id. */
  readonly names: SuppressedNames
  /** By position in the list of suppressions: how many people of this snapshot the suppression matches. */
  readonly counts: readonly number[]
}
