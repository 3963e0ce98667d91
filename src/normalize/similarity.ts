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

function jaroSimilarity(a: string, b: string): number {
  if (a.length === 0 || b.length === 0) return 0
  const reach = Math.max(0, (Math.max(a.length, b.length) >> 1) - 1)
  const taken = new Uint8Array(b.length)
  const matched: number[] = []
  for (let i = 0; i < a.length; i++) {
    const last = Math.min(b.length - 1, i + reach)
    for (let j = Math.max(0, i - reach); j <= last; j++) {
      if (taken[j] === 1 || a.charCodeAt(i) !== b.charCodeAt(j)) continue
      taken[j] = 1
      matched.push(a.charCodeAt(i))
      break
    }
  }
  if (matched.length === 0) return 0
  let swapped = 0
  let next = 0
  for (let j = 0; j < b.length; j++) {
    if (taken[j] === 1 && b.charCodeAt(j) !== matched[next++]) swapped++
  }
  const common = matched.length
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
  return alignment(a.slice(start, endOfA), b.slice(start, endOfB), limit)
}

function alignment(a: string, b: string, limit: number): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let best = i
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1))
      const swap =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      if (swap) cost = Math.min(cost, before[j - 2]! + 1)
      row.push(cost)
      if (cost < best) best = cost
    }
    // A swap reaches back two rows, so one bad row is not yet the end unless the row before it was bad too.
    if (best > limit && Math.min(...previous) > limit - 1) return limit + 1
    before = previous
    previous = row
  }
  return Math.min(previous[b.length]!, limit + 1)
}
