import { afterAll, beforeAll } from 'vitest'

/**
 * Holds what a `with…` function gives open from the first test of a file to the last. `open` is handed what takes it; the
 * result is how tests get at it.
 */
export function heldOpen<T>(
  open: (body: (held: T) => Promise<void>) => Promise<void>,
  timeout?: number,
): () => T {
  let held: { readonly value: T } | null = null
  const end = Promise.withResolvers<void>()
  let ended: Promise<void> = Promise.resolve()
  beforeAll(async () => {
    await new Promise<void>((ready, fail) => {
      ended = open((value) => {
        held = { value }
        ready()
        return end.promise
      })
      ended.catch(fail)
    })
  }, timeout)
  afterAll(async () => {
    end.resolve()
    await ended
  })
  return () => {
    if (held === null) throw new Error('what tests share is there once they run')
    return held.value
  }
}
