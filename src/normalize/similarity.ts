/** Letters of a text as numbers: UTF-16 codes, or bytes of ASCII. */
export type Letters = Uint8Array | Uint16Array

// `codesOf` writes here. It has two places, because two texts are compared at a time.
const codes: [Uint16Array, Uint16Array] = [new Uint16Array(64), new Uint16Array(64)]

/** Returns the UTF-16 codes of a text, in an array that the next call with the same `place` overwrites. */
export function codesOf(text: string, place: 0 | 1): Uint16Array {
  if (codes[place].length < text.length) codes[place] = new Uint16Array(2 * text.length)
  const found = codes[place]
  for (let at = 0; at < text.length; at++) found[at] = text.charCodeAt(at)
  return found
}

/** Returns the Jaro-Winkler similarity of two strings, 0 to 1, with the usual bonus of 0.1 for each of the first four letters. */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1
  return jaroWinklerOf(codesOf(a, 0), 0, a.length, codesOf(b, 1), 0, b.length)
}

// The letters of b that are matched already, and the letters of a that have a match. Each comparison overwrites both.
let taken = new Uint8Array(64)
let matched = new Uint16Array(64)

/** Returns the Jaro-Winkler similarity of `lengthA` letters of `a` from `startA` on and `lengthB` letters of `b`. */
export function jaroWinklerOf(
  a: Letters,
  startA: number,
  lengthA: number,
  b: Letters,
  startB: number,
  lengthB: number,
): number {
  if (lengthA === 0 || lengthB === 0) return 0
  if (taken.length < lengthB) taken = new Uint8Array(2 * lengthB)
  else taken.fill(0, 0, lengthB)
  if (matched.length < lengthA) matched = new Uint16Array(2 * lengthA)
  const reach = Math.max(0, (Math.max(lengthA, lengthB) >> 1) - 1)
  let common = 0
  for (let i = 0; i < lengthA; i++) {
    const letter = a[startA + i]!
    // Conditions are faster here than Math.min and Math.max.
    const last = i + reach < lengthB ? i + reach : lengthB - 1
    for (let j = i > reach ? i - reach : 0; j <= last; j++) {
      if (taken[j] === 1 || b[startB + j] !== letter) continue
      taken[j] = 1
      matched[common++] = letter
      break
    }
  }
  if (common === 0) return 0
  let swapped = 0
  for (let j = 0, next = 0; j < lengthB; j++) {
    if (taken[j] === 1 && b[startB + j] !== matched[next++]) swapped++
  }
  const jaro = (common / lengthA + common / lengthB + (common - swapped / 2) / common) / 3
  if (jaro <= 0.7) return jaro
  const longest = lengthA < lengthB ? lengthA : lengthB
  let prefix = 0
  while (prefix < 4 && prefix < longest && a[startA + prefix] === b[startB + prefix]) prefix++
  return jaro + prefix * 0.1 * (1 - jaro)
}

/**
 * Returns the number of edits between the letters of `a` from `i` up to `endA` and those of `b` from `j` up to `endB`:
 * 0, 1, or 2 for two and more. An edit inserts, deletes or replaces a letter, or swaps two neighbours.
 */
export function fewEdits(
  a: Letters,
  i: number,
  endA: number,
  b: Letters,
  j: number,
  endB: number,
): 0 | 1 | 2 {
  const longer = endA - i - (endB - j)
  if (longer > 1 || longer < -1) return 2
  while (i < endA && j < endB && a[i] === b[j]) {
    i++
    j++
  }
  while (endA > i && endB > j && a[endA - 1] === b[endB - 1]) {
    endA--
    endB--
  }
  const restA = endA - i
  const restB = endB - j
  if (restA <= 1 && restB <= 1) return restA === 0 && restB === 0 ? 0 : 1
  return restA === 2 && restB === 2 && a[i] === b[j + 1] && a[i + 1] === b[j] ? 1 : 2
}

/**
 * Returns the number of edits (insert, delete, replace, swap of two neighbours) between two strings. Each substring is
 * edited at most once (optimal string alignment). A distance above `limit` is returned as `limit + 1`.
 */
export function damerauLevenshtein(a: string, b: string, limit: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  // A common start and a common end do not change the distance, so both are skipped.
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

// The last three rows of the table of an alignment. Each alignment overwrites them.
let rows: [Uint16Array, Uint16Array, Uint16Array] = [new Uint16Array(64), new Uint16Array(64), new Uint16Array(64)] // prettier-ignore

/** Returns the distance between `a` from `start` to `endOfA` and `b` from `start` to `endOfB`. */
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
    // A swap uses the row before the last one. So both rows must exceed the limit before the search ends.
    if (best > limit && bestOfPrevious > limit - 1) return limit + 1
    bestOfPrevious = best
    const oldest = before
    before = previous
    previous = row
    row = oldest
  }
  return Math.min(previous[width]!, limit + 1)
}
