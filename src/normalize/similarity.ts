/** Jaro-Winkler similarity of two strings, 0 to 1, with the usual prefix bonus of 0.1 over up to four letters. */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1
  const jaro = jaroSimilarity(a, b)
  if (jaro <= 0.7) return jaro
  let prefix = 0
  const longest = Math.min(4, a.length, b.length)
  while (prefix < longest && a.charCodeAt(prefix) === b.charCodeAt(prefix)) prefix++
  return jaro + prefix * 0.1 * (1 - jaro)
}

// Which letters of b are taken, and the letters of a that found one: space that every comparison uses again.
let taken = new Uint8Array(64)
let matched = new Uint16Array(64)

function jaroSimilarity(a: string, b: string): number {
  if (a.length === 0 || b.length === 0) return 0
  const reach = Math.max(0, (Math.max(a.length, b.length) >> 1) - 1)
  if (taken.length < b.length) taken = new Uint8Array(2 * b.length)
  else taken.fill(0, 0, b.length)
  if (matched.length < a.length) matched = new Uint16Array(2 * a.length)
  let common = 0
  for (let i = 0; i < a.length; i++) {
    const last = Math.min(b.length - 1, i + reach)
    for (let j = Math.max(0, i - reach); j <= last; j++) {
      if (taken[j] === 1 || a.charCodeAt(i) !== b.charCodeAt(j)) continue
      taken[j] = 1
      matched[common++] = a.charCodeAt(i)
      break
    }
  }
  if (common === 0) return 0
  let swapped = 0
  let next = 0
  for (let j = 0; j < b.length; j++) {
    if (taken[j] === 1 && b.charCodeAt(j) !== matched[next++]) swapped++
  }
  return (common / a.length + common / b.length + (common - swapped / 2) / common) / 3
}

/**
 * Edits (insert, delete, replace, swap of two neighbours) between two strings, each substring edited at most once
 * (optimal string alignment). Stops early: any distance above `limit` is returned as `limit + 1`.
 */
export function damerauLevenshtein(a: string, b: string, limit: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  // What both begin and end with changes nothing, and names that are compared mostly share it.
  let start = 0
  let endOfA = a.length
  let endOfB = b.length
  while (start < endOfA && start < endOfB && a.charCodeAt(start) === b.charCodeAt(start)) start++
  while (endOfA > start && endOfB > start && a.charCodeAt(endOfA - 1) === b.charCodeAt(endOfB - 1)) {
    endOfA--
    endOfB--
  }
  const longest = Math.max(endOfA, endOfB) - start
  if (longest < 2 || start === endOfA || start === endOfB) return Math.min(longest, limit + 1)
  return alignment(a, endOfA, b, endOfB, start, limit)
}

// The last three rows of the table that an alignment fills, used again by the next one.
let rows: [Uint16Array, Uint16Array, Uint16Array] = [new Uint16Array(64), new Uint16Array(64), new Uint16Array(64)] // prettier-ignore

/** The same of a and b from `start` up to where each ends. */
function alignment(
  a: string,
  endOfA: number,
  b: string,
  endOfB: number,
  start: number,
  limit: number,
): number {
  // prettier-ignore
  const width = endOfB - start
  if (width >= rows[0].length) rows = [new Uint16Array(2 * width), new Uint16Array(2 * width), new Uint16Array(2 * width)] // prettier-ignore
  let [before, previous, row] = rows
  for (let j = 0; j <= width; j++) previous[j] = j
  let bestOfPrevious = 0
  for (let i = 1; i <= endOfA - start; i++) {
    row[0] = i
    let best = i
    const letter = a.charCodeAt(start + i - 1)
    const letterBefore = i > 1 ? a.charCodeAt(start + i - 2) : -1
    for (let j = 1; j <= width; j++) {
      const other = b.charCodeAt(start + j - 1)
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (letter === other ? 0 : 1))
      if (j > 1 && letterBefore === other && letter === b.charCodeAt(start + j - 2)) cost = Math.min(cost, before[j - 2]! + 1) // prettier-ignore
      row[j] = cost
      if (cost < best) best = cost
    }
    // A swap reaches back two rows, so one bad row is not yet the end unless the row before it was bad too.
    if (best > limit && bestOfPrevious > limit - 1) return limit + 1
    bestOfPrevious = best
    const oldest = before
    before = previous
    previous = row
    row = oldest
  }
  return Math.min(previous[width]!, limit + 1)
}
