import { fold } from './fold.ts'
import { CREDENTIALS } from './name-words.ts'

/** A word of a name field. */
export interface NameToken {
  /**
   * Upper case, letters and digits without hyphens and apostrophes. '&' for every word or mark that joins two names.
   */
  text: string
  /** The word with hyphens and apostrophes, for display. */
  shown: string
  /** True when a comma follows the word. */
  comma: boolean
  /** True for a word in brackets or quotes: a nickname or a note. */
  aside: boolean
  /** True for "JERRY'S". */
  possessive: boolean
  /** True for a word with full stops inside: 'J.R.', 'D.A.R.E.'. */
  dotted: boolean
}

// Abbreviations that contain a slash. Any other slash joins two names or begins a note.
const SLASHED = new Set(['C/O', 'H/W', 'W/H', 'L/E', 'T/E', 'T/C', 'J/T', 'U/A', 'U/D', 'U/T', 'U/W', 'A/K/A', 'F/K/A', 'N/K/A', 'D/B/A', 'T/A', 'ET/AL', 'W/R/S', 'R/S', 'C/P', 'U/A/D', 'U/T/D', 'W/R/O/S', 'I/T/F', 'F/B/O', 'S/O', 'D/O', 'W/LE', 'W/L/E', 'T/U/W', 'D/T/D', 'I/C/O', 'C/F', 'TR/U/A', 'S/M', 'S/W', 'M/M', 'M/W', 'U/M', 'P/R', 'JT/RS']) // prettier-ignore

/**
 * Returns the words of a name field in order. "O'BRIEN, JOHN A. (JACK) & MARY" gives OBRIEN (comma), JOHN, A, JACK
 * (aside), &, MARY.
 */
export function nameTokens(text: string): NameToken[] {
  const upper = fold(text)
  const tokens: NameToken[] = []
  let word = ''
  let aside = 0
  let quoted = false
  const close = (): void => {
    if (word !== '') pushWord(tokens, word, aside > 0 || quoted)
    word = ''
  }
  for (let i = 0; i < upper.length; i++) {
    if (word === '') {
      const end = plainWordEnd(upper, i)
      if (end > i) {
        tokens.push(plainToken(upper.slice(i, end), aside > 0 || quoted))
        i = end - 1
        continue
      }
    }
    const letter = upper[i]!
    switch (letter) {
      case ' ':
      case '_':
      case ':':
        close()
        break
      case ',':
        close()
        if (tokens.length > 0) tokens[tokens.length - 1]!.comma = true
        break
      case '&':
      case '+':
      case ';':
      case '|':
        close()
        joint(tokens)
        break
      case '(':
      case '[':
      case '{':
        close()
        aside++
        break
      case ')':
      case ']':
      case '}':
        close()
        aside = Math.max(0, aside - 1)
        break
      case '"':
        close()
        quoted = !quoted
        break
      case '%':
        // '50%' is a share of a property. '% JANE ROE' means 'care of Jane Roe'.
        if (word !== '') word += letter
        else tokens.push(plainToken('C/O', false))
        break
      default:
        if (letter >= 'A' && letter <= 'Z') word += letter
        else if (letter < ' ' || letter === '\u00a0') close()
        else if (!IGNORED.includes(letter)) word += letter
    }
  }
  close()
  return tokens
}

/**
 * Returns the end of a word of letters only that ends at a space, a comma or the end of the text; otherwise `start`.
 * Most words are read by it, and it is faster than `pushWord`.
 */
function plainWordEnd(upper: string, start: number): number {
  let end = start
  while (end < upper.length && isLetterAt(upper, end)) end++
  if (end === upper.length) return end
  const code = upper.charCodeAt(end)
  return code === 32 || code === 44 ? end : start
}

// Marks without meaning; they are dropped.
const IGNORED = '*~^=<>\\!?`'

function plainToken(text: string, aside: boolean): NameToken {
  return { text, shown: text, comma: false, aside, possessive: false, dotted: false }
}

function joint(tokens: NameToken[]): void {
  tokens.push(plainToken('&', false))
}

function pushWord(tokens: NameToken[], written: string, inBrackets: boolean): void {
  let word = written
  let aside = inBrackets
  // 'Corky' and ''Wes'': a word in single quotes is a nickname.
  if (word.length > 2 && word.startsWith("'") && word.endsWith("'")) {
    word = word.replaceAll("'", '')
    aside = true
  }
  if (word.includes('.')) {
    const whole = word.replaceAll('.', '')
    if (CREDENTIALS.has(whole)) {
      tokens.push(plainToken(whole, aside))
      return
    }
  }
  if (word.includes('/')) {
    const whole = word.replaceAll('.', '')
    if (!SLASHED.has(whole)) return pushSlashed(tokens, word, aside)
    tokens.push(plainToken(whole, aside))
    return
  }
  let text = ''
  let shown = ''
  let dotted = 0
  let possessive = false
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    if (/[A-Z0-9#$%@\u0080-\uffff]/.test(word[i]!)) {
      text += word[i]
      shown += word[i]
      continue
    }
    if (code === 46) {
      // 'J.R.Smith', 'Smith,Jr.John': a full stop before a word separates two words. Between single initials it does
      // not.
      const wordFollows = isLetterAt(word, i + 1) && (text.length - dotted >= 2 || isLetterAt(word, i + 2))
      if (wordFollows) {
        push(tokens, text, shown, aside)
        text = ''
        shown = ''
        dotted = 0
        continue
      }
      dotted = text.length
    } else if (code === 45) {
      if (shown !== '') shown += '-'
      if (text !== '') text += ' '
    } else if (code === 39) {
      if (i === word.length - 2 && word[i + 1] === 'S' && text.length > 1) possessive = true
      if (shown !== '') shown += "'"
    }
  }
  const dottedInside = dotted > 0 && word.indexOf('.') < word.length - 1
  push(tokens, text.trim(), shown, aside, possessive, dottedInside)
}

function isLetterAt(word: string, at: number): boolean {
  const code = word.charCodeAt(at)
  return code >= 65 && code <= 90
}

function push(
  tokens: NameToken[],
  text: string,
  shown: string,
  aside: boolean,
  possessive = false,
  dotted = false,
): void {
  if (text === '') return
  while (shown.endsWith('-') || shown.endsWith("'")) shown = shown.slice(0, -1)
  tokens.push({ text, shown, comma: false, aside, possessive, dotted })
}

function pushSlashed(tokens: NameToken[], word: string, aside: boolean): void {
  const parts = word.split('/')
  // '1/2', '3/14/2005': the slash stays inside a number.
  if (parts.every((part) => part === '')) return joint(tokens)
  if (parts.every((part) => part === '' || (part[0]! >= '0' && part[0]! <= '9'))) {
    push(tokens, parts.join('/'), parts.join('/'), aside)
    return
  }
  parts.forEach((part, i) => {
    // 'EXEC/OF', 'EXR/EST': an office and the words for its estate, not two names.
    if (i > 0 && !OFFICE_ENDS.has(part)) joint(tokens)
    if (part !== '') pushWord(tokens, part, aside)
  })
}

const OFFICE_ENDS = new Set(['OF', 'FOR', 'EST', 'ESTATE'])

/** Returns whether the word begins with a digit. */
export function isFigure(text: string): boolean {
  const code = text.charCodeAt(0)
  return code >= 48 && code <= 57
}
