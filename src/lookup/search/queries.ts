/** What a search for people says: every parameter that is given must hold. Values are the caller's own text. */
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
  /** Miles around the street, else the ZIP, else the city. */
  readonly radius?: number
  readonly include_fuzzy_matching: boolean
  readonly strict_match: boolean
  /** From 1. */
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

/** Which version of the interface an answer is for; 2 when nothing is said. */
export type Version = 1 | 2

/** What a page of people holds: `results` is a JSON array in UTF-8, ready to be sent; `total` counts all pages. */
export interface PeoplePage {
  readonly total: number
  readonly results: Buffer
}
