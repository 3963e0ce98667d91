import { Invitation } from '../state/accounts.ts'
import { AppError } from '../errors.ts'

/**
 * Returns the whole number that the value of `option` is, or null for `none`.
 * @throws `bad_usage` for any other text and for numbers below `least`
 */
export function countOf(option: string, text: string, least: number): number | null {
  if (text === 'none') return null
  const count = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(count >= least)) {
    throw new AppError('bad_usage', `${option} takes a whole number from ${least}, or none, not '${text}'`)
  }
  return count
}

/**
 * Returns the words of a value such as `webhooks,events`; an empty array for `none`.
 * @throws `bad_usage` for a word that is not in `known`
 */
export function wordsOf<T extends string>(option: string, text: string, known: readonly T[]): T[] {
  if (text === 'none') return []
  return text.split(',').map((part) => {
    const word = known.find((one) => one === part.trim())
    if (word === undefined) {
      throw new AppError('bad_usage', `${option} takes ${known.join(', ')}, or none, not '${part.trim()}'`)
    }
    return word
  })
}

export function invitationsOf(text: string): Invitation[] {
  return wordsOf('--invite', text, Invitation.options)
}
