import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { parse } from 'csv-parse/sync'
import { AppError, messageOf } from '../errors.ts'
import type { NewSuppression } from '../state/suppressions.ts'

export type DeletionKind = Extract<NewSuppression['kind'], `${string}_hash`>

/**
 * The lists of California's DROP (Delete Request and Opt-out Platform) that Platbook can compare with its people. Keys are the words
 * that name the list in a file name.
 */
export const DELETION_LISTS: Readonly<Record<string, DeletionKind>> = {
  email: 'email_hash',
  phone: 'phone_hash',
  ndz: 'name_hash',
}

/** A list as DROP delivers it: people to suppress (`ID,Hash`), or ids of withdrawn requests (`ID,Hash,ListType`). */
export type DeletionList =
  | { readonly added: readonly (NewSuppression & { readonly work_item_id: string })[] }
  | { readonly removed: readonly string[] }

interface Line {
  readonly record: Readonly<Record<string, string>>
  readonly info: { readonly lines: number }
}

/**
 * Reads a DROP list. `kind` is null when the file name (`20260801_4821_Email.csv`) contains the kind of the list.
 * @throws `bad_input` at the first faulty line, so that no list is imported in part
 */
export async function readDeletionList(path: string, kind: DeletionKind | null): Promise<DeletionList> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new AppError('bad_input', `cannot read ${path}: ${messageOf(cause)}`, { cause })
  })
  let header: string[] = []
  let lines: Line[]
  try {
    lines = parse(text, {
      bom: true,
      info: true,
      skip_empty_lines: true,
      columns: (names: string[]) => (header = names.map((name) => name.trim())),
    }) as unknown as Line[]
  } catch (cause) {
    throw new AppError(
      'bad_input',
      `${path} is not a CSV file with the columns ID and Hash: ${messageOf(cause)}`,
      { cause },
    )
  }
  if (!header.includes('ID') || !header.includes('Hash'))
    throw new AppError(
      'bad_input',
      `${path} has the columns ${header.join(', ')}; a deletion list has the columns ID and Hash`,
    )
  const items = lines.map(({ record, info }) => itemOf(path, record, info.lines))
  if (header.includes('ListType')) return { removed: items.map(({ id }) => id) }
  const listed = kind ?? kindByName(path)
  return { added: items.map(({ id, hash }) => ({ kind: listed, value: hash, work_item_id: id })) }
}

function itemOf(path: string, record: Line['record'], line: number): { id: string; hash: string } {
  const id = (record['ID'] ?? '').trim()
  const hash = (record['Hash'] ?? '').trim()
  if (id === '') throw new AppError('bad_input', `${path}, line ${line}: ID is empty`)
  if (!/^[A-Za-z0-9+/]{43}=$/.test(hash))
    throw new AppError('bad_input', `${path}, line ${line}: Hash is not a SHA-256 in base64 (44 characters)`)
  return { id, hash }
}

function kindByName(path: string): DeletionKind {
  const words = basename(path)
    .toLowerCase()
    .split(/[^a-z]+/)
  const [name] = Object.keys(DELETION_LISTS).filter((one) => words.includes(one))
  if (name !== undefined) return DELETION_LISTS[name]!
  throw new AppError(
    'bad_usage',
    `the name of ${path} contains neither Email, Phone nor NDZ: give --list ${Object.keys(DELETION_LISTS).join('|')}`,
  )
}
