/** Where time comes from; handed down, so that tests drive it. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** The UTC calendar day of an instant, `YYYY-MM-DD`. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
