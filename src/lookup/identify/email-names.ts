import { damerauLevenshtein } from '../../normalize/similarity.ts'
import { editLimit } from '../format/deletions.ts'
import type { NameClue } from './clues.ts'
import type { NameWord, NameWords } from './name-words.ts'
import { NAME } from './weights.ts'

/**
 * Returns the row's name with corrections from its e-mail addresses. Many addresses contain a name
 * (`kathy.hunter7@…`, `khunter@…`, `hunter.kathy@…`), and people rarely mistype their own. A typo in the
 * row's name is corrected, and an initial is replaced by the whole name. Another surname beside the same
 * first name is kept as a possible former surname.
 */
export function withEmailNames(words: NameWords, clue: NameClue, emails: readonly string[]): NameClue {
  const first = clue.first[0]
  const last = clue.last.at(-1)
  if (first === undefined || last === undefined) return clue
  for (const email of emails) {
    const said = namesOfEmail(email, first.text, last.text)
    if (said === null) continue
    const better = { first: betterFirst(words, first, said.first), last: betterLast(words, last, said.last) }
    const otherLast = otherSurname(words, last, said)
    return {
      ...clue,
      first: better.first === null ? clue.first : [better.first, ...clue.first.slice(1)],
      last: better.last === null ? clue.last : [...clue.last.slice(0, -1), better.last],
      isFirstCorrected: better.first !== null && first.text.length > 1,
      isLastCorrected: better.last !== null,
      otherLast,
      isLastInEmail: otherLast === null,
    }
  }
  return clue
}

interface EmailName {
  /** The first name, or only its initial. */
  readonly first: string
  readonly last: string
}

/**
 * Returns the first and last name in an e-mail address. Returns null unless it has both, and one of them is
 * similar to the row's.
 */
function namesOfEmail(email: string, first: string, last: string): EmailName | null {
  const parts = email
    .slice(0, email.lastIndexOf('@'))
    .toUpperCase()
    .split(/[^A-Z]+/)
    .filter((part) => part !== '')
  const [one, two] = parts
  if (one === undefined || parts.length > 2) return null
  if (two === undefined) return one.length > 3 && one[0] === first[0] ? fitting({ first: one[0]!, last: one.slice(1) }, first, last) : null // prettier-ignore
  return fitting({ first: one, last: two }, first, last) ?? fitting({ first: two, last: one }, first, last)
}

function fitting(said: EmailName, first: string, last: string): EmailName | null {
  const isWholeFirst = said.first.length > 1 && first.length > 1
  if (isClose(said.last, last) && said.first[0] === first[0]) return said
  if (isClose(said.last, last) && isWholeFirst && isClose(said.first, first)) return said
  return isWholeFirst && said.first === first && said.last.length > 2 ? said : null
}

function isClose(left: string, right: string): boolean {
  const limit = editLimit(right)
  return damerauLevenshtein(left, right, limit) <= limit
}

function betterFirst(words: NameWords, written: NameWord, said: string): NameWord | null {
  if (said.length < 2 || said === written.text) return null
  const word = words.word(said)
  if (word.people === 0) return null
  if (written.text.length === 1) return said[0] === written.text && !words.isRare(word) ? word : null
  return isRatherTypo(written, word) && isClose(said, written.text) ? word : null
}

function betterLast(words: NameWords, written: NameWord, said: string): NameWord | null {
  if (said === written.text || !isClose(said, written.text)) return null
  const word = words.word(said)
  return word.people > 0 && isRatherTypo(written, word) ? word : null
}

/** Returns whether a typo of the e-mail's word is more probable than a person with the written word as a name. */
function isRatherTypo(written: NameWord, said: NameWord): boolean {
  return said.share * NAME.typos > written.share
}

function otherSurname(words: NameWords, last: NameWord, said: EmailName): NameWord | null {
  if (said.first.length < 2 || isClose(said.last, last.text)) return null
  const word = words.word(said.last)
  return word.people === 0 ? null : word
}
