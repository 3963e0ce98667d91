import { Invitation } from '../state/accounts.ts'
import { AppError } from '../errors.ts'

/** A whole number from `least`, or null for `none`. Throws `bad_usage` for anything else. */
export function countOf(option: string, text: string, least: number): number | null {
  if (text === 'none') return null
  const count = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(count >= least)) {
    throw new AppError('bad_usage', `${option} takes a whole number from ${least}, or none, not '${text}'`)
  }
  return count
}

/** Words separated by commas, each one of `known`; an empty list for `none`. Throws `bad_usage` for anything else. */
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
