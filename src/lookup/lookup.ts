import type { Suppressed } from './format/suppressed.ts'
import type { Clues, ReadClues } from './identify/clues.ts'
import type { Identified } from './identify/identify.ts'
import type { PersonParts } from './person/person-parts.ts'
import type { PeoplePage, PersonQuery, PropertyQuery, Version } from './search/queries.ts'
import type { Suppression } from './suppress/find-suppressed.ts'

/**
 * One snapshot, open for reading. Buffers are the caller's own (no later call changes them) and hold JSON in UTF-8.
 * `today` (`YYYY-MM-DD`) is the day that ages are computed for.
 */
export interface Lookup {
  readonly version: string
  /** FIPS codes of the counties of which rolls or deeds were loaded. */
  readonly recordedCounties: ReadonlySet<string>
  /** FIPS codes of the counties that have deed events. */
  readonly eventCounties: ReadonlySet<string>
  findPeople(query: PersonQuery, today: string, version?: Version): PeoplePage
  /** The details form of a person (not wrapped); an id that was merged away gives the surviving person. */
  person(id: string, today: string, version?: Version): Buffer | null
  /** The `result` object of a property search; in version 1 the whole record. */
  findProperty(query: PropertyQuery, today: string, version?: Version): Buffer | null
  /** The `result` object of property details; `id` is a property's (R…) or an address's (A…). */
  property(id: string, today: string): Buffer | null
  /** The whole body for a number of eleven digits (`12065550142`), also when nothing is known of it. */
  phone(phone: string, today: string): Buffer
  /**
   * What rows of a list say: a hundred at once take less time than one by one. Unless `weighsSuppressed`, rows are answered as if
   * suppressed people were not in the snapshot. With it, a row that means one of them is not answered with a relative, and
   * `identify` gives their score.
   */
  readClues(rows: readonly Clues[], today: string, weighsSuppressed: boolean): readonly ReadClues[]
  /** Whom a row of a list may mean, best first. */
  identify(read: ReadClues, today: string): Identified
  /** What is known of one of the people whom `identify` gave; valid until the next call. */
  personParts(person: number, today: string): PersonParts
  /** The number of a person by id, for `personParts`; null when there is none. */
  personNumber(id: string): number | null
  /** How many people there are; their numbers are below it. */
  readonly personCount: number
  /** Who comes out of no answer; null when it is nobody. */
  readonly suppressed: Suppressed | null
  /**
   * Whether this id, also one that was merged away, is of somebody who is suppressed. While anybody is, an id that the
   * snapshot doesn't know may be: a person whose data is gone can't be found by what the list says of them.
   */
  mayBeSuppressed(id: string): boolean
  /** Takes whom `list` names out of all answers from now on, and lets everybody else back in. */
  suppress(list: readonly Suppression[]): Promise<Suppressed | null>
  close(): void
}
