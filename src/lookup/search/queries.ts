/** A search for people. A person must meet all parameters that are given. Values are the caller's own text. */
export interface PersonQuery {
  readonly phone?: string
  readonly email?: string
  readonly name?: string
  readonly first_name?: string
  readonly middle_name?: string
  readonly last_name?: string
  readonly street?: string
  readonly city?: string
  readonly state_code?: string
  readonly zipcode?: string
  readonly include_historical_locations: boolean
  readonly min_age?: number
  readonly max_age?: number
  /** Miles around the centre of the location (centre.ts). */
  readonly radius?: number
  readonly include_fuzzy_matching: boolean
  readonly strict_match: boolean
  /** The page number, counted from 1. */
  readonly page: number
  readonly page_size: number
}

export interface PropertyQuery {
  readonly street?: string
  readonly city?: string
  readonly state_code?: string
  readonly zipcode?: string
  readonly strict_match: boolean
}

/** The version of the API that an answer is for. The default is 2. */
export type Version = 1 | 2

/** One page of people. `results` is a JSON array in UTF-8; `total` is the number of people on all pages. */
export interface PeoplePage {
  readonly total: number
  readonly results: Buffer
}
