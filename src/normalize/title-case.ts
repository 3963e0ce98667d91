/** 'MAIN' → 'Main', 'O'BRIEN' → 'O'Brien', 'MCDONALD' → 'McDonald', '21ST' → '21st', 'SMITH-JONES' → 'Smith-Jones'. */
export function titleWord(word: string): string {
  if (word.length === 1) return word
  if (isPlain(word)) {
    // Most words; letter by letter takes three times as long.
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
    // A letter behind an apostrophe is a capital only when a name goes on: O'Brien, but Joe's.
    if (letter === "'") start = i + 2 < word.length
    else start = !isLetter && !(letter >= '0' && letter <= '9')
  }
  if (word.length > 4 && text.startsWith('Mc')) return `Mc${text[2]!.toUpperCase()}${text.slice(3)}`
  return text
}

/** Capital letters only. */
function isPlain(word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    if (code < 65 || code > 90) return false
  }
  return word !== ''
}

/** Every word of the text by `titleWord`. */
export function titleCase(text: string): string {
  return text.includes(' ') ? text.split(' ').map(titleWord).join(' ') : titleWord(text)
}
