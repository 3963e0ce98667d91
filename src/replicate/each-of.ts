/** Calls `body` for each item, for at most `width` items at a time. After an error no other item is begun. */
export async function eachOf<T>(
  items: readonly T[],
  width: number,
  body: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  let hasFailed = false
  const lane = async (): Promise<void> => {
    for (const item of waiting) {
      if (hasFailed) return
      try {
        await body(item)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: width }, lane))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
