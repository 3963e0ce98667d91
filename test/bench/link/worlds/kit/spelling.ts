import type { Dice } from './dice.ts'
import type { Language } from './languages.ts'
import { mistyped } from './typos.ts'

/** `text`, with a typo in `share` of all calls. */
export function spelled(dice: Dice, text: string, share: number): string {
  return dice.chance(share) ? mistyped(dice, text) : text
}

/** A given name as a record has it: a short form in `nicknames` of all calls (where there is one), else `spelled`. */
export function called(
  dice: Dice,
  language: Language,
  first: string,
  { nicknames, typos }: { nicknames: number; typos: number },
): string {
  const short = language.nicknames[first]
  return short !== undefined && dice.chance(nicknames) ? dice.pick(short) : spelled(dice, first, typos)
}

/** `text` in `share` of all calls, else blank. */
export function known(dice: Dice, text: string, share: number): string {
  return dice.chance(share) ? text : ''
}
