import { fold } from '../../normalize/fold.ts'

/**
 * Splits a name into words: upper case, without accents. Apostrophes join two parts; every other character
 * that is no letter or digit separates words.
 */
export function wordsOf(name: string): string[] {
  const folded = fold(name)
  if (isPlain(folded)) return folded.split(' ').filter((word) => word !== '')
  return folded
    .replace(/['’]/g, '')
    .split(/[^\p{L}0-9]+/u)
    .filter((word) => word !== '')
}

// Most names have only ASCII letters and spaces. The regular expressions for other names take longer than the
// search itself.
function isPlain(folded: string): boolean {
  for (let i = 0; i < folded.length; i++) {
    const code = folded.charCodeAt(i)
    if (!((code >= 65 && code <= 90) || code === 32 || (code >= 48 && code <= 57))) return false
  }
  return true
}

/** Returns the same rule as SQL, for a column of names that normalisation has folded. Null gives no words. */
export function wordsSql(column: string): string {
  const joined = `replace(replace(upper(strip_accents(coalesce(${column}, ''))), '''', ''), '’', '')`
  return `list_filter(string_split_regex(${joined}, '[^\\pL0-9]+'), lambda word: word <> '')`
}

const SUFFIXES = new Set(['JR', 'SR', 'II', 'III', 'IV', 'ESQ', 'MD', 'PHD', 'DDS', 'CPA'])

/**
 * Returns the words of a name without generations and titles such as JR, which searches ignore. Keeps the first
 * word, and all words of a name with fewer than three.
 */
export function withoutSuffixes(words: string[]): string[] {
  if (words.length < 3) return words
  return words.filter((word, index) => index === 0 || !SUFFIXES.has(word))
}
