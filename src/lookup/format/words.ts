import { fold } from '../../normalize/fold.ts'

/** The words of a name: upper case, without accents; apostrophes join, everything else that is no letter or digit parts. */
export function wordsOf(name: string): string[] {
  const folded = fold(name)
  if (isPlain(folded)) return folded.split(' ').filter((word) => word !== '')
  return folded
    .replace(/['’]/g, '')
    .split(/[^\p{L}0-9]+/u)
    .filter((word) => word !== '')
}

// Most names; the expressions for the others take longer than finding the people.
function isPlain(folded: string): boolean {
  for (let i = 0; i < folded.length; i++) {
    const code = folded.charCodeAt(i)
    if (!((code >= 65 && code <= 90) || code === 32 || (code >= 48 && code <= 57))) return false
  }
  return true
}

/** The same in SQL, for a column of the night's folded names; null gives no words. */
export function wordsSql(column: string): string {
  const joined = `replace(replace(upper(strip_accents(coalesce(${column}, ''))), '''', ''), '’', '')`
  return `list_filter(string_split_regex(${joined}, '[^\\pL0-9]+'), lambda word: word <> '')`
}

const SUFFIXES = new Set(['JR', 'SR', 'II', 'III', 'IV', 'ESQ', 'MD', 'PHD', 'DDS', 'CPA'])

/** Without generation and title words, which searches ignore, unless nothing else would be left. */
export function withoutSuffixes(words: string[]): string[] {
  if (words.length < 3) return words
  return words.filter((word, index) => index === 0 || !SUFFIXES.has(word))
}
