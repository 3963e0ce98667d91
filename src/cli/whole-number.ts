import { AppError } from '../errors.ts'

/**
 * Returns the whole number in `text`, the value of the option `--name`.
 * @throws `bad_usage` for other texts, and for numbers outside `least` and `most`
 */
export function wholeNumber(
  name: string,
  text: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= least && number <= most) return number
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
  throw new AppError('bad_usage', `--${name} takes a whole number ${range}, not '${text}'`)
}
