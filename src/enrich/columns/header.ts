import { AppError } from '../../errors.ts'
import { normalizeEmail } from '../../normalize/email.ts'
import { parsePhone } from '../../normalize/phone.ts'

/**
 * Checks the names of the columns.
 * @throws `bad_input` when two columns have one name, when a column has the prefix of added columns, or when the first
 * row is data
 */
export function checkHeader(header: readonly string[], file: string, prefix: string): void {
  const seen = new Map<string, number>()
  for (const [column, name] of header.entries()) {
    const before = seen.get(name)
    if (name !== '' && before !== undefined) {
      throw new AppError(
        'bad_input',
        `${file}: the header names the column '${name}' twice (columns ${before + 1} and ${column + 1}): rename one of them`,
      )
    }
    seen.set(name, column)
    if (name.startsWith(prefix)) {
      throw new AppError(
        'bad_input',
        `${file} already has a column '${name}': choose another --prefix than ${prefix}`,
      )
    }
  }
  const data = header.find(
    (name) =>
      normalizeEmail(name) !== null ||
      /^\d{5,}$/.test(name) ||
      (parsePhone(name) !== null && /\d{3}/.test(name)),
  )
  if (data !== undefined) {
    throw new AppError(
      'bad_input',
      `${file} begins with a row of data instead of a header: add a line with the columns' names, or use --no-header`,
    )
  }
}
