import { setImmediate as turn } from 'node:timers/promises'
import { normalizeEmail } from '../../normalize/email.ts'
import { parsePhone } from '../../normalize/phone.ts'
import { AppError } from '../../errors.ts'
import { type ClueField, isAddressField } from '../columns/names.ts'
import { recogniseColumns } from '../columns/recognise.ts'
import { type Input, type InputOptions, openInput } from '../read/read-input.ts'
import { cluesOf, type RowClues } from './row-clues.ts'
import { addressKey, type Suppressions } from './suppressions.ts'
import { rowsOfChunk } from '../read/rows.ts'

/**
 * Reads a suppression list: a file with columns of person ids, phones, e-mails or addresses. Its people must not appear
 * in the output.
 * @throws `bad_input` for doubtful columns (two addresses), unreadable rows, and rows without a readable entry, because
 * the people of such rows would appear
 */
export async function loadSuppressions(
  path: string,
  today: string,
  options: InputOptions = {},
): Promise<Suppressions> {
  const input = await openInput(path, options)
  try {
    return await readSuppressions(input, today)
  } finally {
    await input.close()
  }
}

/** Lets other requests run after this number of rows, which take a few milliseconds. */
const ROWS_A_TURN = 100

async function readSuppressions(input: Input, today: string): Promise<Suppressions> {
  const path = input.name
  let rows = 0
  const { columns, doubts } = recogniseColumns(input.header, input.sample, new Map(), today, isKnownBy)
  const used = columns.filter(({ field }) => isKnownBy(field))
  if (used.length === 0)
    throw new AppError(
      'bad_input',
      `${path} has no column of person ids, phones, e-mails or addresses: ${input.header.join(', ')}`,
    )
  if (doubts.length > 0)
    throw new AppError(
      'bad_input',
      `${path}: ${doubts.join('; ')}; no row was matched: keep only the columns that identify the people to suppress`,
    )
  const refuse = (line: number, reason: string): never => {
    throw new AppError(
      'bad_input',
      `${path}, line ${line}: ${reason}; no row was matched: correct the line and run it again`,
    )
  }
  const settings = { input: input.format, inputDialect: input.dialect, header: input.header }
  const list = {
    people: new Set<string>(),
    phones: new Set<string>(),
    emails: new Set<string>(),
    addresses: new Set<string>(),
  }
  for await (const chunk of input.chunks()) {
    for (const { cells, line, fault } of rowsOfChunk(chunk.bytes, chunk.firstLine, settings)) {
      if (++rows % ROWS_A_TURN === 0) await turn()
      if (cells === null) refuse(line, fault)
      else if (!addRow(list, cluesOf(cells, used, new Map())) && cells.some((cell) => cell.trim() !== ''))
        refuse(line, `the row has no readable person id, phone, e-mail or address in ${used.map(({ column }) => `'${input.header[column]}'`).join(', ')}`) // prettier-ignore
    }
    if (chunk.broken !== null) refuse(chunk.broken.line, chunk.broken.reason)
  }
  return list
}

/**
 * Returns whether the field identifies people of the suppression list. All columns of these fields are used; people in
 * an ignored column would appear in the output.
 */
function isKnownBy(field: ClueField): boolean {
  return isAddressField(field) || field === 'person_id' || field === 'phone' || field === 'email'
}

/** Adds the entries of a row to the list. Returns false when the row has none. */
function addRow(
  list: Record<keyof Suppressions, Set<string>>,
  { person_id, phones = [], emails = [], ...clues }: RowClues,
): boolean {
  const entries: readonly (readonly [Set<string>, string | null])[] = [
    [list.people, person_id ?? null],
    ...phones.map((text) => [list.phones, parsePhone(text)?.phone ?? null] as const),
    ...emails.map((text) => [list.emails, normalizeEmail(text)] as const),
    [list.addresses, clues.street === undefined ? null : addressKey(clues)],
  ]
  for (const [set, value] of entries) if (value !== null) set.add(value)
  return entries.some(([, value]) => value !== null)
}
