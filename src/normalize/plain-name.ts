import { Recent } from '../recent.ts'
import { isRoleWord } from './name-roles.ts'
import { CREDENTIALS, firstScore, GENERATIONS, organisationWord, PARTICLES, TITLE_LEADS, TITLES, TRUST_SORTS, VIETNAMESE } from './name-words.ts' // prettier-ignore
import { isFormWord } from './organisation.ts'
import {
  INITIAL_SCORE,
  isKnownFirmName,
  isOrganisationSign,
  nameScore,
  NAMES_AT_MOST,
  startsKnownFirm,
  THRESHOLD,
} from './organisation-score.ts'
import { GIVEN_STARTS, isPlainlyTurned, type PersonName, TURNED_AT } from './person-name.ts'
import { titleWord } from './title-case.ts'

/** A word that is in no table of roles, titles, particles, legal forms or trades. */
interface PlainWord {
  readonly text: string
  readonly shown: string
  /** How strongly the word points to an organisation; below 0 it points to a person. */
  readonly score: number
  readonly firstScore: number
  readonly startsKnownFirm: boolean
}

// The same words repeat within an input file.
const words = new Recent<PlainWord | null>(40_000)

/**
 * Reads a name of two or three plain words, given name first: 'Jane Roe', 'Jane Q Roe', 'Jane Anne Roe'. Returns null
 * for any other text; `parseName` reads it then. A test checks that both give the same name.
 */
export function readPlainName(text: string): PersonName | null {
  const first = wordEnd(text, 0)
  if (first === 0 || first === text.length) return null
  const second = wordEnd(text, first + 1)
  if (second === first + 1) return null
  if (second === text.length) return plainName(plainWord(text, 0, first), null, plainWord(text, first + 1, second)) // prettier-ignore
  const third = wordEnd(text, second + 1)
  if (third === second + 1 || third !== text.length) return null
  const middle = plainWord(text, first + 1, second)
  return middle === null ? null : plainName(plainWord(text, 0, first), middle, plainWord(text, second + 1, third)) // prettier-ignore
}

/** Returns the end of a word of letters that is followed by a space or by the end of the text; otherwise `start`. */
function wordEnd(text: string, start: number): number {
  let end = start
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) continue
    return code === 32 ? end : start
  }
  return end
}

function plainWord(text: string, start: number, end: number): PlainWord | null {
  const upper = text.slice(start, end).toUpperCase()
  return words.get(upper, readWord)
}

function readWord(text: string): PlainWord | null {
  if (!isPlain(text)) return null
  return {
    text,
    shown: titleWord(text),
    score: text.length === 1 ? INITIAL_SCORE : nameScore(text),
    firstScore: firstScore(text),
    startsKnownFirm: startsKnownFirm(text),
  }
}

function isPlain(word: string): boolean {
  if (organisationWord(word) !== undefined || isOrganisationSign(word)) return false
  // O and D begin a surname: O BRIEN, D ANGELO. They are not initials.
  if (word.length === 1) return word !== 'O' && word !== 'D'
  return !(
    isRoleWord(word) ||
    isFormWord(word) ||
    PARTICLES.has(word) ||
    GENERATIONS.has(word) ||
    CREDENTIALS.has(word) ||
    TITLES.has(word) ||
    TITLE_LEADS.has(word) ||
    TRUST_SORTS.has(word) ||
    VIETNAMESE.has(word) ||
    GIVEN_STARTS.has(word)
  )
}

function plainName(
  first: PlainWord | null,
  middle: PlainWord | null,
  last: PlainWord | null,
): PersonName | null {
  // prettier-ignore
  if (first === null || last === null || last.text.length === 1) return null
  if (middle === null) {
    if (first.firstScore - last.firstScore < TURNED_AT) return null
  } else if (middle.text.length > 1 && (first.text.length === 1 || isPlainlyTurned([first, middle, last]))) return null // prettier-ignore
  if (first.startsKnownFirm && isKnownFirmName(middle === null ? `${first.text} ${last.text}` : `${first.text} ${middle.text} ${last.text}`)) return null // prettier-ignore
  let names = 0
  let trades = 0
  for (const word of middle === null ? [first, last] : [first, middle, last]) {
    if (word.score < 0) names += word.score
    else trades += word.score
  }
  if (trades + Math.max(NAMES_AT_MOST, names) >= THRESHOLD) return null
  return {
    first: first.text,
    middle: middle === null ? null : middle.text,
    last: last.text,
    suffix: null,
    display:
      middle === null ? `${first.shown} ${last.shown}` : `${first.shown} ${middle.shown} ${last.shown}`,
  }
}
