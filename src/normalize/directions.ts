import type { Token } from './street-tokens.ts'

// Returns whether the two words at `at` are one direction: 'S E', 'NORTH WEST'.
export function isPair(tokens: Token[], at: number): boolean {
  const first = tokens[at]?.word?.directional
  const second = tokens[at + 1]?.word?.directional
  return (first === 'N' || first === 'S') && (second === 'E' || second === 'W')
}

export function directionalText(tokens: Token[], at: number, count: number): string {
  return count === 1
    ? tokens[at]!.word!.directional!
    : `${tokens[at]!.word!.directional!}${tokens[at + 1]!.word!.directional!}`
}
