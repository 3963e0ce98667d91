/** An event that nobody has been told of yet: what a subscription's region and event type match on. */
export interface NewsEvent {
  readonly event_id: string
  readonly event_type: string
  /** Two letters, upper case. */
  readonly state: string
  readonly county_fips: string
  readonly property_id: string | null
  /** `YYYY-MM-DD`. */
  readonly recorded_date: string | null
}
