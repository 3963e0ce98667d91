/** Returns the current time. Passed as an argument, so that tests can set the time. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** Returns the UTC calendar day of an instant, `YYYY-MM-DD`. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
