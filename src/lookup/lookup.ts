import type { Suppressed } from './format/suppressed.ts'
import type { Clues, ReadClues } from './identify/clues.ts'
import type { Identified } from './identify/identify.ts'
import type { PersonParts } from './person/person-parts.ts'
import type { PeoplePage, PersonQuery, PropertyQuery, Version } from './search/queries.ts'
import type { Suppression } from './suppress/find-suppressed.ts'

/**
 * One open snapshot. Returned buffers hold JSON in UTF-8, and no later call changes them. `today`
 * (`YYYY-MM-DD`) is the day for which ages are computed.
 */
export interface Lookup {
  readonly version: string
  /** FIPS codes of the counties with assessor rolls or deeds. */
  readonly recordedCounties: ReadonlySet<string>
  /** FIPS codes of the counties with deed events. */
  readonly eventCounties: ReadonlySet<string>
  findPeople(query: PersonQuery, today: string, version?: Version): PeoplePage
  /**
   * Returns the details of a person, without an envelope. An id that was merged away gives the person who
   * remains. Returns null for an unknown id.
   */
  person(id: string, today: string, version?: Version): Buffer | null
  /**
   * Returns the `result` object of a property search; in version 1 the whole record. Returns null when
   * nothing matches.
   */
  findProperty(query: PropertyQuery, today: string, version?: Version): Buffer | null
  /** Returns the `result` object of property details. `id` belongs to a property (R…) or an address (A…). */
  property(id: string, today: string): Buffer | null
  /**
   * Returns the whole response body for a phone of eleven digits (`12065550142`), including one that the
   * snapshot does not have.
   */
  phone(phone: string, today: string): Buffer
  /**
   * Parses rows of an input file for `identify`. A hundred rows together take less time than a hundred calls.
   * Without `weighsSuppressed`, suppressed people are treated as absent from the snapshot. With it, they are
   * compared too: a row about a suppressed person then does not match a relative instead, and `identify`
   * returns their score.
   */
  readClues(rows: readonly Clues[], today: string, weighsSuppressed: boolean): readonly ReadClues[]
  /** Returns the people whom a row may describe, best first. */
  identify(read: ReadClues, today: string): Identified
  /** Returns the data of a person number that `identify` returned. The value is valid until the next call. */
  personParts(person: number, today: string): PersonParts
  /** Returns the number of a person by id, for `personParts`; null when there is none. */
  personNumber(id: string): number | null
  /** The number of people in the snapshot. Person numbers are below it. */
  readonly personCount: number
  /** The people whom no answer contains; null when there are none. */
  readonly suppressed: Suppressed | null
  /**
   * Returns whether a person id, possibly one that was merged away, may belong to a suppressed person. While
   * the list of suppressions is not empty, this is true for every unknown id. A person with an unknown id may
   * have been removed from the snapshot, so the list cannot be compared with the person's data.
   */
  mayBeSuppressed(id: string): boolean
  /** Suppresses the people whom `list` matches, from now on. People who are not on the list are shown again. */
  suppress(list: readonly Suppression[]): Promise<Suppressed | null>
  close(): void
}
