/**
 * Returns a word in title case: 'MAIN' → 'Main', 'O'BRIEN' → 'O'Brien', 'MCDONALD' → 'McDonald', '21ST' → '21st',
 * 'SMITH-JONES' → 'Smith-Jones'.
 */
export function titleWord(word: string): string {
  if (word.length === 1) return word
  // A letter after an apostrophe is a capital only when more letters follow: O'Brien, but Joe's.
  const text = word.toLowerCase().replace(STARTS, (letter) => letter.toUpperCase())
  if (word.length > 4 && text.startsWith('Mc')) return `Mc${text[2]!.toUpperCase()}${text.slice(3)}`
  return text
}

const STARTS = /(?<![a-z\d'\u00df-\uffff])[a-z\u00df-\uffff]|(?<=')[a-z\u00df-\uffff](?=.)/g

/** Returns the text with every word as `titleWord` writes it. */
export function titleCase(text: string): string {
  return text.includes(' ') ? text.split(' ').map(titleWord).join(' ') : titleWord(text)
}
