/**
 * Returns a word in title case: 'MAIN' → 'Main', 'O'BRIEN' → 'O'Brien', 'MCDONALD' → 'McDonald', '21ST' → '21st',
 * 'SMITH-JONES' → 'Smith-Jones'.
 */
export function titleWord(word: string): string {
  if (word.length === 1) return word
  if (isPlain(word)) {
    // Fast path: most words are plain letters.
    const lower = word.toLowerCase()
    if (word.length > 4 && lower.startsWith('mc')) return `Mc${word[2]!}${lower.slice(3)}`
    return word[0]! + lower.slice(1)
  }
  let text = ''
  let start = true
  for (let i = 0; i < word.length; i++) {
    const letter = word[i]!
    const isLetter = letter.toLowerCase() !== letter.toUpperCase()
    text += start ? letter.toUpperCase() : letter.toLowerCase()
    // A letter after an apostrophe is a capital only when more letters follow: O'Brien, but Joe's.
    if (letter === "'") start = i + 2 < word.length
    else start = !isLetter && !(letter >= '0' && letter <= '9')
  }
  if (word.length > 4 && text.startsWith('Mc')) return `Mc${text[2]!.toUpperCase()}${text.slice(3)}`
  return text
}

/** Returns whether the word has capital letters only. */
function isPlain(word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    if (code < 65 || code > 90) return false
  }
  return word !== ''
}

/** Returns the text with every word as `titleWord` writes it. */
export function titleCase(text: string): string {
  return text.includes(' ') ? text.split(' ').map(titleWord).join(' ') : titleWord(text)
}
