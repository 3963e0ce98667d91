import { fold } from './fold.ts'
import { streetWord } from './street-words.ts'
import type { StreetWord } from './street-words.ts'

/** A word of an address: upper case, without surrounding punctuation. */
export interface Token {
  text: string
  word: StreetWord | undefined
  /** True when a comma, a line end or a dash between spaces follows the word. */
  comma: boolean
}

const SPACE = 1
const COMMA = 2
const DROP = 3
const DOT = 4
const HASH = 5
const ALONE = 6
const HYPHEN = 7

// The effect of each ASCII character on the current word; 0 means that the character is part of the word.
const KIND = new Uint8Array(128)
for (let code = 0; code <= 32; code++) KIND[code] = SPACE
KIND[10] = KIND[13] = COMMA
for (const letter of ',;|()[]{}:') KIND[letter.charCodeAt(0)] = COMMA
for (const letter of '"`*?!\\_~^<>=+$')
  KIND[letter.charCodeAt(0)] = letter === '\\' || letter === '_' ? SPACE : DROP
KIND[46] = DOT
KIND[35] = HASH
for (const letter of '&@') KIND[letter.charCodeAt(0)] = ALONE
KIND[45] = HYPHEN

/** Returns the words of an address in order. 'P.O.Box #4B, St.Paul' gives PO, BOX, #, 4B (comma), ST, PAUL. */
export function streetTokens(text: string): Token[] {
  const upper = fold(text)
  const tokens: Token[] = []
  let word = ''
  let piece = 0 // letters since the word's beginning or its last full stop
  const end = upper.length
  for (let i = 0; i < end; i++) {
    const code = upper.charCodeAt(i)
    const kind = code < 128 ? KIND[code]! : code === 160 ? SPACE : code === 0x2044 ? -1 : 0
    if (kind === 0) {
      let next = i + 1
      while (next < end && isPart(upper.charCodeAt(next))) next++
      word = word === '' ? upper.slice(i, next) : word + upper.slice(i, next)
      piece += next - i
      i = next - 1
      continue
    }
    switch (kind) {
      case -1:
        word += '/'
        break
      case DROP:
        break
      case DOT:
        if (splitsAt(upper, i, piece)) {
          push(tokens, word)
          word = ''
        } else if (isDigit(upper.charCodeAt(i - 1)) && isDigit(upper.charCodeAt(i + 1))) {
          word += '.'
        }
        piece = 0
        break
      case HYPHEN:
        if (word !== '' && (i + 1 === end || KIND[upper.charCodeAt(i + 1)] === SPACE)) break
        if (word === '') {
          if (tokens.length > 0) tokens.push({ text: '-', word: undefined, comma: false })
        } else if (streetWord(word)?.unit != null) {
          push(tokens, word)
          word = ''
        } else {
          word += '-'
        }
        piece = 0
        break
      default:
        push(tokens, word)
        word = ''
        piece = 0
        // '1,204 OAK ST': the comma is a thousands separator.
        if (code === 44 && tokens.length === 1 && isThousand(tokens[0]!.text, upper, i)) {
          word = tokens.pop()!.text
          piece = word.length
          break
        }
        if (kind === HASH) tokens.push({ text: '#', word: undefined, comma: false })
        else if (kind === ALONE) tokens.push({ text: upper[i]!, word: undefined, comma: false })
        else if (kind === COMMA && tokens.length > 0) tokens[tokens.length - 1]!.comma = true
    }
  }
  push(tokens, word)
  return joinedRoutes(withoutSlashes(withoutDashes(tokens)))
}

/** Returns whether a character is part of the current word. */
function isPart(code: number): boolean {
  return code < 128 ? KIND[code] === 0 : code !== 160 && code !== 0x2044
}

function isThousand(before: string, text: string, comma: number): boolean {
  if (before.length > 2 || !isNumber(before) || !isNumber(text.slice(comma + 1, comma + 4))) return false
  return comma + 4 < text.length && KIND[text.charCodeAt(comma + 4)] === SPACE
}

// Returns whether a full stop separates two words: in 'St.Paul', 'P.O.Box' and 'N.Main', but not in 'S.W.' and 'P.O.'.
function splitsAt(text: string, at: number, piece: number): boolean {
  if (!isLetter(text.charCodeAt(at + 1))) return false
  const after = isLetter(text.charCodeAt(at + 2))
  return piece >= 2 || after
}

function push(tokens: Token[], text: string): void {
  if (text === '') return
  if (text === '/') {
    tokens.push({ text, word: undefined, comma: false })
    return
  }
  while (text.endsWith("'") || text.endsWith('/') || text.endsWith('-')) text = text.slice(0, -1)
  while (text.startsWith("'") || text.startsWith('/')) text = text.slice(1)
  if (text === '') return
  const word = streetWord(text)
  if (word === undefined && !isDigit(text.charCodeAt(0)) && isDigit(text.charCodeAt(text.length - 1))) {
    const digits = gluedDigits(text)
    if (digits > 0) {
      pushWord(tokens, text.slice(0, digits))
      text = text.slice(digits)
      if (text.startsWith('-')) text = text.slice(1)
    } else {
      text = behindSuffix(tokens, text)
    }
  }
  tokens.push({ text, word: word ?? streetWord(text), comma: false })
}

// Adds a suffix that a hyphen joins to the text behind it ('ST-204'). Returns the text behind it.
function behindSuffix(tokens: Token[], text: string): string {
  const mark = text.indexOf('-')
  if (mark < 2 || streetWord(text.slice(0, mark))?.common !== true) return text
  pushWord(tokens, text.slice(0, mark))
  return text.slice(mark + 1)
}

function pushWord(tokens: Token[], text: string): void {
  tokens.push({ text, word: streetWord(text), comma: false })
}

// Words that are written together with the next number: 'APT4', 'FM1960', 'RR2', 'BOX12'.
const GLUED = new Set(['APT', 'STE', 'UNIT', 'BLDG', 'LOT', 'RM', 'FL', 'BOX', 'POBOX', 'POB', 'FM', 'CR', 'SR', 'SH', 'US', 'HWY', 'RR', 'HC', 'RT', 'RTE', 'TRLR', 'SPC', 'PH', 'SUITE', 'ROOM', 'CTH', 'STH', 'PMB', 'APTS', 'IH', 'HIGHWAY', 'ROUTE']) // prettier-ignore

function gluedDigits(text: string): number {
  let letters = 0
  while (isLetter(text.charCodeAt(letters))) letters++
  return letters >= 2 && letters <= 7 && GLUED.has(text.slice(0, letters)) ? letters : 0
}

// 'C R 850', 'F M 1960', 'U S 41': route words whose letters are written separately.
const SPELLED = new Set(['CR', 'SR', 'FM', 'US', 'SH', 'RM', 'HC'])

function joinedRoutes(tokens: Token[]): Token[] {
  for (let i = 0; i + 2 < tokens.length; i++) {
    const first = tokens[i]!
    const second = tokens[i + 1]!
    if (first.text.length !== 1 || second.text.length !== 1 || first.comma) continue
    const text = first.text + second.text
    const third = tokens[i + 2]!.text
    if (!SPELLED.has(text) || !(isNumber(third) || third === 'HWY' || third === 'HIGHWAY')) continue
    tokens.splice(i, 2, { text, word: streetWord(text), comma: second.comma })
  }
  return tokens
}

// Joins two numbers with a dash between them ('123 - 125 MAIN'). Any other dash between spaces becomes a comma.
function withoutDashes(tokens: Token[]): Token[] {
  if (!tokens.some((token) => token.text === '-')) return tokens
  const kept: Token[] = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    if (token.text !== '-') {
      kept.push(token)
      continue
    }
    const before = kept.at(-1)
    const after = tokens[i + 1]
    if (before === undefined || after === undefined) continue
    if (kept.length === 1 && isNumber(before.text) && isNumber(after.text)) {
      before.text += `-${after.text}`
      i++
    } else {
      before.comma = true
    }
  }
  return kept
}

// Replaces a slash between spaces by '&' where it joins the streets of a corner ('OAK ST / ELM ST'), otherwise by a
// comma.
function withoutSlashes(tokens: Token[]): Token[] {
  if (!tokens.some((token) => token.text === '/')) return tokens
  const isCorner =
    tokens.filter((token) => token.text === '/').length === 1 && !startsWithDigit(tokens[0]!.text)
  const kept: Token[] = []
  for (const token of tokens) {
    if (token.text !== '/') kept.push(token)
    else if (isCorner) kept.push({ text: '&', word: undefined, comma: false })
    else if (kept.length > 0) kept.at(-1)!.comma = true
  }
  return kept
}

/** Returns whether the text consists of digits. */
export function isNumber(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isDigit(text.charCodeAt(i))) return false
  return text.length > 0
}

export function startsWithDigit(text: string): boolean {
  return isDigit(text.charCodeAt(0))
}

export function hasDigit(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (isDigit(text.charCodeAt(i))) return true
  return false
}

/** Returns whether the text is an ordinal: '1ST', '22ND', '103RD', '4TH'. */
export function isOrdinal(text: string): boolean {
  const end = text.length - 2
  if (end < 1 || !isNumber(text.slice(0, end))) return false
  const letters = text.slice(end)
  return letters === 'TH' || letters === 'ST' || letters === 'ND' || letters === 'RD'
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isLetter(code: number): boolean {
  return code >= 65 && code <= 90
}

/** Joins the words from `start` up to `end`; null for a single punctuation mark. */
export function nameText(tokens: Token[], start: number, end: number): string | null {
  if (end - start === 1 && MARKS.has(tokens[start]!.text)) return null
  let name = tokens[start]!.text
  for (let i = start + 1; i < end; i++) name += ` ${tokens[i]!.text}`
  return name
}

const MARKS = new Set(['#', '&', '@', '-'])
