import { isNumber, startsWithDigit } from './street-tokens.ts'
import type { Token } from './street-tokens.ts'

/** A mile marker and its tokens: from `start` up to, not including, `next`. */
export interface MileMarker {
  number: string
  start: number
  next: number
}

const MARKERS = new Set(['MM', 'MP', 'MILEPOST', 'MILEMARKER'])

/**
 * Returns the mile marker of a line ('MM 88.5', 'MILE MARKER 88', 'MILEPOST 12'; 'MILE 12' only at the beginning); null
 * without one.
 */
export function findMileMarker(tokens: Token[]): MileMarker | null {
  for (let start = 0; start < tokens.length; start++) {
    const { text } = tokens[start]!
    if (text.charCodeAt(0) !== 77) continue
    const words = markerWords(tokens, start)
    const number = tokens[start + words]?.text ?? ''
    if (words > 0 && isMile(number)) return { number, start, next: start + words + 1 }
  }
  return null
}

function markerWords(tokens: Token[], start: number): number {
  const { text } = tokens[start]!
  if (MARKERS.has(text)) return 1
  if (text !== 'MILE') return 0
  const next = tokens[start + 1]?.text
  if (next === 'MARKER' || next === 'POST') return 2
  return start === 0 ? 1 : 0
}

function isMile(text: string): boolean {
  return startsWithDigit(text) && isNumber(text.replace('.', ''))
}
