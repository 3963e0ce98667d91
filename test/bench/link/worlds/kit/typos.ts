import type { Dice } from './dice.ts'

/** Where a wrong letter comes from. */
export type TypoKind = 'keyboard' | 'reading' | 'sound' | 'slip'

const KEYBOARD_ROWS = ['QWERTYUIOP', 'ASDFGHJKL', 'ZXCVBNM']

// Mistakes of optical reading, and spellings that sound alike; each works in both directions.
const READING = 'O0 I1 L1 S5 B8 Z2 G6 E3 T7 RN:M CL:D VV:W LI:U IN:M NN:M FI:A C:E H:N U:V Q:O'.split(' ')
const SOUND =
  'PH:F CK:K C:K Y:I IE:Y EY:Y EE:EA EA:E OU:U OO:U GH:G TH:T SH:CH TS:Z Z:S S:C V:W QU:KW X:KS LL:L TT:T NN:N SS:S RR:R MM:M AI:AY AE:E OE:O EI:I AU:O J:G EN:AN ER:AR ON:EN'.split(
    ' ',
  )

/** `text` with one typo. A text of one sign stays as it is. */
export function mistyped(dice: Dice, text: string, kind: TypoKind = anyKind(dice)): string {
  if (text.length < 2) return text
  switch (kind) {
    case 'keyboard':
      return neighbourKey(dice, text)
    case 'reading':
      return replaced(dice, text, READING)
    case 'sound':
      return replaced(dice, text, SOUND)
    default:
      return slipped(dice, text)
  }
}

export function anyKind(dice: Dice): TypoKind {
  return dice.pick(['keyboard', 'reading', 'sound', 'slip'])
}

/** A text of digits with one digit wrong, or two neighbours exchanged. */
export function misdialled(dice: Dice, digits: string): string {
  const at = dice.below(digits.length)
  if (at > 0 && dice.chance(0.4) && digits[at] !== digits[at - 1]) return exchanged(digits, at)
  const wrong = String((Number(digits[at]) + dice.between(1, 9)) % 10)
  return digits.slice(0, at) + wrong + digits.slice(at + 1)
}

function neighbourKey(dice: Dice, text: string): string {
  const at = dice.below(text.length)
  for (const row of KEYBOARD_ROWS) {
    const place = row.indexOf(text[at]!)
    if (place === -1) continue
    const step = place === 0 ? 1 : place === row.length - 1 ? -1 : dice.pick([-1, 1])
    return text.slice(0, at) + row[place + step]! + text.slice(at + 1)
  }
  return slipped(dice, text)
}

// One of the pairs that occur in the text, at one of its places; where none occurs, a slip.
function replaced(dice: Dice, text: string, pairs: readonly string[]): string {
  const found: { at: number; from: string; to: string }[] = []
  for (const pair of pairs) {
    const [one, other] = pair.includes(':') ? pair.split(':') : [pair[0], pair[1]]
    for (const [from, to] of [
      [one!, other!],
      [other!, one!],
    ] as const) {
      for (let at = text.indexOf(from); at !== -1; at = text.indexOf(from, at + 1))
        found.push({ at, from, to })
    }
  }
  if (found.length === 0) return slipped(dice, text)
  const { at, from, to } = dice.pick(found)
  return text.slice(0, at) + to + text.slice(at + from.length)
}

// A letter left out, doubled or put in, or two neighbours exchanged.
function slipped(dice: Dice, text: string): string {
  const at = dice.below(text.length)
  switch (dice.below(4)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1)
    case 1:
      return text.slice(0, at) + text[at]! + text.slice(at)
    case 2:
      return text.slice(0, at) + 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[dice.below(26)]! + text.slice(at)
    default: {
      const second = Math.max(1, at)
      // Two neighbours that are equal cannot be exchanged: one of them is left out.
      return text[second] === text[second - 1]
        ? text.slice(0, second) + text.slice(second + 1)
        : exchanged(text, second)
    }
  }
}

function exchanged(text: string, at: number): string {
  return text.slice(0, at - 1) + text[at]! + text[at - 1]! + text.slice(at + 1)
}
