/** The price of a route. Free routes are health, regions, account, events, webhooks and internal ones. */
export interface Price {
  readonly isBillable: boolean
  /** Whether a 404 is billed like a response. */
  readonly isNotFoundBillable: boolean
}

export const BILLED: Price = { isBillable: true, isNotFoundBillable: true }
export const BILLED_WHEN_FOUND: Price = { isBillable: true, isNotFoundBillable: false }
export const FREE: Price = { isBillable: false, isNotFoundBillable: false }

/** Returns whether a response is billed: 2xx is, 404 depends on the price, all others are not. */
export function isBillable(price: Price, status: number): boolean {
  if (!price.isBillable) return false
  return (status >= 200 && status < 300) || (status === 404 && price.isNotFoundBillable)
}
