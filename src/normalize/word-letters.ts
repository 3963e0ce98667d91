import { censusNames, nameFrequency } from './name-frequencies.ts'
import { organisationWords } from './name-words.ts'

// The letters A to Z, the space before a word and the space after it.
const LETTERS = 28
const BEFORE = 26
const BEHIND = 27
// The probability after a letter pair is a mean of its own counts and of those after its second letter. A pair with
// this many occurrences weighs both equally.
const SMOOTHING = 4

/**
 * Returns the log10 odds, by letter triples, that an upper-case word is a trade and not a name. Trades are the words of
 * organisation-words.txt, names those of the Census. Words of languages that are rare in the Census look like neither
 * ('QIANWEN'). So a trade must also be ten times likelier than the same letters in any order.
 */
export function tradeOdds(word: string): number {
  odds ??= letterOdds()
  let againstNames = 0
  let againstLetters = 0
  let pair = BEFORE * LETTERS + BEFORE
  for (let i = 0; i <= word.length; i++) {
    const letter = i === word.length ? BEHIND : word.charCodeAt(i) - 65
    if (letter < 0 || letter > BEHIND) return 0
    const at = pair * LETTERS + letter
    againstNames += odds.againstNames[at]!
    againstLetters += odds.againstLetters[at]!
    pair = (pair % LETTERS) * LETTERS + letter
  }
  return Math.min(againstNames, againstLetters - 1)
}

/** The log10 odds that a letter follows two others in a trade, against names and against any word. */
interface LetterOdds {
  readonly againstNames: Float32Array
  readonly againstLetters: Float32Array
}

let odds: LetterOdds | undefined

function letterOdds(): LetterOdds {
  // Every fourth name is enough for the letter statistics and loads faster.
  const sample = [...censusNames()].filter((_, i) => i % 4 === 0)
  const trades = letterChances(organisationWords().filter((word) => nameFrequency(word) === undefined))
  const names = letterChances(sample)
  const singles = singleLetterChances(sample)
  return {
    againstNames: Float32Array.from(trades, (chance, i) => Math.log10(chance / names[i]!)),
    againstLetters: Float32Array.from(trades, (chance, i) => Math.log10(chance / singles[i % LETTERS]!)),
  }
}

function singleLetterChances(words: readonly string[]): Float64Array {
  const counts = new Float64Array(LETTERS).fill(1)
  let total = LETTERS
  for (const name of words) {
    for (let i = 0; i < name.length; i++) counts[name.charCodeAt(i) - 65]!++
    counts[BEHIND]!++
    total += name.length + 1
  }
  return counts.map((count) => count / total)
}

// Returns the probability of each letter after each pair of letters. For rare pairs it is close to the probability
// after the second letter alone.
function letterChances(words: Iterable<string>): Float64Array {
  const three = new Float64Array(LETTERS ** 3)
  const two = new Float64Array(LETTERS ** 2)
  for (const word of words) {
    if (word.length < 4) continue
    let pair = BEFORE * LETTERS + BEFORE
    for (let i = 0; i <= word.length; i++) {
      const letter = i === word.length ? BEHIND : word.charCodeAt(i) - 65
      if (letter < 0) break
      three[pair * LETTERS + letter]!++
      pair = (pair % LETTERS) * LETTERS + letter
      two[pair]!++
    }
  }
  for (let pair = 0; pair < LETTERS ** 2; pair++) {
    const row = (pair % LETTERS) * LETTERS
    const behindOne = sum(two, row)
    const behindTwo = sum(three, pair * LETTERS)
    for (let letter = 0; letter < LETTERS; letter++) {
      const chance = (two[row + letter]! + 1) / (behindOne + LETTERS)
      const at = pair * LETTERS + letter
      three[at] = (three[at]! + SMOOTHING * chance) / (behindTwo + SMOOTHING)
    }
  }
  return three
}

function sum(counts: Float64Array, from: number): number {
  let total = 0
  for (let i = from; i < from + LETTERS; i++) total += counts[i]!
  return total
}
