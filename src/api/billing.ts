/** What a route says of its price. Requests to others (health, regions, account, …) cost nothing. */
export interface Price {
  readonly isBillable: boolean
  /** Whether finding nothing (404) is billed like an answer. */
  readonly isNotFoundBillable: boolean
}

export const BILLED: Price = { isBillable: true, isNotFoundBillable: true }
export const BILLED_WHEN_FOUND: Price = { isBillable: true, isNotFoundBillable: false }
export const FREE: Price = { isBillable: false, isNotFoundBillable: false }

/** The table of billing rules: 2xx yes, 404 where the route says so, everything else no. */
export function isBillable(price: Price, status: number): boolean {
  if (!price.isBillable) return false
  return (status >= 200 && status < 300) || (status === 404 && price.isNotFoundBillable)
}
