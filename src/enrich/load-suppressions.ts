import { normalizeEmail } from '../normalize/email.ts'
import { parsePhone } from '../normalize/phone.ts'
import { AppError } from '../errors.ts'
import { recogniseColumns } from './columns.ts'
import { cluesOf } from './row-clues.ts'
import { openInput } from './read-input.ts'
import { recordsOf } from './records.ts'
import { addressKey, type Suppressions } from './suppressions.ts'

/** Reads a list of people who must not come out: person ids, phones, e-mails or addresses in columns, as any list has them. */
export async function loadSuppressions(path: string, today: string): Promise<Suppressions> {
  const input = await openInput(path)
  if (input.format === 'jsonl')
    throw new AppError('bad_input', `${path}: a suppression list is delimited text, Parquet or Arrow`)
  const { columns } = recogniseColumns(input.header, input.sample, new Map(), today)
  const used = columns.filter(({ field }) =>
    ['person_id', 'phone', 'email', 'address', 'address_2', 'city', 'state', 'zip'].includes(field),
  )
  if (used.length === 0)
    throw new AppError(
      'bad_input',
      `${path} has no column of person ids, phones, e-mails or addresses: ${input.header.join(', ')}`,
    )
  const list = {
    people: new Set<string>(),
    phones: new Set<string>(),
    emails: new Set<string>(),
    addresses: new Set<string>(),
  }
  for await (const chunk of input.chunks()) {
    if (chunk.broken !== null)
      throw new AppError(
        'bad_input',
        `${path}, line ${chunk.broken.line}: ${chunk.broken.reason}; nobody was searched`,
      )
    for (const { cells, line } of recordsOf(
      Buffer.from(chunk.bytes).toString('utf8'),
      input.dialect,
      chunk.firstLine,
    )) {
      if (cells === null || cells.length !== input.header.length)
        throw new AppError(
          'bad_input',
          `${path}, line ${line} has other fields than the header; nobody was searched`,
        )
      const clues = cluesOf(cells, used, new Map())
      if (clues.person_id !== undefined) list.people.add(clues.person_id)
      for (const text of clues.phones ?? []) add(list.phones, parsePhone(text)?.phone ?? null)
      for (const text of clues.emails ?? []) add(list.emails, normalizeEmail(text))
      if (clues.street !== undefined) add(list.addresses, addressKey(clues))
    }
  }
  return list
}

function add(set: Set<string>, value: string | null): void {
  if (value !== null) set.add(value)
}
