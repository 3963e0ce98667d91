import type { FrequencyTable } from './frequency-table.ts'

/** Names of one language: given names by sex and surnames, each with its frequency, and short forms of given names. */
export interface Language {
  readonly women: FrequencyTable
  readonly men: FrequencyTable
  readonly surnames: FrequencyTable
  readonly nicknames: Readonly<Record<string, readonly string[]>>
}

export type Sex = 'F' | 'M'
