/** 'MAIN' → 'Main', 'O'BRIEN' → 'O'Brien', 'MCDONALD' → 'McDonald', '21ST' → '21st', 'SMITH-JONES' → 'Smith-Jones'. */
export function titleWord(word: string): string {
  if (word.length === 1) return word
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

/** Every word of the text by `titleWord`. */
export function titleCase(text: string): string {
  return text.includes(' ') ? text.split(' ').map(titleWord).join(' ') : titleWord(text)
}
